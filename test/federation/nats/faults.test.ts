/**
 * What goes wrong around a NATS server and must cost at most one answer: ends in the middle, odd servers, odd
 * machines.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { jetstreamManager } from '@nats-io/jetstream'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { lanFiles } from '../../../src/federation/lan/open.ts'
import type { Offer } from '../../../src/federation/machine.ts'
import type { NatsOptions } from '../../../src/federation/nats/open.ts'
import { openNatsPatiently } from '../../../src/federation/nats/patient.ts'
import { openNatsLink } from '../../../src/federation/link.ts'
import { AppError } from '../../../src/protocol/error.ts'
import type { ModelRequest } from '../../../src/protocol/model.ts'
import { hear, NEVER, questionOf, tempFolder } from '../machines.ts'
import {
  collect,
  dial,
  echo,
  failure,
  fast,
  machineOf,
  missing,
  named,
  newServer,
  node,
  offerOf,
  open,
  silent,
  textOf,
} from './server.ts'
import { eventually } from '../../support/wait.ts'

/** A laptop that asks and a tower that answers. */
async function pair(url: string, offer: Offer, more: Partial<NatsOptions> = {}) {
  const [laptop, tower] = [node('laptop'), node('tower')]
  const common = { server: { url }, trusted: [laptop.identity.id, tower.identity.id], ...more }
  await open({ ...common, node: tower, offer })
  const transport = await open({ ...common, node: laptop })
  return { transport, tower: machineOf(transport, 'tower').model('small') }
}

/** Says a word and waits until it is stopped. */
const endless = (onStop: () => void = () => {}): Offer =>
  offerOf(async function* (_model, _request, signal) {
    yield { type: 'text-delta', text: 'well,' }
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    onStop()
  })

const largeBodies = async (url: string): Promise<readonly string[]> => {
  const jsm = await jetstreamManager(await dial(url))
  const { state } = await jsm.streams.info('OBJ_covey_bodies', { subjects_filter: '$O.covey_bodies.C.>' })
  return Object.keys(state.subjects ?? {})
}

describe.skipIf(missing !== undefined)(named('a machine that leaves the NATS server'), () => {
  test('fails waiting callers, and cancels their answers', async () => {
    const { url } = await newServer()
    const stopped = vi.fn<() => void>()
    const { transport, tower } = await pair(url, endless(stopped))

    const events = tower.stream(questionOf('x'), NEVER)[Symbol.asyncIterator]()
    await events.next()
    const [rest] = await Promise.all([failure(events.next()), transport.close()])

    expect(rest).toEqual({
      code: 'model-unavailable',
      message: 'tower was not waited for: this machine left the NATS server.',
    })
    await eventually(() => expect(stopped).toHaveBeenCalledOnce())
  })

  test('leaves no large body behind when the caller left before it was sent', async () => {
    const { url } = await newServer()
    const { tower } = await pair(url, offerOf(echo), { maxInline: 1_000 })
    const control = new AbortController()

    const events = tower.stream(questionOf('x'.repeat(3_000_000)), control.signal)[Symbol.asyncIterator]()
    const first = events.next()
    await eventually(async () => expect(await largeBodies(url)).not.toEqual([]))
    control.abort()
    await first

    await eventually(async () => expect(await largeBodies(url)).toEqual([]))
  })
})

