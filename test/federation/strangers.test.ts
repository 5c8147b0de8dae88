/** Machines that are not what they should be: unpaired ones, those that send nonsense, and paired ones that lie. */
import { IncomingMessage, ServerResponse } from 'node:http'
import { connect as connectTcp, Socket } from 'node:net'
import { connect as connectTls, TLSSocket } from 'node:tls'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createPeerHandler } from '../../src/federation/handler.ts'
import { ask, askJson, dial } from '../../src/federation/dial.ts'
import type { Identity } from '../../src/federation/identity.ts'
import { lanFiles } from '../../src/federation/lan/open.ts'
import { type PeerRequest, openListener, sendJson } from '../../src/federation/listener.ts'
import { readText } from '../../src/federation/messages.ts'
import { hear, NEVER, pairUp, quick, startMachine, tempFolder, type TestMachine } from './machines.ts'
import { generateBody, inParallel, wrongBody } from './wrong-requests.ts'

const send = async (to: TestMachine, identity: Identity, path: string, body: unknown) =>
  askJson(
    await dial({ identity, address: to.address, expected: to.lan.id, timeoutMs: 5_000 }, NEVER),
    { path, body },
    5_000,
  )

describe('an unpaired machine', () => {
  test.each([
    ['/report', { version: 1 }],
    ['/generate', generateBody],
    ['/', {}],
    ['/version', {}],
    ['/__proto__', {}],
    ['/pair', { version: 1, tag: '0'.repeat(16), name: 'x', proof: '0'.repeat(64) }],
  ])('gets nothing but a version at %s', async (path, body) => {
    const machine = await startMachine()
    const stranger = await lanFiles(await tempFolder()).identity()

    const answered = await send(machine, stranger, path, body)

    expect(answered).toEqual({ status: 403, body: { version: 1 } })
    expect(machine.asked).toEqual([])
  })

  test.each([
    ['with a host', 'host: x\r\n'],
    ['without one', ''],
    ['that waits for "continue"', 'host: x\r\nexpect: 100-continue\r\n'],
    ['that expects the impossible', 'host: x\r\nexpect: the-moon\r\n'],
  ])('without a certificate gets the same, in a request %s', async (_what, headers) => {
    const machine = await startMachine()

    const text = await new Promise<string>((resolve, reject) => {
      const socket = connectTls({ port: machine.port, host: '127.0.0.1', rejectUnauthorized: false })
      let said = ''
      socket.on('data', (data: Buffer) => (said += data.toString()))
      socket.on('close', () => resolve(said))
      socket.on('error', reject)
      socket.write(`POST /report HTTP/1.1\r\n${headers}content-length: 0\r\n\r\n`)
    })

    expect(text.split('\r\n')).toEqual([
      'HTTP/1.1 403 Forbidden',
      'connection: close',
      'content-type: application/json',
      'content-length: 13',
      '',
      '{"version":1}',
    ])
  })

  test.each(['TLSv1.2'] as const)('that offers only %s is not talked to', async (version) => {
    const machine = await startMachine()
    const { key, certificate } = await lanFiles(await tempFolder()).identity()

    const failed = await new Promise<boolean>((resolve) => {
      const options = { port: machine.port, host: '127.0.0.1', key, cert: certificate, maxVersion: version }
      const socket = connectTls({ ...options, rejectUnauthorized: false }, () => resolve(false))
      socket.on('error', () => resolve(true))
    })

    expect(failed).toBe(true)
  })

  test('cannot resume a session of a paired one', async () => {
    const [machine, peer] = [await startMachine(), await startMachine()]
    await pairUp(machine, peer)
    const { key, certificate } = await peer.files.identity()
    const place = { port: machine.port, host: '127.0.0.1', rejectUnauthorized: false }

    const session = await new Promise<Buffer | undefined>((resolve) => {
      const socket = connectTls({ ...place, key, cert: certificate })
      socket.on('session', (data: Buffer) => resolve(data))
      socket.on('close', () => resolve(undefined))
      socket.write('POST /report HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n')
    })
    const reused = await new Promise<boolean>((resolve) => {
      const socket = connectTls({ ...place, ...(session && { session }) }, () => {
        resolve(socket.isSessionReused())
        socket.destroy()
      })
    })

    expect(reused).toBe(false)
  })
})

