/**
 * What a NATS server, or a user of it who may do everything, does to messages and streams: other orders, other
 * versions, streams that are full, certificates with other dates, programs that are killed. All on a real server.
 */
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { NatsOptions } from '../../../src/federation/nats/open.ts'
import { openNatsPatiently } from '../../../src/federation/nats/patient.ts'
import { killMachine, startMachine } from '../nats-machine/order.ts'
import {
  certificate,
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

// A message that is lost for ever shall be seen as that, and not stop everything for ten minutes.
vi.setConfig({ testTimeout: 120_000 })

const WORDS = Array.from({ length: 30 }, (_, index) => `${index} `)
const counting = offerOf(async function* () {
  for (const text of WORDS) {
    yield { type: 'text-delta', text }
    await pause(20)
  }
  yield { type: 'finish', reason: 'stop' }
})

async function scene(url: string, offer = offerOf(echo), more: Partial<NatsOptions> = {}) {
  const [laptop, tower] = [node('laptop'), node('tower')]
  const common = { server: { url }, trusted: [laptop.identity.id, tower.identity.id], ...more }
  const worker = await open({ ...common, node: tower, offer })
  const asker = await open({ ...common, node: laptop })
  return { common, laptop, tower, worker, asker, model: () => machineOf(asker, 'tower').model('small') }
}

describe.skipIf(missing !== undefined)(named('live parts of an answer'), () => {
  test.each([
    ['all of them again and again', (parts: Uint8Array[]) => [...parts, ...parts]],
    ['in the reverse order', (parts: Uint8Array[]) => parts.toReversed()],
    ['with changed bits', (parts: Uint8Array[]) => parts.map((part) => part.map((byte) => byte ^ 1))],
  ])('that an outsider sends once more, %s, change nothing in it', async (_, change) => {
    const { url } = await newServer()
    const { model, laptop } = await scene(url, counting)
    const outsider = await dial(url)
    const heard: Uint8Array[] = []
    let sent = 0
    outsider.subscribe(`covey.live.${laptop.identity.id}.*`, {
      callback(_error, { subject, data }) {
        if (sent > 5_000) return
        heard.push(Uint8Array.from(data))
        for (const part of change(heard)) {
          outsider.publish(subject, part)
          sent++
        }
      },
    })
    await outsider.flush()

    const events = await collect(model(), 'count')

    expect(textOf(events)).toBe(WORDS.join(''))
    expect(events.filter(({ type }) => type === 'reply-restart')).toEqual([])
    expect(sent).toBeGreaterThan(0)
  })
})

describe.skipIf(missing !== undefined)(named('another version'), () => {
  test.each([0, 2, 1e9, '"1"'])('%s in a job is dropped, and the next job is answered', async (version) => {
    const { url } = await newServer()
    const { model, tower } = await scene(url)
    const outsider = await dial(url)
    const jobs: Buffer[] = []
    outsider.subscribe('covey.job.*', { callback: (_error, { data }) => void jobs.push(Buffer.from(data)) })
    await outsider.flush()
    await collect(model(), 'first')
    const changed = Buffer.from(
      (jobs[0]?.toString('latin1') ?? '').replace('"version":1', `"version":${version}`),
      'latin1',
    )

    await jetstream(outsider).publish(`covey.job.${tower.identity.id}`, changed)

    expect(textOf(await collect(model(), 'second'))).toBe('second')
    const jsm = await jetstreamManager(outsider)
    await eventually(async () => expect((await jsm.streams.info('covey_jobs')).state.messages).toBe(0))
  })

  test.each([0, 2])(
    '%i in an entry of the registry that was not signed with it says nothing',
    async (version) => {
      const { url } = await newServer()
      const { asker } = await scene(url)
      const bucket = await new Kvm(await dial(url)).open('covey_nodes')
      // The list has no end where an entry is renewed while it is read: the first one is enough.
      const keys = (await bucket.keys())[Symbol.asyncIterator]()
      const key = String((await keys.next()).value)
      const entry = (await bucket.get(key))?.string() ?? ''

      await bucket.put(key, entry.replace('"version":1', `"version":${version}`))
      await pause(300)

      expect(machineOf(asker, 'tower').state().state).toBe('here')
    },
  )
})

describe.skipIf(missing !== undefined)(named('a stream that is full'), () => {
  const limited = { max_bytes: 600, discard: 'new' } as const

  test('of jobs: the caller gets an error at once', async () => {
    const { url } = await newServer()
    const jsm = await jetstreamManager(await dial(url))
    await jsm.streams.add({
      ...limited,
      name: 'covey_jobs',
      subjects: ['covey.job.*'],
      retention: 'workqueue',
    })
    const { model } = await scene(url)
    const started = performance.now()

    const { code, message } = await failure(collect(model(), 'x'.repeat(2_000)))

    expect([code, message]).toEqual(['model-unavailable', expect.stringContaining('maximum bytes exceeded')])
    expect(performance.now() - started).toBeLessThan(fast.deadlineMs / 2)
  })

  test('of results: the caller gets an error at once, from the machine that answered', async () => {
    const { url } = await newServer()
    const jsm = await jetstreamManager(await dial(url))
    await jsm.streams.add({
      ...limited,
      name: 'covey_results',
      subjects: ['covey.result.*.*'],
      allow_direct: true,
    })
    const { model } = await scene(url)
    const started = performance.now()

    const { message } = await failure(collect(model(), 'x'.repeat(2_000)))

    expect(message).toBe(
      'tower: the NATS server does not store its answer (maximum bytes exceeded); see the limits of its streams',
    )
    expect(performance.now() - started).toBeLessThan(fast.deadlineMs / 2)
  })

  test('of the registry: the machine that cannot show itself says so', async () => {
    const { url } = await newServer()
    const { worker, tower, common } = await scene(url)
    const outsider = await dial(url)
    const jsm = await jetstreamManager(outsider)
    const { config } = await jsm.streams.info('KV_covey_nodes')
    await jsm.streams.update('KV_covey_nodes', { ...config, max_bytes: 1, discard: 'new' })

    await eventually(() =>
      expect(worker.problem()).toMatch(/^This machine cannot show itself to others on the NATS server: /),
    )
    await jsm.streams.update('KV_covey_nodes', { ...config })
    await eventually(() => expect(worker.problem()).toBeUndefined())
    expect(common.trusted).toContain(tower.identity.id)
  })
})

describe.skipIf(missing !== undefined)(named('a certificate of the NATS server'), () => {
  test.each([
    ['expired', { from: '2001-01-01', to: '2002-01-01' }, 'certificate has expired'],
    ['not valid yet', { from: '2090-01-01', to: '2091-01-01' }, 'certificate is not yet valid'],
  ])('that is %s is refused, and nothing is sent', async (_, dates, said) => {
    const { ca, key } = await certificate(['127.0.0.1'], dates)
    const { url } = await newServer([], `tls { cert_file: "${ca}", key_file: "${key}" }`)
    const server = { url: url.replace('nats:', 'tls:'), caFile: ca, user: 'me', password: 'secret' }

    const way = await openNatsPatiently({ server, node: node('tower'), log: silent })
    onTestFinished(() => way.close())

    expect(way.problem()).toContain(
      `is not valid at this time (${said}); renew it, or set this machine's clock.`,
    )
  })
})

describe.skipIf(missing !== undefined)(named('a machine that is killed and started again'), () => {
  test('is no second machine with the same key', async () => {
    const { url } = await newServer()
    const [laptop, tower] = [node('laptop'), node('tower')]
    const trusted = [laptop.identity.id, tower.identity.id]
    const intervals = { ...fast, goneMs: 20_000 }
    const warned = vi.fn<(...said: unknown[]) => void>()
    const log = Object.assign(Object.create(silent) as typeof silent, { warn: warned })
    const asker = await open({ server: { url }, trusted, node: laptop, intervals, log })
    const order = { options: { server: { url }, trusted, node: tower, intervals }, wordMs: 1 }
    const first = await startMachine(order)
    await eventually(() => expect(asker.machines()).toHaveLength(1))
    await pause(3 * fast.refreshMs)
    await killMachine(first)

    const second = await startMachine(order)
    onTestFinished(() => killMachine(second))
    await pause(10 * fast.refreshMs)

    expect(warned.mock.calls.flat().filter((text) => /Two machines/.test(String(text)))).toEqual([])
    expect(textOf(await collect(machineOf(asker, 'tower').model('small'), 'it'))).toBe('done with it')
  })
})
