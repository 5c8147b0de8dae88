/** Paired machines on loopback with real TLS: who is here, what they answer, and how they fail. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { lanFiles, openLan } from '../../../src/federation/lan/open.ts'
import { AppError } from '../../../src/protocol/error.ts'
import type { ModelEvent } from '../../../src/protocol/model.ts'
import { fails, scriptedModel } from '../../../src/provider/scripted.ts'
import {
  hear,
  invite,
  joinWith,
  NEVER,
  pairUp,
  questionOf,
  saying,
  startMachine,
  type TestMachine,
  quick,
  tempFolder,
} from '../machines.ts'
import { until } from '../../support/wait.ts'

const only = (machine: TestMachine) => {
  const [found] = machine.lan.machines()
  if (!found) throw new Error('it knows no machine')
  return found
}

describe('two paired machines', () => {
  test('know how the other is', async () => {
    const one = await startMachine({ report: { waiting: 3, running: 1, freeMemory: 5 } })
    const other = await startMachine()

    await pairUp(one, other)

    expect(only(other).state()).toMatchObject({
      state: 'here',
      report: { waiting: 3, running: 1, freeMemory: 5, models: [{ id: 'm' }] },
    })
    expect(only(one).state().state).toBe('here')
    expect([only(other).id, only(one).id]).toEqual([one.lan.id, other.lan.id])
  })

  test('answer each other as a model does, without the names of the session', async () => {
    const events: ModelEvent[] = [
      { type: 'reasoning-delta', text: 'hm' },
      { type: 'text-delta', text: 'é\n"' },
      { type: 'tool-call', call: { id: 'c', name: 'read_file', input: '{"path":"a"}' } },
      { type: 'usage', usage: { prompt: 3, completion: 2 } },
      { type: 'finish', reason: 'tool-calls', confidence: 0.5 },
    ]
    const one = await startMachine({
      async *answer() {
        yield* events
      },
    })
    const other = await startMachine()
    await pairUp(one, other)

    const heard = await hear(only(other).model('m'), questionOf('hi', { task: 'secret task', seed: 7 }))

    expect(heard).toEqual(events)
    expect(one.asked).toMatchObject([{ messages: [{ role: 'user', text: 'hi' }], seed: 7 }])
    expect(JSON.stringify(one.asked)).not.toMatch(/secret task|"run"|"session"/)
  })

  test('what is cancelled here ends there', async () => {
    let ended = false
    const one = await startMachine({
      async *answer(_model, _request, signal) {
        yield { type: 'text-delta', text: 'a' }
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
        ended = true
      },
    })
    const other = await startMachine()
    await pairUp(one, other)
    const cancel = new AbortController()

    const heard: ModelEvent[] = []
    for await (const event of only(other).model('m').stream(questionOf('hi'), cancel.signal)) {
      heard.push(event)
      cancel.abort()
    }
    await until(() => ended)

    expect(heard).toEqual([{ type: 'text-delta', text: 'a' }])
  })

  test('who is asked too slowly is waited for as long as it says that it works', async () => {
    const one = await startMachine({
      timing: { beatMs: 20 },
      async *answer() {
        await new Promise((resolve) => setTimeout(resolve, 400))
        yield* saying('late')
      },
    })
    const other = await startMachine({ timing: { stallMs: 150 } })
    await pairUp(one, other)

    const heard = await hear(only(other).model('m'))

    expect(heard[0]).toEqual({ type: 'text-delta', text: 'late' })
  })

  test('who falls silent did not answer', async () => {
    const one = await startMachine({
      timing: { beatMs: 60_000 },
      async *answer(_model, _request, signal) {
        yield { type: 'text-delta', text: 'a' }
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      },
    })
    const other = await startMachine({ timing: { stallMs: 200 } })
    await pairUp(one, other)

    const heard = hear(only(other).model('m'))

    await expect(heard).rejects.toMatchObject({
      code: 'model-unavailable',
      message: 'same: it has said nothing for 200 ms',
    })
  })

  test.each([
    ['request-invalid', 'model-unavailable'],
    ['credential', 'model-unavailable'],
    ['rate-limited', 'rate-limited'],
    ['context-overflow', 'context-overflow'],
  ] as const)('%s there is %s here', async (code, told) => {
    const model = scriptedModel([fails(new AppError(code, 'no', { window: 4096 }))])
    const one = await startMachine({ answer: (_model, request, signal) => model.stream(request, signal) })
    const other = await startMachine()
    await pairUp(one, other)

    await expect(hear(only(other).model('m'))).rejects.toMatchObject({ code: told })
  })
})

describe('a machine that ends', () => {
  test('is gone after a while, and here again when it is back', async () => {
    const one = await startMachine()
    const other = await startMachine()
    await pairUp(one, other)

    await one.lan.close()
    await until(() => only(other).state().state === 'gone')
    const gone = only(other).state()
    const back = await openLan({ dataFolder: one.folder, name: 'same', discover: false })
    await back.listen(
      { host: '127.0.0.1', port: one.port },
      {
        report: () => ({ name: 'same', waiting: 0, running: 0, freeMemory: 0, models: [] }),
        answer: () => saying('back'),
      },
    )
    await until(() => only(other).state().state === 'here')
    await back.close()

    expect(gone).toMatchObject({ why: expect.stringMatching(/^not heard for \d+ s: .*ECONNREFUSED/) })
  })

  test('in the middle of an answer is one that did not answer', async () => {
    let isAsked = false
    const one = await startMachine({
      async *answer(_model, _request, signal) {
        isAsked = true
        yield { type: 'text-delta', text: 'a' }
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      },
    })
    const other = await startMachine()
    await pairUp(one, other)

    const heard = hear(only(other).model('m'))
    void until(() => isAsked).then(() => one.lan.close())

    await expect(heard).rejects.toMatchObject({ code: 'model-unavailable' })
  })
})

describe('five machines with one name', () => {
  test('are five peers, each known by its key', async () => {
    const hub = await startMachine({ name: 'laptop' })
    const others = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        startMachine({ name: 'laptop', answer: () => saying(`number ${index}`) }),
      ),
    )
    for (const other of others) await pairUp(other, hub)

    const machines = hub.lan.machines()
    const said = await Promise.all(machines.map((machine) => hear(machine.model('m'))))

    expect(new Set(machines.map(({ id }) => id))).toEqual(new Set(others.map(({ lan }) => lan.id)))
    expect(machines.every((machine) => machine.state().state === 'here')).toBe(true)
    expect(said.map(([first]) => first)).toEqual(
      machines.map(({ id }) => ({
        type: 'text-delta',
        text: `number ${others.findIndex(({ lan }) => lan.id === id)}`,
      })),
    )
  })
})

test('a machine whose models have names that a terminal would obey is not believed', async () => {
  const model = { id: 'm\u001b[2J', window: 8_192, vision: false }
  const one = await startMachine({ report: { models: [model] } })
  const other = await startMachine()
  await joinWith(other, await invite(one))

  await other.lan.look()

  expect(only(other).state()).toMatchObject({ state: 'gone' })
})

describe('what a peer may do', () => {
  test('is looked up for every request', async () => {
    const one = await startMachine()
    const other = await startMachine()
    await pairUp(one, other)

    await one.files.book.setScopes(other.lan.id, ['status'])
    const asked = hear(only(other).model('m'))

    await expect(asked).rejects.toMatchObject({
      code: 'model-unavailable',
      message: expect.stringContaining('does not let this machine ask'),
    })
    await other.lan.look()
    expect(only(other).state().state).toBe('here')
  })

  test('ends when it is removed: the next look says so', async () => {
    const one = await startMachine()
    const other = await startMachine()
    await pairUp(one, other)

    await one.files.book.remove(other.lan.id)
    await other.lan.look()

    expect(only(other).state()).toEqual({
      state: 'gone',
      why: 'it no longer knows this machine; pair them again',
    })
    await expect(hear(only(other).model('m'), questionOf('x'), NEVER)).rejects.toMatchObject({
      code: 'model-unavailable',
    })
  })
})

test('a machine that is given by its address is found, and so is the one who gave it', async () => {
  const one = await startMachine()
  const other = await startMachine()
  await pairUp(one, other)
  await other.lan.close()
  // Neither knows any longer where the other was.
  for (const [machine, peer] of [
    [one, other],
    [other, one],
  ] as const) {
    await machine.files.book.remove(peer.lan.id)
    await machine.files.book.add({ id: peer.lan.id, name: 'same', addresses: [] })
  }
  const back = await openLan({
    dataFolder: other.folder,
    name: 'same',
    peers: [one.address],
    discover: false,
  })
  await back.listen(
    { host: '127.0.0.1', port: 0 },
    {
      report: () => ({ name: 'same', waiting: 0, running: 0, freeMemory: 0, models: [] }),
      answer: () => saying(''),
    },
  )
  await one.lan.look()

  await back.look()
  await until(() => one.lan.machines()[0]?.state().state === 'here')

  expect(back.machines()[0]?.state().state).toBe('here')
  await back.close()
})

/** A port that leads to another one, with everything so much later. */
async function slowWire(port: number, latencyMs: () => number): Promise<number> {
  const server = createServer((near) => {
    const far = connect({ port, host: '127.0.0.1' })
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (data) => setTimeout(() => to.writable && to.write(data), latencyMs()))
      from.on('close', () => setTimeout(() => to.destroy(), latencyMs()))
      from.on('error', () => {})
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

describe('a wire with latency', () => {
  test('of a part of the patience is no trouble; beyond it the machine is not waited for', async () => {
    let latencyMs = 30
    const slow = await startMachine()
    const through = await slowWire(slow.port, () => latencyMs)
    const dataFolder = await tempFolder()
    const { book } = lanFiles(dataFolder)
    const timing = { ...quick, dialMs: 800, stallMs: 1_500 }
    // It does not listen: the slow one could tell it a better way otherwise.
    const asker = await openLan({ dataFolder, name: 'asker', discover: false, timing })
    onTestFinished(() => asker.close())
    await slow.files.book.add({ id: asker.id, name: 'asker', addresses: [] })
    await book.add({ id: slow.lan.id, name: 'slow', addresses: [`127.0.0.1:${through}`] })
    await asker.look()
    const [machine] = asker.machines()
    if (!machine) throw new Error('it knows no machine')

    const near = await hear(machine.model('m'))
    latencyMs = 5_000
    const far = hear(machine.model('m'))

    expect(near.at(-1)).toEqual({ type: 'finish', reason: 'stop' })
    await expect(far).rejects.toMatchObject({ code: 'model-unavailable' })
  })
})
