import { setTimeout as pause } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { NatsOptions } from '../../../src/federation/nats/open.ts'
import { openNatsPatiently } from '../../../src/federation/nats/patient.ts'
import type { Offer } from '../../../src/federation/machine.ts'
import { NEVER, questionOf } from '../machines.ts'
import {
  asked,
  collect,
  dial,
  echo,
  failure,
  fast,
  machineOf,
  missing,
  named,
  newIdentity,
  newServer,
  offerOf,
  open,
  type RealServer,
  silent,
  textOf,
} from './server.ts'
import { eventually, until } from '../../support/wait.ts'

/** One machine that asks and others that answer, all of whom trust each other. */
async function flock(
  server: RealServer,
  offers: Readonly<Record<string, Offer>>,
  more: Partial<NatsOptions> = {},
) {
  const asker = newIdentity()
  const workers = Object.entries(offers).map(([name, offer]) => ({ name, offer, identity: newIdentity() }))
  const trusted = [asker, ...workers.map(({ identity }) => identity)].map(({ id }) => id)
  const common = { server: { url: server.url }, trusted, ...more }
  for (const { name, offer, identity } of workers) await open({ ...common, node: { name, identity }, offer })
  const transport = await open({ ...common, node: { name: 'laptop', identity: asker } })
  return { transport, asker, workers, trusted }
}