describe('what is sent to a listener', () => {
  test('a thousand requests of a peer that are not quite right: none is accepted', async () => {
    const [machine, peer] = [await startMachine(), await startMachine()]
    await pairUp(machine, peer)
    const handler = createPeerHandler({
      ...machine.files,
      identity: await machine.files.identity(),
      name: 'studio',
      offer: {
        report: () => expect.unreachable(),
        answer: () => expect.unreachable(),
      },
      timing: quick,
      heard: () => expect.unreachable(),
    })

    for (const [path, body] of fc.sample(wrongBody, 1_000)) {
      const response = new ServerResponse(new IncomingMessage(new Socket()))
      const text = JSON.stringify(body)
      const isHeard = (await handler.allowance(peer.lan.id, path)) >= text.length
      const incoming = { peer: peer.lan.id, path, body: readText(text), response, signal: NEVER }
      if (isHeard) await handler.handle({ ...incoming, socket: new TLSSocket(new Socket()) })
      expect([400, 403, 409, 429]).toContain(isHeard ? response.statusCode : 403)
    }
  })

  test('some of them over a real connection: it still answers', async () => {
    const [machine, peer] = [await startMachine(), await startMachine()]
    await pairUp(machine, peer)
    const identity = await peer.files.identity()
    const wrong = fc.sample(wrongBody, 60)
    const statuses = new Map<number, number>()

    await inParallel(wrong, 16, async ([path, body]) => {
      const { status } = await send(machine, identity, path, body)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    })
    const after = await hear((peer.lan.machines()[0] as NonNullable<ReturnType<Lookup>>).model('m'))

    expect([...statuses.keys()].every((status) => [400, 403, 409, 429].includes(status))).toBe(true)
    expect(machine.asked).toHaveLength(1)
    expect(after.at(-1)).toEqual({ type: 'finish', reason: 'stop' })
  })

  test('no HTTP, a huge head, a huge body: the connection ends', async () => {
    const [machine, peer] = [await startMachine(), await startMachine()]
    await pairUp(machine, peer)
    const { key, certificate } = await peer.files.identity()
    const garbage = [
      'nonsense\r\n\r\n',
      `POST /report HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`,
      `POST /report HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\n${'a'.repeat(100_000)}`,
      'POST /report HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n',
    ]

    const ended = await Promise.all(
      garbage.map(
        (text) =>
          new Promise<string>((resolve) => {
            const options = { port: machine.port, host: '127.0.0.1', key, cert: certificate }
            const socket = connectTls({ ...options, rejectUnauthorized: false })
            let said = ''
            socket.on('data', (data: Buffer) => (said += data.toString()))
            socket.on('error', () => {})
            socket.on('close', () => resolve(said))
            socket.write(text)
          }),
      ),
    )

    expect(ended.some((text) => text.startsWith('HTTP/1.1 200'))).toBe(false)
    await peer.lan.look()
    expect(peer.lan.machines()[0]?.state().state).toBe('here')
  })

  test('who only opens a connection is left after a while', async () => {
    const machine = await startMachine({ timing: { dialMs: 100 } })

    await endOf(connectTcp({ port: machine.port, host: '127.0.0.1' }))
  })

  test.each(['', 'POST /report HTTP/1.1\r\nhost: x'])('so is who says no more than %j', async (half) => {
    const machine = await startMachine({ timing: { answerMs: 100 } })
    const socket = connectTls({ port: machine.port, host: '127.0.0.1', rejectUnauthorized: false })

    socket.write(half)

    await endOf(socket)
  })
})

const endOf = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })

type Lookup = () => ReturnType<TestMachine['lan']['machines']>[number]

describe('a paired machine that lies', () => {
  const finish = '{"event":{"type":"finish","reason":"stop"}}\n'

  test.each([
    ['no JSON', 'hello\n'],
    ['an event that there is not', '{"event":{"type":"delete-everything"}}\n'],
    ['an event with the wrong fields', '{"event":{"type":"text-delta","text":7}}\n'],
    ['a vote of its own', '{"event":{"type":"vote","stage":"start","why":"","workers":[]}}\n'],
    ['nothing at all', ''],
    ['only that it lives', '{"beat":true}\n'],
    ['half a line', '{"event":{"type":"text-de'],
    ['more after its end', `${finish}{"event":{"type":"text-delta","text":"more"}}\n`],
    ['something very deep', `${'['.repeat(5_000)}\n`],
    ['a failure that there is not', '{"failure":{"code":"explode","message":"x"}}\n'],
    ['a failure about the request', '{"failure":{"code":"request-invalid","message":"x"}}\n'],
  ])('by %s did not answer', async (_what, said) => {
    const { honest } = await paired(({ response }) => void response.writeHead(200).end(said))

    await expect(hear(only(honest).model('m'))).rejects.toMatchObject({ code: 'model-unavailable' })
  })

  test('by a line that never ends is stopped', async () => {
    const { honest } = await paired(({ response }) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write('a'.repeat(2 ** 20)));
      }
      response.on('drain', more)
      more()
    })

    await expect(hear(only(honest).model('m'))).rejects.toThrow('it says too much')
  })

  test.each([
    ['another version', { version: 2, report: {} }, 'it speaks version 2, this machine 1'],
    [
      'no report',
      { version: 1, report: { name: 1 } },
      'it sent an invalid status report; update covey there and here',
    ],
    [
      'an endless number',
      { version: 1, report: { waiting: -1 } },
      'it sent an invalid status report; update covey there and here',
    ],
  ])('with %s is gone', async (_what, body, why) => {
    const { honest } = await paired(({ response }) => sendJson(response, 200, body))

    await honest.lan.look()

    expect(only(honest).state()).toEqual({ state: 'gone', why })
  })
})

const only = (machine: TestMachine) => machine.lan.machines()[0] as ReturnType<Lookup>

/** An honest machine, and a paired one that says what it likes. */
async function paired(handle: (incoming: PeerRequest) => void): Promise<{ readonly honest: TestMachine }> {
  const identity = await lanFiles(await tempFolder()).identity()
  const liar = await openListener({
    identity,
    host: '127.0.0.1',
    port: 0,
    timing: quick,
    allowance: async () => 2 ** 20,
    handle: async (incoming) => handle(incoming),
  })
  onTestFinished(() => liar.close())
  const honest = await startMachine()
  await honest.files.book.add({ id: identity.id, name: 'liar', addresses: [`127.0.0.1:${liar.port}`] })
  await honest.lan.look()
  return { honest }
}

test('a connection that was opened is not a machine that was heard', async () => {
  const [machine, peer] = [await startMachine(), await startMachine()]
  await pairUp(machine, peer)
  const identity = await peer.files.identity()
  const socket = await dial(
    { identity, address: machine.address, expected: machine.lan.id, timeoutMs: 2_000 },
    NEVER,
  )

  const response = await ask(socket, { path: '/nowhere', body: {} }, NEVER)

  expect(response.statusCode).toBe(403)
  socket.destroy()
})
