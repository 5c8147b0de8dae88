/**
 * Asking through the broker: a job goes into a stream, live parts of the answer come as they are made, and the result
 * is read from a stream of its own, however often the broker or the other machine died meanwhile. Whatever happens to
 * a job becomes a sign in one channel, and one loop reads it: nothing else decides.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { NatsConnection } from '@nats-io/transport-node'
import { type Channel, createChannel } from '../../lib/channel.ts'
import { AppError } from '../../protocol/error.ts'
import type { ModelEvent } from '../../protocol/model.ts'
import type { Holder } from './card.ts'
import { natsError } from './connection.ts'
import { type JobResult, liveContext, type LivePart, livePartSchema, MAX_BODY, parseJson } from './job.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { newKey, unlock } from './seal.ts'
import { cancelProof, type JobSecrets, toBeat, toJobSecrets } from './job-secrets.ts'
import { createPatience, type Patience } from './patience.ts'
import { findResult, requireResult, type ResultParts } from './result.ts'
import { type Question, submit, type SubmitParts } from './submit.ts'
import { fromWireFailure } from '../wire.ts'

export type AskerParts = ResultParts &
  SubmitParts & {
    readonly connection: NatsConnection
    readonly url: string
    /** How often the result is looked for where nothing else tells. */
    readonly lookMs: number
    /** How long a first token may take, and how often the other machine hears that it is still waited for. */
    readonly firstTokenMs: number
    readonly beatMs: number
    readonly goneMs: number
    readonly ackWaitMs: number
  }

/** Who is to answer. */
export type Target = {
  /** As it is called in failures. */
  readonly name: string
  readonly subject: string
  /** Those who may open the job. */
  readonly holders: readonly Holder[]
  /** The first free machine takes it; after the loss of one it may wait for another. */
  readonly isLine: boolean
  /** Why no answer can come any more, if that is so. */
  whyLost(): string | undefined
}

export type Asker = {
  ask(target: Target, question: Question, signal: AbortSignal): AsyncIterable<ModelEvent>
  /** Results may have come while the connection was away, since then. */
  lookAgain(since: number): void
  /** Waiting callers fail; the answers being made for them are cancelled. */
  close(): void
}

type Sign =
  | { readonly type: 'live'; readonly part: LivePart }
  | { readonly type: 'look' }
  | { readonly type: 'result'; readonly result: JobResult }
  | { readonly type: 'end'; readonly error: AppError }
  | { readonly type: 'abort' }

