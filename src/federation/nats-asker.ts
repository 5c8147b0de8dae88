/**
 * Asking through the broker: a job goes into a stream, live parts of the answer come as they are made, and the result is
 * read from a stream of its own, however often the broker or the other machine died meanwhile. Whatever happens to a job
 * becomes a sign in one channel, and one loop reads it: nothing else decides.
 */
import { randomBytes, type KeyObject } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { NatsConnection } from '@nats-io/transport-node'
import { type Channel, createChannel } from '../lib/channel.ts'
import { AppError } from '../protocol/error.ts'
import type { ModelEvent, ModelRequest } from '../protocol/model.ts'
import type { Bodies } from './nats-bodies.ts'
import type { Card, Holder } from './nats-card.ts'
import { natsError } from './nats-connection.ts'
import {
  fromFrame,
  jobContext,
  type JobHeader,
  type JobResult,
  jobResultSchema,
  liveContext,
  type LivePart,
  livePartSchema,
  MAX_BODY,
  parseJson,
  resultContext,
  resultHeaderSchema,
  toFrame,
  toJson,
} from './nats-job.ts'
import { createLedger, type Ledger } from './nats-ledger.ts'
import type { Persist } from './nats-link.ts'
import type { NatsNames } from './nats-names.ts'
import { lock, newKey, toReplyKey, unlock, wrapKey } from './nats-seal.ts'
import type { NatsStore } from './nats-streams.ts'
import { toWireRequest } from './peer-model.ts'
import { fromWireFailure, WIRE_VERSION } from './wire.ts'

export type AskerParts = {
  readonly connection: NatsConnection
  readonly persist: Persist
  readonly store: NatsStore
  readonly bodies: Bodies
  readonly names: NatsNames
  readonly own: { readonly id: string; readonly card: Card; readonly seal: KeyObject }
  readonly url: string
  /** How long an answer may take, and how often the result is looked for where nothing else tells. */
  readonly deadlineMs: number
  readonly lookMs: number
}

/** Who is to answer. */
export type Target = {
  /** As it is called in failures. */
  readonly name: string
  readonly subject: string
  /** Those who may open the job. */
  readonly holders: readonly Holder[]
  /** Why no answer can come any more, if that is so. */
  whyLost(): string | undefined
}

type Question = { readonly model: string; readonly request: ModelRequest }

export type Asker = {
  ask(target: Target, question: Question, signal: AbortSignal): AsyncIterable<ModelEvent>
  /** Results may have come while the connection was away. */
  lookAgain(): void
  /** Whoever still waits is told; what is being made for them is called off. */
  close(): void
}

type Sign =
  /** Still sealed. */
  | { readonly type: 'live'; readonly data: Uint8Array }
  | { readonly type: 'look' }
  | { readonly type: 'result'; readonly result: JobResult }
  | { readonly type: 'end'; readonly error: AppError }
  | { readonly type: 'abort' }

type Job = {
  readonly id: string
  readonly key: Buffer
  readonly replyKey: Buffer
  readonly target: Target
  readonly ledger: Ledger
  readonly signs: Channel<Sign>
  /** Ends what is done for the job in the background. */
  readonly life: AbortController
  /** Large bodies to take away afterwards. */
  readonly objects: string[]
  liveBytes: number
  isLooking: boolean
}

export function createAsker(parts: AskerParts): Asker {
  const { connection, names, own } = parts
  const open = new Map<string, Job>()
  connection.subscribe(names.live(own.id, '*'), {
    callback(error, message) {
      if (error) return
      const job = open.get(message.subject.slice(message.subject.lastIndexOf('.') + 1))
      if (job) hear(job, message.data)
    },
  })
  return {
    async *ask(target, question, signal) {
      if (signal.aborted) return
      const job = newJob(target)
      open.set(job.id, job)
      const stop = watchOver(job, parts, signal)
      try {
        void submit(job, question, parts)
        yield* follow(job, parts)
      } finally {
        stop()
        open.delete(job.id)
        leave(job, parts)
      }
    },
    lookAgain() {
      for (const job of open.values()) {
        // Whatever was asked before the pause will not be answered.
        job.isLooking = false
        job.signs.push({ type: 'look' })
      }
    },
    close() {
      for (const job of open.values()) {
        job.signs.push({ type: 'end', error: left(job.target.name) })
        leave(job, parts)
      }
    },
  }
}

function newJob(target: Target): Job {
  const key = newKey()
  return {
    id: randomBytes(16).toString('hex'),
    key,
    replyKey: toReplyKey(key),
    target,
    ledger: createLedger(),
    signs: createChannel<Sign>(),
    life: new AbortController(),
    objects: [],
    liveBytes: 0,
    isLooking: false,
  }
}

/** Whoever reads slowly, or a machine that says more than it may, gets the rest from the stream. */
function hear(job: Job, data: Uint8Array): void {
  job.liveBytes += data.length
  if (job.liveBytes <= MAX_BODY) job.signs.push({ type: 'live', data })
}

