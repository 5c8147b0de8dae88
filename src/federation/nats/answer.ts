/**
 * Answering jobs. The order is the promise: the result is in its stream before the job leaves its own, so a machine or
 * a broker that dies in between costs at most a second run, whose result is dropped by its message id.
 */
import type { JsMsg } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { setTimeout as delay } from 'node:timers/promises'
import { errorMessage } from '../../protocol/error.ts'
import type { Bodies } from './bodies.ts'
import {
  type JobResult,
  liveContext,
  type LivePart,
  resultContext,
  type ResultHeader,
  toFrame,
  toJson,
} from './job.ts'
import type { NatsNames } from './names.ts'
import { isRefused } from './link.ts'
import { lock } from './seal.ts'
import type { NatsStore } from './streams.ts'
import { openTask, runTask, type Stop, type Task, type TaskParts } from './task.ts'
import { cancelProof, isSameText, readBeat } from './job-secrets.ts'
import { createRecent } from './recent.ts'
import { WIRE_VERSION } from '../wire.ts'

export type AnswerParts = Omit<TaskParts, 'live'> & {
  readonly connection: NatsConnection
  readonly store: NatsStore
  readonly names: NatsNames
  readonly bodies: Bodies
  /** A job of which nothing was heard for so long is delivered again. */
  readonly ackWaitMs: number
  /** How often a run says that it goes on, and after how much silence of the machine that asked it is stopped. */
  readonly beatMs: number
  readonly desertedMs: number
  isConnected(): boolean
}

export type Answering = {
  /** Done when the job is off the stream, or left there for another try. Never fails. */
  answer(message: JsMsg): Promise<void>
  /** After a reconnect, restart every silence timer. */
  forgive(): void
  close(): Promise<void>
}

export function createAnswering(parts: AnswerParts): Answering {
  const running = new Map<string, Running>()
  const finished = createRecent(MAX_FINISHED)
  /** Those of jobs that are not here yet; whether they are genuine is known only then. */
  const cancels = createRecent(MAX_CANCELS)
  listen(parts, running, cancels)

  const work = async (run: Running) => {
    const { id } = run.task.secrets
    if (!cancels.has(`${id} ${cancelProof(run.task.secrets)}`)) await runAndDeliver(run, parts)
    // Others could push out those that count.
    if (await parts.isTrusted(run.task.from.id)) finished.add(id)
  }
  return {
    async answer(message) {
      const task = openTask(message, parts.own)
      if (task === 'someone-else') return message.nak(PASS_ON_MS)
      if (task === 'unreadable') return drop(message, parts)
      const { id } = task.secrets
      if (finished.has(id)) return message.ack()
      // It was slow to say that it works on it; run beside itself it would be slower still.
      if (running.has(id)) return message.nak(parts.ackWaitMs)
      const run = newRunning(task)
      running.set(id, run)
      const beating = setInterval(() => beat(run, parts), parts.beatMs)
      const working = setInterval(() => stillHere(message, parts), parts.ackWaitMs / 3)
      try {
        await work(run)
        await message.ackAck()
      } catch (error) {
        parts.log.warn({ job: id }, `it will be delivered again: ${errorMessage(error)}`)
      } finally {
        clearInterval(working)
        clearInterval(beating)
        running.delete(id)
      }
    },
    forgive() {
      for (const run of running.values()) run.heardAt = performance.now()
    },
    async close() {
      for (const { task } of running.values()) task.control.abort('closing' satisfies Stop)
      for (let waited = 0; running.size > 0 && waited < CLOSE_MS; waited += STEP_MS) await delay(STEP_MS)
      for (const { storing } of running.values()) storing.abort('closing' satisfies Stop)
    },
  }
}

/** `storing` ends the tries to store the result, which a machine that closes may still do for a moment. */
type Running = {
  readonly task: Task
  readonly storing: AbortController
  /** The number of the next live part. */
  sequence: number
  /** When the machine that asked was heard of last, and the number of its sign. */
  heardAt: number
  beat: number
}

const newRunning = (task: Task): Running => ({
  task,
  storing: new AbortController(),
  sequence: 0,
  heardAt: performance.now(),
  beat: -1,
})

function stop({ task, storing }: Running, why: Stop): void {
  task.control.abort(why)
  storing.abort(why)
}

const PASS_ON_MS = 200
const CLOSE_MS = 2_000
const STEP_MS = 20
const MAX_FINISHED = 50_000
const MAX_CANCELS = 1_000
const MAX_PROOF = 100

