import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { groupOf } from '../../../src/server/http/connections.ts'
import { openTestServer, testRoutes } from '../support.ts'
import { eventually } from '../../support/wait.ts'

const limits = { headersMs: 100, requestMs: 300, checkEveryMs: 20 }

async function dial(port: number, text = ''): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  if (text) socket.write(text)
  return socket
}

/** Until the server is rid of it: with our side kept open, only a reset or a close of both tells. */
async function isDropped(socket: Socket): Promise<void> {
  socket.resume()
  while (!socket.destroyed) {
    // A connection that is gone answers a byte with a reset.
    if (socket.readableEnded) socket.write('x')
    await delay(10)
  }
}

const POST = 'POST /echo HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\n'

describe('a client that keeps its own side open is hung up on', () => {
  test.each([
    ['sends nothing', ''],
    ['sends half a line', 'GET /ec'],
    ['sends half a head', 'GET /echo HTTP/1.1\r\nHost: localhost\r\n'],
    ['sends something else', '\u0016\u0003\u0001 no http at all\r\n\r\n'],
    ['sends half a body without a token', `${POST}content-length: 100\r\n\r\n{"a":`],
    ['asks once and stays', 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ])('when it %s', async (_, text) => {
    const { port, ask } = await openTestServer(testRoutes(), { limits })
    const socket = await dial(port, text)

    await isDropped(socket)

    // The limits of this test are so short that a busy machine may be late with an honest request, too.
    await eventually(async () => expect((await ask()).status).toBe(200))
  })

  test('when it sends half a body with a token', async () => {
    const { port, token } = await openTestServer(testRoutes(), { limits })
    const socket = await dial(
      port,
      `${POST}authorization: Bearer ${token}\r\ncontent-length: 100\r\n\r\n{"a":`,
    )

    await isDropped(socket)

    expect(socket.destroyed).toBe(true)
  })

  test('when it asks again and again and reads nothing', async () => {
    const { port } = await openTestServer(testRoutes(), { limits })
    const socket = await dial(port)
    socket.pause()
    const request = 'GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(200)
    const flood = setInterval(() => socket.writable && socket.write(request), 1)
    onTestFinished(() => clearInterval(flood))

    await new Promise((resolve) => socket.once('close', resolve))

    expect(socket.destroyed).toBe(true)
  })
})

test('of one address only some may wait, and the oldest go first', async () => {
  const patient = { headersMs: 60_000, requestMs: 60_000, checkEveryMs: 20, waitingPerAddress: 5 }
  const { port, ask, audit } = await openTestServer(testRoutes(), { limits: patient })
  const sockets: Socket[] = []
  for (let index = 0; index < 12; index++) sockets.push(await dial(port, 'GET /ec'))

  await Promise.all(sockets.slice(0, 7).map(isDropped))

  expect(sockets.slice(7).map(({ destroyed }) => destroyed)).toEqual(Array.from({ length: 5 }, () => false))
  expect((await ask()).status).toBe(200)
  expect(audit.every(({ client, why }) => client === '127.0.0.1' && why.includes('too many'))).toBe(true)
})

test('all places taken by connections without a request are free again by themselves', async () => {
  const few = {
    headersMs: 60_000,
    requestMs: 60_000,
    checkEveryMs: 20,
    waitingPerAddress: 2,
    connections: 10,
  }
  const { port, ask } = await openTestServer(testRoutes(), { limits: few })
  await Promise.all(Array.from({ length: 20 }, () => dial(port).catch(() => undefined)))

  const reply = await (async () => {
    for (;;) {
      const answered = await ask().catch(() => undefined)
      if (answered) return answered
      await delay(20)
    }
  })()

  expect(reply.status).toBe(200)
})

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:10.0.0.7', '10.0.0.7'],
  ['::1', '::1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s counts as %s', (remoteAddress, group) => {
  expect(groupOf({ remoteAddress })).toBe(group)
})