describe.skipIf(missing !== undefined)(named('an odd NATS server'), () => {
  test('that takes only small messages carries large ones in pieces', async () => {
    const { url } = await newServer([], 'max_payload: 16384')
    const { tower } = await pair(url, offerOf(echo))
    const long = 'x'.repeat(100_000)

    expect(textOf(await collect(tower, long))).toBe(long)
  })

  test('that is full is reported at once, and the machine is free for the next question', async () => {
    const { url } = await newServer()
    const jsm = await jetstreamManager(await dial(url))
    const subjects = ['$O.covey_bodies.C.>', '$O.covey_bodies.M.>']
    await jsm.streams.add({ name: 'OBJ_covey_bodies', subjects, max_bytes: 10_000, discard: 'new' })
    const big = offerOf((model, request) => {
      const [{ text } = { text: '' }] = request.messages
      return echo(model, questionOf(text === 'much' ? 'x'.repeat(100_000) : text))
    })
    const { tower } = await pair(url, big, { maxInline: 5_000, lanes: 1 })

    const much = await failure(collect(tower, 'much'))

    expect(much).toEqual({
      code: 'model-unavailable',
      message:
        'tower: the NATS server does not store its answer (maximum bytes exceeded); see the limits of its streams',
    })
    expect(textOf(await collect(tower, 'little'))).toBe('little')
  })

  test('that takes the connection and says nothing keeps no program from starting, nor from ending', async () => {
    const mute = createServer().listen(0, '127.0.0.1')
    await once(mute, 'listening')
    const sockets = new Set<{ destroy(): void }>()
    mute.on('connection', (socket) => sockets.add(socket))
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      mute.close()
    })
    const url = `nats://127.0.0.1:${(mute.address() as AddressInfo).port}`

    const transport = await openNatsPatiently({ server: { url }, node: node('laptop'), log: silent })
    const [problem, machines] = [transport.problem(), transport.machines()]
    await transport.close()

    expect(problem).toBe(`The NATS server ${url} is not reached yet.`)
    expect(machines).toEqual([])
  })

  test('whose address holds a password is named without it', async () => {
    const { url } = await newServer([{ name: 'tower', password: 'secret' }])
    const files = lanFiles(await tempFolder())
    const server = { url: url.replace('//', '//tower:secret@') }
    const way = await openNatsLink({ server, name: 'tower', files, intervals: fast, log: silent })
    onTestFinished(() => way.close())

    const reachable = await way.listen(offerOf(echo))

    expect([reachable?.address, way.listening()?.address]).toEqual([url, url])
  })
})

describe.skipIf(missing !== undefined)(named('an odd machine on the NATS server'), () => {
  test('that calls the request wrong is one that is not available, so that others are asked', async () => {
    const { url } = await newServer()
    const picky = offerOf(() => {
      throw new AppError('request-invalid', 'there is no such model')
    })
    const { tower } = await pair(url, picky)

    expect(await failure(collect(tower, 'x'))).toEqual({
      code: 'model-unavailable',
      message: 'tower: there is no such model',
    })
  })

  test('whose clock is set forward drops no job', async () => {
    const { url } = await newServer()
    const intervals = { ...fast, refreshMs: 60_000, goneMs: 600_000 }
    const { tower } = await pair(url, offerOf(echo), { intervals })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
    onTestFinished(() => void vi.useRealTimers())

    expect(textOf(await collect(tower, 'in time'))).toBe('in time')
  })

  test('learns nothing about whose run it answers', async () => {
    const { url } = await newServer()
    const heard: ModelRequest[] = []
    const curious = offerOf((model, request) => {
      heard.push(request)
      return echo(model, request)
    })
    const { tower } = await pair(url, curious)

    await hear(tower, questionOf('x', { task: 'the whole story' }))

    const { runId, sessionId, task } = heard[0]!
    expect([runId === 'run', sessionId === 'session', task]).toEqual([false, false, undefined])
  })

  test('that lost a model takes no more jobs from its line', async () => {
    const { url } = await newServer()
    const [laptop, tower, attic] = [node('laptop'), node('tower'), node('attic')]
    const trusted = [laptop, tower, attic].map(({ identity }) => identity.id)
    // It gets lost.
    const common = { server: { url }, trusted, intervals: { ...fast, refreshMs: 60_000, goneMs: 600_000 } }
    const offer = offerOf(() => {
      throw new Error('it is gone')
    })
    let models = offer.report().models
    await open({ ...common, node: tower, offer: { ...offer, report: () => ({ ...offer.report(), models }) } })
    await open({ ...common, node: attic, offer: offerOf(echo) })
    const transport = await open({ ...common, node: laptop })

    models = []
    // The request for a job that is already out may still be answered.
    await collect(transport.anyone('small'), '0').catch(() => undefined)
    await collect(transport.anyone('small'), '0').catch(() => undefined)
    const answers = await Promise.all(['1', '2', '3'].map((text) => collect(transport.anyone('small'), text)))

    expect(answers.map(textOf)).toEqual(['1', '2', '3'])
  })
})