/** To the machines that asked: that they wait no more, or still do. */
function listen(
  parts: AnswerParts,
  running: ReadonlyMap<string, Running>,
  cancels: { add(one: string): void },
): void {
  onCancel(parts, (job, proof) => {
    const run = running.get(job)
    if (!run) cancels.add(`${job} ${proof}`)
    else if (isSameText(proof, cancelProof(run.task.secrets))) stop(run, 'cancelled')
  })
  onBeat(parts, (job, said) => {
    const run = running.get(job)
    const count = run && readBeat(run.task.secrets, run.task.run, said)
    if (!run || count === undefined || count <= run.beat) return
    run.beat = count
    run.heardAt = performance.now()
  })
}

type OnProof = (job: string, proof: string) => void

const onCancel = ({ connection, names }: AnswerParts, act: OnProof): void =>
  onProof(connection, names.cancel('*'), act)

const onBeat = ({ connection, names, own }: AnswerParts, act: OnProof): void =>
  onProof(connection, names.beat(own.id, '*'), act)

function onProof(connection: NatsConnection, subject: string, act: OnProof): void {
  connection.subscribe(subject, {
    callback(error, message) {
      if (error || message.data.length > MAX_PROOF) return
      act(message.subject.slice(message.subject.lastIndexOf('.') + 1), message.string())
    },
  })
}

/** Reports that the run goes on; ends it when no caller waits any more. */
function beat(run: Running, parts: AnswerParts): void {
  sendLive(run, { from: 0, events: [] }, parts)
  if (!parts.isConnected() || performance.now() - run.heardAt <= parts.desertedMs) return
  if (run.task.control.signal.aborted) return
  const seconds = Math.round(parts.desertedMs / 1000)
  parts.log.warn({ job: run.task.secrets.id }, 'the machine that asked is gone; the answer was stopped')
  tell(run, `it heard nothing of this machine for ${seconds} s`, parts)
  stop(run, 'deserted')
}

/** For runs that do not stop when cancelled: the connection may be closed by then. */
function stillHere(message: JsMsg, { connection }: AnswerParts): void {
  if (!connection.isClosed()) message.working()
}

function drop(message: JsMsg, { log }: AnswerParts): void {
  log.warn({ subject: message.subject }, 'a job that no machine can have sent was dropped')
  message.term()
}

async function runAndDeliver(run: Running, parts: AnswerParts): Promise<void> {
  const { signal } = run.storing
  sendLive(run, { from: 0, events: [] }, parts)
  const result = await runTask(run.task, {
    ...parts,
    // A courtesy: what of it is lost is in the result.
    live: (event, from) => sendLive(run, { from, events: [event] }, parts),
  })
  if (!result) return
  const { failure } = result
  // An untrusted machine could fill the stream with refusals.
  if (failure?.code === 'permission-denied') return tell(run, failure.message, parts)
  await deliver(run, result, parts).catch((error: unknown) => {
    // No caller waits for it: the job is done without.
    if (ENDS.includes(signal.reason)) return
    if (!isRefused(error)) throw error
    const why = `the NATS server does not store its answer (${errorMessage(error)}); see the limits of its streams`
    parts.log.warn({ job: run.task.secrets.id }, why)
    tell(run, why, parts)
  })
}

/** That there will be no result. */
const tell = (run: Running, why: string, parts: AnswerParts): void =>
  sendLive(run, { from: 0, events: [], trouble: why.slice(0, 1_000) }, parts)

const ENDS: readonly unknown[] = ['cancelled', 'deserted'] satisfies Stop[]

async function deliver(run: Running, result: JobResult, parts: AnswerParts): Promise<void> {
  const { persist, store, bodies, names, own } = parts
  const { signal } = run.storing
  const { secrets, from } = run.task
  const body = lock(secrets.replyKey, toJson(result), resultContext(secrets.id))
  const { inline, object } = await persist(() => bodies.pack(secrets.resultBody, body), signal)
  const header: ResultHeader = {
    version: WIRE_VERSION,
    node: own.id,
    ...(object !== undefined && { large: true as const }),
  }
  const frame = toFrame(header, inline)
  const subject = names.result(from.id, secrets.result)
  const publish = (timeout: number) => store.publish(subject, frame, { msgID: secrets.result, timeout })
  const { duplicate } = await persist(publish, signal)
  const done = duplicate ? 'duplicate' : 'stored'
  sendLive(run, { from: result.events.length, events: [], done }, parts)
}

function sendLive(
  run: Running,
  part: Pick<LivePart, 'from' | 'events' | 'done' | 'trouble'>,
  parts: AnswerParts,
): void {
  const { connection, names, bodies, own } = parts
  const { secrets, attempt, from } = run.task
  const whole: LivePart = { run: run.task.run, attempt, node: own.id, sequence: run.sequence++, ...part }
  const sealed = lock(secrets.replyKey, toJson(whole), liveContext(secrets.id))
  if (connection.isClosed() || sealed.length > bodies.maxInline) return
  connection.publish(names.live(from.id, secrets.id), sealed)
}