describe.skipIf(missing !== undefined)(named('through a NATS server'), () => {
  test('a machine without any open port is found, and answers', async () => {
    const listeners = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap').length
    const server = await newServer()
    const before = listeners()
    const { transport, workers } = await flock(server, { tower: offerOf(echo) })

    const events = await collect(machineOf(transport, 'tower').model('small'), 'one two three')

    expect(listeners()).toBe(before)
    expect(transport.machines().map(({ id, name, via }) => ({ id, name, via }))).toEqual([
      { id: workers[0]!.identity.id, name: 'tower', via: 'nats' },
    ])
    expect(machineOf(transport, 'tower').state()).toMatchObject({
      state: 'here',
      report: { name: 'tower', models: [{ id: 'small' }] },
    })
    expect(events).toEqual([
      { type: 'text-delta', text: 'one ' },
      { type: 'text-delta', text: 'two ' },
      { type: 'text-delta', text: 'three' },
      { type: 'usage', usage: { prompt: 1, completion: 1 } },
      { type: 'finish', reason: 'stop' },
    ])
  })

  test('words come while the answer is still being written', async () => {
    let goOn = () => {}
    const wait = new Promise<void>((resolve) => (goOn = resolve))
    const slow = offerOf(async function* () {
      yield { type: 'text-delta', text: 'first' }
      await wait
      yield { type: 'finish', reason: 'stop' }
    })
    const { transport } = await flock(await newServer(), { tower: slow })

    const events = machineOf(transport, 'tower').model('small').stream(questionOf('x'), NEVER)
    const reading = events[Symbol.asyncIterator]()
    const first = await reading.next()
    goOn()
    const second = await reading.next()

    expect([first.value, second.value]).toEqual([
      { type: 'text-delta', text: 'first' },
      { type: 'finish', reason: 'stop' },
    ])
    expect((await reading.next()).done).toBe(true)
  })

  test('an abort ends the stream here and the answer there', async () => {
    const stopped = vi.fn<() => void>()
    const endless = offerOf(async function* (_model, _request, signal) {
      signal.addEventListener('abort', stopped)
      while (!signal.aborted) {
        yield { type: 'text-delta', text: '.' }
        await pause(5)
      }
    })
    const { transport } = await flock(await newServer(), { tower: endless })
    const control = new AbortController()

    for await (const _event of machineOf(transport, 'tower')
      .model('small')
      .stream(questionOf('x'), control.signal)) {
      control.abort()
    }

    await eventually(() => expect(stopped).toHaveBeenCalledOnce())
  })

  test('two machines answer at the same time, each what it was asked', async () => {
    const says = (name: string) =>
      offerOf(async function* (model, request) {
        yield { type: 'text-delta', text: `${name} ${model} ${asked(request)}` }
        yield { type: 'finish', reason: 'stop' }
      })
    const { transport } = await flock(await newServer(), { tower: says('tower'), attic: says('attic') })

    const answers = await Promise.all(
      ['tower', 'attic', 'tower'].map((name, index) =>
        collect(machineOf(transport, name).model('small'), `job ${index}`),
      ),
    )

    expect(answers.map(textOf)).toEqual(['tower small job 0', 'attic small job 1', 'tower small job 2'])
  })

  test('the first free machine takes a job from the queue, and each job is answered once', async () => {
    const took: string[] = []
    const worker = (name: string) =>
      offerOf(async function* (_model, request) {
        took.push(asked(request))
        await pause(20)
        yield { type: 'text-delta', text: name }
        yield { type: 'finish', reason: 'stop' }
      })
    const { transport } = await flock(await newServer(), { tower: worker('tower'), attic: worker('attic') })

    const texts = await Promise.all(
      Array.from({ length: 10 }, async (_, job) =>
        textOf(await collect(transport.anyone('small'), `${job}`)),
      ),
    )

    expect(took.toSorted()).toEqual(Array.from({ length: 10 }, (_, job) => `${job}`))
    expect(new Set(texts)).toEqual(new Set(['tower', 'attic']))
    expect(await failure(collect(transport.anyone('huge'), 'x'))).toEqual({
      code: 'model-unavailable',
      message: 'no machine on the NATS server has huge right now.',
    })
  })

  test('an answer that takes longer than the server waits for a sign is made once', async () => {
    const ran = vi.fn<() => void>()
    const slow = offerOf(async function* (_model, request) {
      ran()
      await pause(1_200)
      yield { type: 'text-delta', text: asked(request) }
      yield { type: 'finish', reason: 'stop' }
    })
    const intervals = { ...fast, ackWaitMs: 300 }
    const { transport } = await flock(await newServer(), { tower: slow }, { intervals })

    const events = await collect(machineOf(transport, 'tower').model('small'), 'slowly')

    expect(textOf(events)).toBe('slowly')
    expect(ran).toHaveBeenCalledOnce()
  })

  test('a failure over there is a failure here, with its code', async () => {
    const broken = offerOf(async function* () {
      yield { type: 'text-delta', text: 'so far' }
      throw Object.assign(new Error('disk on fire'))
    })
    const { transport } = await flock(await newServer(), { tower: broken })

    expect(await failure(collect(machineOf(transport, 'tower').model('small'), 'x'))).toEqual({
      code: 'model-unavailable',
      message: 'tower: it failed at its own end',
    })
  })

  test('a body that is too large for a message goes through the object store and is removed', async () => {
    const server = await newServer()
    const { transport } = await flock(server, { tower: offerOf(echo) }, { maxInline: 1_000 })
    const long = 'word '.repeat(300_000)

    const events = await collect(machineOf(transport, 'tower').model('small'), long.replaceAll(' ', '_'))

    expect(textOf(events)).toBe(long.replaceAll(' ', '_'))
    const jsm = await jetstreamManager(await dial(server.url))
    await eventually(async () => {
      const { state } = await jsm.streams.info('OBJ_covey_bodies', { subjects_filter: '$O.covey_bodies.C.>' })
      expect(state.subjects ?? {}).toEqual({})
    })
  })

  test('a machine that leaves is gone at once', async () => {
    const server = await newServer()
    const [laptop, guest] = [newIdentity(), newIdentity()]
    const common = { server: { url: server.url }, trusted: [laptop.id, guest.id] }
    const leaving = await open({ ...common, node: { name: 'guest', identity: guest }, offer: offerOf(echo) })
    const transport = await open({ ...common, node: { name: 'laptop', identity: laptop } })
    const known = machineOf(transport, 'guest')

    await leaving.close()

    await eventually(() => expect(transport.machines()).toEqual([]))
    expect(known.state()).toEqual({ state: 'gone', why: 'it has left' })
    expect(await failure(collect(known.model('small'), 'x'))).toMatchObject({ code: 'model-unavailable' })
  })

  test('a machine that leaves stops its answers first, and says so', async () => {
    const server = await newServer()
    const [laptop, guest] = [newIdentity(), newIdentity()]
    const common = { server: { url: server.url }, trusted: [laptop.id, guest.id] }
    const endless = offerOf(async function* (_model, _request, signal) {
      yield { type: 'text-delta', text: 'well,' }
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    })
    const leaving = await open({ ...common, node: { name: 'guest', identity: guest }, offer: endless })
    const transport = await open({ ...common, node: { name: 'laptop', identity: laptop } })

    const reading = machineOf(transport, 'guest').model('small').stream(questionOf('x'), NEVER)
    const events = reading[Symbol.asyncIterator]()
    await events.next()
    const [rest] = await Promise.all([failure(events.next()), leaving.close()])

    expect(rest).toEqual({ code: 'model-unavailable', message: 'guest: it is shutting down' })
  })

  test('an answer goes on where the server is killed and started again meanwhile', async () => {
    const server = await newServer()
    let written = 0
    const slow = offerOf(async function* (_model, request) {
      for (const letter of asked(request)) {
        yield { type: 'text-delta', text: letter }
        written++
        await pause(50)
      }
      yield { type: 'finish', reason: 'stop' }
    })
    const { transport } = await flock(server, { tower: slow })

    const answer = collect(machineOf(transport, 'tower').model('small'), 'abcdefghijklmnopqrst')
    await until(() => written > 4)
    await server.kill()
    await eventually(() => expect(machineOf(transport, 'tower').state().state).toBe('gone'))
    await server.start()
    const events = await answer

    expect(textOf(events)).toBe('abcdefghijklmnopqrst')
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'stop' })
  })

  test('a server that lost all it kept is set up again', async () => {
    const server = await newServer()
    const { transport } = await flock(server, { tower: offerOf(echo) })
    const ask = () => collect(machineOf(transport, 'tower').model('small'), 'x')
    await ask()

    await server.kill()
    await server.wipe()
    await server.start()

    await eventually(async () => expect(await ask()).toHaveLength(3))
  })

  test('machines that start before their server find each other once it is there', async () => {
    const server = await newServer()
    await server.kill()
    const [laptop, tower] = [newIdentity(), newIdentity()]
    const common = {
      server: { url: server.url },
      trusted: [laptop.id, tower.id],
      intervals: fast,
      log: silent,
    }
    const transports = await Promise.all([
      openNatsPatiently({ ...common, node: { name: 'laptop', identity: laptop } }),
      openNatsPatiently({ ...common, node: { name: 'tower', identity: tower }, offer: offerOf(echo) }),
    ])
    for (const { close } of transports) onTestFinished(close)
    const [transport] = transports
    expect(transport.machines()).toEqual([])
    expect(transport.problem()).toContain(`Cannot reach the NATS server ${server.url}`)
    expect(await failure(collect(transport.anyone('small'), 'x'))).toMatchObject({
      code: 'model-unavailable',
    })

    await server.start()

    await eventually(() => expect(machineOf(transport, 'tower').state().state).toBe('here'))
    expect(transport.problem()).toBeUndefined()
    expect(textOf(await collect(machineOf(transport, 'tower').model('small'), 'at last'))).toBe('at last')
  })

  test('a job without a waiting caller is not run', async () => {
    const ran: string[] = []
    let goOn = () => {}
    const held = new Promise<void>((resolve) => (goOn = resolve))
    const busy = offerOf(async function* (_model, request) {
      ran.push(asked(request))
      await held
      yield { type: 'finish', reason: 'stop' }
    })
    const server = await newServer()
    const [patient, hasty, tower] = [newIdentity(), newIdentity(), newIdentity()]
    const common = { server: { url: server.url }, trusted: [patient.id, hasty.id, tower.id] }
    await open({ ...common, node: { name: 'tower', identity: tower }, offer: busy, lanes: 1 })
    const laptop = await open({ ...common, node: { name: 'laptop', identity: patient } })
    const phone = await open({
      ...common,
      node: { name: 'phone', identity: hasty },
      intervals: { ...fast, deadlineMs: 1_000 },
    })

    const first = collect(machineOf(laptop, 'tower').model('small'), 'first')
    await until(() => ran.length === 1)
    const given = await failure(collect(machineOf(phone, 'tower').model('small'), 'second'))
    const third = collect(machineOf(laptop, 'tower').model('small'), 'third')
    goOn()
    await Promise.all([first, third])

    expect(given).toEqual({ code: 'model-unavailable', message: 'tower gave no answer within 1 s.' })
    expect(ran).toEqual(['first', 'third'])
  })
})