type Job = {
  readonly secrets: JobSecrets
  readonly target: Target
  readonly patience: Patience
  readonly ledger: Ledger
  readonly signs: Channel<Sign>
  /** Ends what is done for the job in the background. */
  readonly life: AbortController
  /** Large bodies to take away afterwards. */
  readonly objects: Set<string>
  liveBytes: number
  /** The number of the next sign that it is still waited for. */
  beats: number
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
      const job = newJob(target, parts)
      open.set(job.secrets.id, job)
      const stop = watchOver(job, parts, signal)
      try {
        void send(job, question, parts)
        yield* follow(job, parts)
      } finally {
        stop()
        open.delete(job.secrets.id)
        leave(job, parts)
      }
    },
    lookAgain(since) {
      for (const job of open.values()) {
        job.patience.forgive(since)
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

function newJob(target: Target, { firstTokenMs, goneMs, ackWaitMs }: AskerParts): Job {
  // Silence may mean that the job is on its way to the next machine, and in a line it may have to wait there.
  const silentMs = target.isLine ? Math.max(firstTokenMs, goneMs + ackWaitMs) : goneMs + ackWaitMs
  return {
    secrets: toJobSecrets(newKey()),
    target,
    patience: createPatience({ firstTokenMs, silentMs }),
    ledger: createLedger(),
    signs: createChannel<Sign>(),
    life: new AbortController(),
    objects: new Set(),
    liveBytes: 0,
    beats: 0,
    isLooking: false,
  }
}

/**
 * Any client may write here: what the other machine did not seal does not count. A slow reader, or a machine that
 * says more than it may, gets the rest from the stream.
 */
function hear(job: Job, data: Uint8Array): void {
  const { replyKey, id } = job.secrets
  const body = unlock(replyKey, data, liveContext(id))
  const part = body && parseJson(livePartSchema, body)
  if (!part) return
  job.patience.hear(part)
  if (part.events.length > 0) job.liveBytes += data.length
  const events = job.liveBytes <= MAX_BODY ? part.events : []
  const isNews = events.length > 0 || part.done !== undefined || part.trouble !== undefined
  if (isNews) job.signs.push({ type: 'live', part: { ...part, events } })
}

/** Returns how to stop. */
function watchOver(job: Job, parts: AskerParts, signal: AbortSignal): () => void {
  const { deadlineMs, lookMs, beatMs } = parts
  const { signs, target } = job
  const seconds = Math.round(deadlineMs / 1000)
  const late = new AppError('model-unavailable', `${target.name} gave no answer within ${seconds} s.`)
  const deadline = setTimeout(() => signs.push({ type: 'end', error: late }), deadlineMs)
  const looking = setInterval(() => signs.push({ type: 'look' }), lookMs)
  const beating = setInterval(() => beat(job, parts), beatMs)
  const onAbort = () => signs.push({ type: 'abort' })
  signal.addEventListener('abort', onAbort, { once: true })
  return () => {
    clearTimeout(deadline)
    clearInterval(looking)
    clearInterval(beating)
    signal.removeEventListener('abort', onAbort)
  }
}

/** The answering machine stops when these heartbeats stop. */
function beat(job: Job, { connection, names }: AskerParts): void {
  if (connection.isClosed()) return
  const { secrets, patience } = job
  const count = job.beats++
  for (const { run, node } of patience.runs()) {
    connection.publish(names.beat(node, secrets.id), toBeat(secrets, run, count))
  }
}

async function send(job: Job, question: Question, parts: AskerParts): Promise<void> {
  try {
    await submit(job, question, parts, job.life.signal)
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
      const { done, trouble } = sign.part
      yield* ledger.live(sign.part)
      if (trouble !== undefined)
        throw fromWireFailure(target.name, { code: 'model-unavailable', message: trouble })
      if (done !== undefined) void look(job, parts, done)
    }
    if (sign.type === 'result') {
      yield* ledger.settle(sign.result)
      if (sign.result.failure) throw fromWireFailure(target.name, sign.result.failure)
      return
    }
  }
}

/** One look at a time, but for one that must find it; a look that fails is made again by the clock. */
async function look(job: Job, parts: AskerParts, done?: 'stored' | 'duplicate'): Promise<void> {
  if (job.isLooking && done === undefined) return
  job.isLooking = true
  try {
    // In this order: what it stored before it was lost counts.
    const why = whyGivenUp(job)
    const result = done === undefined ? await findResult(job, parts) : await requireResult(job, parts, done)
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
async function isStillLost(job: Job): Promise<boolean> {
  await delay(HEAR_MS)
  return whyGivenUp(job) !== undefined
}

function over({ whyOver }: Patience): string | undefined {
  const why = whyOver()
  return why && `was given up: ${why}`
}

function whyGivenUp({ target, patience }: Job): string | undefined {
  const why = target.whyLost()
  return why === undefined ? over(patience) : `is gone: ${why}`
}

const HEAR_MS = 200

const left = (name: string): AppError =>
  new AppError('model-unavailable', `${name} was not waited for: this machine left the NATS server.`)

const lost = (name: string, why: string): AppError => new AppError('model-unavailable', `${name} ${why}.`)

/** No caller waits any more: an answer still being made is cancelled. */
function leave(job: Job, parts: AskerParts): void {
  const { connection, names } = parts
  job.life.abort()
  if (!connection.isClosed() && !job.ledger.isSettled())
    connection.publish(names.cancel(job.secrets.id), cancelProof(job.secrets))
  takeAway(job, parts)
}

function takeAway(job: Job, { connection, bodies }: AskerParts): void {
  if (connection.isClosed()) return
  for (const object of job.objects) bodies.remove(object).catch(() => undefined)
}
