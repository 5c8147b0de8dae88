/** One port for those who come with a token and those who show a key: what a connection begins with, or does not. */
import { type TLSSocket, connect as connectTls, type ConnectionOptions } from 'node:tls'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { idOfPeer } from '../../../src/federation/dial.ts'
import { openIdentity } from '../../../src/federation/identity.ts'
import { tlsOptionsOf } from '../../../src/federation/listener.ts'
import type { Limits } from '../../../src/server/http/limits.ts'
import type { PeerAccess } from '../../../src/server/admin/peer-access.ts'
import { defineRoute } from '../../../src/server/http/route.ts'
import { openTestServer, rawClient, tempFolder } from '../support.ts'
import { eventually, until } from '../../support/wait.ts'
import { seededBytes } from '../../support/seed.ts'

const whoRoute = defineRoute({
  method: 'GET',
  path: '/who',
  scope: 'tools',
  summary: 'Says who asks',
  handle: async ({ client, scopes }) => ({ kind: 'json', body: { client, scopes } }),
})

/** A server with a door, and a machine that it knows. */
async function openDoor({
  limits = {},
  isOnlyAccess = false,
}: {
  limits?: Partial<Limits>
  isOnlyAccess?: boolean
}) {
  const folder = await tempFolder()
  const [own, known] = [await openIdentity(`${folder}/own`), await openIdentity(`${folder}/known`)]
  const peers: PeerAccess = {
    tls: tlsOptionsOf(own),
    isOnlyAccess,
    who: async (socket) => (idOfPeer(socket) === known.id ? { id: known.id, name: 'laptop' } : undefined),
  }
  const server = await openTestServer([whoRoute], { peers, limits })
  const keys = { key: known.key, cert: known.certificate }
  return { ...server, known, connect: (options: ConnectionOptions = keys) => tlsClient(server.port, options) }
}

function tlsClient(port: number, options: ConnectionOptions) {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
  onTestFinished(() => void socket.destroy())
  return heardBy(socket.on('error', () => {}))
}

function heardBy(socket: TLSSocket) {
  let text = ''
  socket.on('data', (data: Buffer) => (text += data.toString()))
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return { socket, read: () => text, closed }
}

const ASK = 'GET /who HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n'

test('a key says who it is; the same port takes a token in the clear', async () => {
  const { ask, connect, known, logged } = await openDoor({})

  const peer = connect()
  peer.socket.write(`${ASK}\r\n`)
  await peer.closed
  const reply = await ask({ path: '/who', headers: { host: 'localhost' } })

  expect(peer.read()).toContain(`{"client":"peer/${known.id}","scopes":["tools"]}`)
  expect(reply.json()).toEqual({ client: 'tester', scopes: ['read', 'chat', 'tools', 'approve', 'admin'] })
  expect(logged()).toContain(`laptop (${known.id.slice(0, 8)})`)
})

test('names and origins are no concern where a key was shown', async () => {
  const { connect } = await openDoor({})
  const peer = connect()

  peer.socket.write(
    'GET /who HTTP/1.1\r\nhost: elsewhere\r\norigin: http://evil\r\nconnection: close\r\n\r\n',
  )
  await peer.closed

  expect(peer.read()).toMatch(/^HTTP\/1\.1 200 /)
})

test('a request that comes byte by byte is one', async () => {
  const { port, token } = await openDoor({})
  const { socket, read, closed } = await rawClient(port)

  for (const letter of `${ASK}authorization: Bearer ${token}\r\n\r\n`) {
    socket.write(letter)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await closed

  expect(read()).toMatch(/^HTTP\/1\.1 200 .*"client":"tester"/s)
})

test('a large body that comes with its head is read whole', async () => {
  const { ask } = await openDoor({})

  const { status } = await ask({
    method: 'POST',
    path: '/who',
    body: JSON.stringify({ text: 'x'.repeat(500_000) }),
  })

  expect(status).toBe(405)
})

describe('a connection ends', () => {
  test('that stays silent, or begins with TLS and says no more', async () => {
    const { port } = await openDoor({ limits: { headersMs: 60 } })
    const [silent, begun] = [await rawClient(port), await rawClient(port)]

    begun.socket.write(Buffer.from([0x16, 0x03, 0x01]))
    await Promise.all([silent.closed, begun.closed])

    expect(silent.read()).toBe('')
  })

  test('that showed its key and says no more', async () => {
    const { connect } = await openDoor({ limits: { headersMs: 60, checkEveryMs: 20 } })
    const peer = connect()

    await peer.closed

    expect(peer.read()).toBe('')
  })

  test('that shows a key and then speaks no HTTP, without a word', async () => {
    const { connect, audit } = await openDoor({})
    const peer = connect()

    peer.socket.write('nonsense\r\n\r\n')
    await peer.closed

    expect(peer.read()).toBe('')
    expect(audit).toEqual([])
  })

  test('in the clear where keys are the only way', async () => {
    const { port, token, connect } = await openDoor({ isOnlyAccess: true })
    const plain = await rawClient(port)
    const peer = connect()

    plain.socket.write(`${ASK}authorization: Bearer ${token}\r\n\r\n`)
    peer.socket.write(`${ASK}\r\n`)
    await Promise.all([plain.closed, peer.closed])

    expect([plain.read(), peer.read().slice(0, 12)]).toEqual(['', 'HTTP/1.1 200'])
  })

  test('when the server does, wherever it was', async () => {
    const { port, server, connect } = await openDoor({ limits: { closeMs: 10 } })
    const [silent, begun, idle] = [await rawClient(port), await rawClient(port), connect()]
    begun.socket.write(Buffer.from([0x16, 0x03, 0x01]))
    idle.socket.write('GET /who HTTP/1.1\r\nhost: covey\r\n\r\n')
    await until(() => idle.read() !== '')

    await server.close()

    await Promise.all([silent.closed, begun.closed, idle.closed])
  })

  test('that is broken off before it said anything, and leaves nothing behind', async () => {
    const { port, ask } = await openDoor({})
    for (const how of ['end', 'resetAndDestroy'] as const) {
      const { socket, closed } = await rawClient(port)
      socket[how]()
      await closed
    }

    expect((await ask({ path: '/who' })).status).toBe(200)
  })
})

test('whatever a connection begins with, the server answers the next one', async () => {
  const { port, ask } = await openDoor({ limits: { headersMs: 200 } })
  const tlsLike = fc
    .uint8Array({ minLength: 1, maxLength: 200 })
    .map((bytes) => Buffer.from([0x16, ...bytes]))
  const begins = fc.sample(fc.oneof(tlsLike, fc.uint8Array({ minLength: 1, maxLength: 200 })), 60)

  await Promise.all(
    [...begins, seededBytes(100_000)].map(async (bytes) => {
      const { socket, closed, read } = await rawClient(port)
      socket.end(bytes)
      await closed
      expect(read()).not.toContain('HTTP/1.1 200')
    }),
  )

  // A busy machine may be late even with this one.
  await eventually(async () => expect((await ask({ path: '/who' })).status).toBe(200))
})
