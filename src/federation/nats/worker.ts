/**
 * Taking jobs off the broker, one at a time in each lane, so that no job waits here while another machine is free:
 * those addressed to this machine in several lanes, and for each of its models one lane at the shared queue.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { AckPolicy, type Consumer, JetStreamApiError, type JsMsg } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import type { Logger } from '../../lib/log.ts'
import type { MachineReport } from '../machine.ts'
import { natsError } from './connection.ts'
import { lineOf, type NatsNames } from './names.ts'
import type { NatsStore } from './streams.ts'

export type WorkerParts = {
  readonly store: NatsStore
  readonly names: NatsNames
  readonly id: string
  /** Jobs at the same time. */
  readonly lanes: number
  readonly ackWaitMs: number
  readonly keepMs: number
  /** How often new models get their lane. */
  readonly refreshMs: number
  readonly url: string
  readonly log: Logger
  report(): MachineReport
  answer(message: JsMsg): Promise<void>
}

/** Fails where this machine may not take its jobs. Once closed it takes no more. */
export async function startWorker(parts: WorkerParts): Promise<{ close(): void }> {
  const { names, id, report, store } = parts
  const life = new AbortController()
  // A request for a job in a stream that was deleted would wait for its time.
  const renewed = createBell()
  store.onRecreated(renewed.ring)
  const lines = new Set<string>()
  const own: Source = {
    stream: names.jobs,
    name: id,
    subject: names.job(id),
    deliveries: 3,
    mayPull: () => true,
  }
  await openConsumer(own, parts)
  const pulling = { ...parts, renewed }
  for (let lane = 0; lane < parts.lanes; lane++) void pull(own, pulling, life.signal)

  const openLines = () => {
    for (const { id: model } of report().models) {
      const line = lineOf(model)
      if (lines.has(line)) continue
      lines.add(line)
      void pull(lineFor(model, parts), pulling, life.signal)
    }
  }
  openLines()
  const timer = setInterval(openLines, parts.refreshMs)
  return {
    close() {
      clearInterval(timer)
      life.abort()
    },
  }
}

function lineFor(model: string, { names, lanes, report }: WorkerParts): Source {
  const line = lineOf(model)
  return {
    stream: names.queue,
    name: line,
    subject: names.queued(line),
    // More than of its own: a machine the job is not sealed for passes it on.
    deliveries: 20,
    mayPull() {
      const { waiting, running, models } = report()
      return waiting === 0 && running < lanes && models.some(({ id }) => id === model)
    },
  }
}

type Source = {
  readonly stream: string
  /** Of the consumer; who takes from the same line shares it. */
  readonly name: string
  readonly subject: string
  readonly deliveries: number
  mayPull(): boolean
}

type Bell = ReturnType<typeof createBell>

/** Everybody who waits for the next ring hears it. */
function createBell() {
  let ring = () => {}
  let next = new Promise<'rung'>((resolve) => (ring = () => resolve('rung')))
  return {
    next: () => next,
    ring() {
      ring()
      next = new Promise((resolve) => (ring = () => resolve('rung')))
    },
  }
}

type Pulling = WorkerParts & { readonly renewed: Bell }

async function pull(source: Source, parts: Pulling, signal: AbortSignal): Promise<void> {
  let consumer: Consumer | undefined
  while (!signal.aborted) {
    try {
      while (!source.mayPull()) await delay(BUSY_MS, undefined, { signal })
      consumer ??= await openConsumer(source, parts)
      const waiting = consumer.next({ expires: PULL_MS })
      waiting.catch(() => undefined)
      const message = await Promise.race([waiting, parts.renewed.next()])
      if (message === 'rung') consumer = undefined
      else if (signal.aborted) message?.nak()
      else if (message) await parts.answer(message)
    } catch (error) {
      consumer = undefined
      if (signal.aborted) return
      parts.log.warn({ subject: source.subject }, natsError(error, parts.url).message)
      await delay(AGAIN_MS, undefined, { signal }).catch(() => undefined)
    }
  }
}

/** A pull request dies silently with the broker, so it is renewed this often. */
const PULL_MS = 5_000
const BUSY_MS = 200
const AGAIN_MS = 1_000

async function openConsumer(source: Source, { store, ackWaitMs, keepMs }: WorkerParts): Promise<Consumer> {
  const { consumers } = store.jsm
  const config = {
    durable_name: source.name,
    filter_subject: source.subject,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    max_deliver: source.deliveries,
    // Of a machine that never comes back nothing stays.
    inactive_threshold: nanos(keepMs),
  }
  const info = await consumers.add(source.stream, config).catch((error: unknown) => {
    // From the last start, with other times.
    if (!(error instanceof JetStreamApiError) || error.code !== EXISTS) throw error
    return consumers.update(source.stream, source.name, config)
  })
  return store.js.consumers.getConsumerFromInfo(info)
}

const EXISTS = 10_148