/** Returns how to stop. */
function watchOver(job: Job, { deadlineMs, lookMs }: AskerParts, signal: AbortSignal): () => void {
  const { signs, target } = job
  const seconds = Math.round(deadlineMs / 1000)
  const late = new AppError('model-unavailable', `${target.name} gave no answer within ${seconds} s.`)
  const deadline = setTimeout(() => signs.push({ type: 'end', error: late }), deadlineMs)
  const looking = setInterval(() => signs.push({ type: 'look' }), lookMs)
  const onAbort = () => signs.push({ type: 'abort' })
  signal.addEventListener('abort', onAbort, { once: true })
  return () => {
    clearTimeout(deadline)
    clearInterval(looking)
    signal.removeEventListener('abort', onAbort)
  }
}

/** The id of the job is the id of the message: sent again after a timeout, it is still one job. */
async function submit(job: Job, { model, request }: Question, parts: AskerParts): Promise<void> {
  const { own, persist, store, bodies, deadlineMs } = parts
  const context = jobContext(job.id)
  try {
    const travelling = toWireRequest(job.target.name, request)
    const body = lock(job.key, toJson({ model, request: travelling, timeMs: deadlineMs }), context)
    const { inline, object } = await persist(() => bodies.pack(`job-${job.id}`, body), job.life.signal)
    if (object !== undefined) job.objects.push(object)
    const keys = job.target.holders.map(({ id, seal }) => [id, wrapKey(job.key, own.seal, seal, context)])
    const header: JobHeader = {
      version: WIRE_VERSION,
      job: job.id,
      card: own.card,
      keys: Object.fromEntries(keys) as Record<string, string>,
      ...(object !== undefined && { object }),
    }
    const frame = toFrame(header, inline)
    await persist(
      (timeout) => store.js.publish(job.target.subject, frame, { msgID: job.id, timeout }),
      job.life.signal,
    )
  } catch (error) {
    if (!job.life.signal.aborted) job.signs.push({ type: 'end', error: natsError(error, parts.url) })
    // It was left while its body was on the way.
    else takeAway(job, parts)
  }
}

async function* follow(job: Job, parts: AskerParts): AsyncIterable<ModelEvent> {
  const { ledger, target } = job
  for await (const sign of job.signs) {
    if (sign.type === 'abort') return
    if (sign.type === 'end') throw sign.error
    if (sign.type === 'look') void look(job, parts)
    if (sign.type === 'live') {
      const part = readLive(job, sign.data)
      if (part?.done) void look(job, parts)
      if (part) yield* ledger.live(part)
    }
    if (sign.type === 'result') {
      yield* ledger.settle(sign.result)
      if (sign.result.failure) throw fromWireFailure(target.name, sign.result.failure)
      return
    }
  }
}

function readLive(job: Job, data: Uint8Array): LivePart | undefined {
  const body = unlock(job.replyKey, data, liveContext(job.id))
  return body && parseJson(livePartSchema, body)
}

/** One look at a time; a look that fails is made again by the clock. */
async function look(job: Job, parts: AskerParts): Promise<void> {
  if (job.isLooking) return
  job.isLooking = true
  try {
    // In this order: what it stored before it was lost counts.
    const why = job.target.whyLost()
    const result = await findResult(job, parts)
    if (result) job.signs.push({ type: 'result', result })
    else if (why !== undefined && (await isStillLost(job)))
      job.signs.push({ type: 'end', error: lost(job.target.name, why) })
  } catch (error) {
    const failure = natsError(error, parts.url)
    const isFinal = failure === error || failure.code === 'credential'
    if (isFinal) job.signs.push({ type: 'end', error: failure })
  } finally {
    job.isLooking = false
  }
}

/** A program that was stopped for a while hears only now who was there all the time. */
async function isStillLost({ target }: Job): Promise<boolean> {
  await delay(HEAR_MS)
  return target.whyLost() !== undefined
}

const HEAR_MS = 200

const left = (name: string): AppError =>
  new AppError('model-unavailable', `${name} was not waited for: this machine left the NATS server.`)

const lost = (name: string, why: string): AppError =>
  new AppError('model-unavailable', `${name} is gone: ${why}.`)

async function findResult(job: Job, parts: AskerParts): Promise<JobResult | undefined> {
  const { store, names, own, bodies } = parts
  const subject = names.result(own.id, job.id)
  const message = await store.jsm.direct.getMessage(names.results, { last_by_subj: subject })
  if (!message) return undefined
  const frame = fromFrame(resultHeaderSchema, message.data)
  if (!frame) throw unreadable(job)
  const { object } = frame.header
  if (object !== undefined) job.objects.push(object)
  const packed = { inline: frame.body, ...(object !== undefined && { object }) }
  const sealed = await bodies.unpack(packed)
  const body = sealed && unlock(job.replyKey, sealed, resultContext(job.id))
  const result = body && parseJson(jobResultSchema, body)
  if (!result) throw unreadable(job)
  return result
}

/** Looking again would find the same. */
const unreadable = ({ target }: Job): AppError =>
  new AppError('model-unavailable', `${target.name} answered with something that is no result of this job.`)

/** Nobody waits any more: an answer still being made is called off. */
function leave(job: Job, parts: AskerParts): void {
  const { connection, names } = parts
  job.life.abort()
  if (!connection.isClosed() && !job.ledger.isSettled()) connection.publish(names.cancel(job.id))
  takeAway(job, parts)
}

function takeAway(job: Job, { connection, bodies }: AskerParts): void {
  if (connection.isClosed()) return
  for (const object of new Set(job.objects)) bodies.remove(object).catch(() => undefined)
}
