/**
 * Answering jobs. The order is the promise: the result is in its stream before the job leaves its own, so a machine or
 * a broker that dies in between costs at most a second run, whose result is dropped by its message id.
 */
import type { JsMsg } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { setTimeout as delay } from 'node:timers/promises'
import { errorMessage } from '../protocol/error.ts'
import type { Bodies } from './nats-bodies.ts'
import {
  type JobResult,
  liveContext,
  type LivePart,
  resultContext,
  type ResultHeader,
  toFrame,
  toJson,
} from './nats-job.ts'
import type { NatsNames } from './nats-names.ts'
import { lock } from './nats-seal.ts'
import type { NatsStore } from './nats-streams.ts'
import { openTask, runTask, type Stop, type Task, type TaskParts } from './nats-task.ts'
import { WIRE_VERSION } from './wire.ts'

export type AnswerParts = Omit<TaskParts, 'live'> & {
  readonly connection: NatsConnection
  readonly store: NatsStore
  readonly names: NatsNames
  readonly bodies: Bodies
  /** A job of which nothing was heard for so long is delivered again. */
  readonly ackWaitMs: number
}

export type Answering = {
  /** Done when the job is off the stream, or left there for another try. Never fails. */
  answer(message: JsMsg): Promise<void>
  close(): Promise<void>
}

export function createAnswering(parts: AnswerParts): Answering {
  const running = new Map<string, Running>()
  const finished = createRecent()
  const cancelled = createRecent()
  onCancel(parts, (job) => {
    cancelled.add(job)
    running.get(job)?.task.control.abort('cancelled' satisfies Stop)
    running.get(job)?.storing.abort('cancelled' satisfies Stop)
  })

  const work = async (run: Running) => {
    const { job } = run.task
    if (!cancelled.has(job)) await runAndDeliver(run, parts)
    finished.add(job)
  }
  return {
    async answer(message) {
      const task = openTask(message, parts.own)
      if (task === 'someone-else') return message.nak(PASS_ON_MS)
      if (task === 'unreadable') return drop(message, parts)
      if (finished.has(task.job)) return message.ack()
      // It was slow to say that it works on it; run beside itself it would be slower still.
      if (running.has(task.job)) return message.nak(parts.ackWaitMs)
      const run: Running = { task, storing: new AbortController() }
      running.set(task.job, run)
      const working = setInterval(() => stillHere(message, parts), parts.ackWaitMs / 3)
      try {
        await work(run)
        await message.ackAck()
      } catch (error) {
        parts.log.warn({ job: task.job }, `it will be delivered again: ${errorMessage(error)}`)
      } finally {
        clearInterval(working)
        running.delete(task.job)
      }
    },
    async close() {
      for (const { task } of running.values()) task.control.abort('closing' satisfies Stop)
      for (let waited = 0; running.size > 0 && waited < CLOSE_MS; waited += STEP_MS) await delay(STEP_MS)
      for (const { storing } of running.values()) storing.abort('closing' satisfies Stop)
    },
  }
}

/** `storing` ends the tries to store the result, which a machine that closes may still do for a moment. */
type Running = { readonly task: Task; readonly storing: AbortController }

const PASS_ON_MS = 200
const CLOSE_MS = 2_000
const STEP_MS = 20
const MAX_RECENT = 1_000

/** The last thousand of something. */
function createRecent() {
  const ids = new Set<string>()
  return {
    has: (id: string) => ids.has(id),
    add(id: string) {
      ids.add(id)
      const [oldest] = ids
      if (ids.size > MAX_RECENT && oldest !== undefined) ids.delete(oldest)
    },
  }
}

function onCancel({ connection, names }: AnswerParts, act: (job: string) => void): void {
  connection.subscribe(names.cancel('*'), {
    callback: (error, message) => {
      if (!error) act(message.subject.slice(message.subject.lastIndexOf('.') + 1))
    },
  })
}

/** For whoever does not stop when it is told: the connection may be closed by then. */
function stillHere(message: JsMsg, { connection }: AnswerParts): void {
  if (!connection.isClosed()) message.working()
}

function drop(message: JsMsg, { log }: AnswerParts): void {
  log.warn({ subject: message.subject }, 'a job that no machine can have sent was dropped')
  message.term()
}

async function runAndDeliver({ task, storing: { signal } }: Running, parts: AnswerParts): Promise<void> {
  const result = await runTask(task, {
    ...parts,
    // A courtesy: what of it is lost is in the result.
    live: (event, from) => sendLive({ from, events: [event] }, task, parts),
  })
  if (!result) return
  await deliver(task, result, parts, signal).catch((error: unknown) => {
    // Nobody waits for it: the job is done without.
    if (signal.reason !== ('cancelled' satisfies Stop)) throw error
  })
}

async function deliver(
  task: Task,
  result: JobResult,
  parts: AnswerParts,
  signal: AbortSignal,
): Promise<void> {
  const { persist, store, bodies, names, own } = parts
  const body = lock(task.replyKey, toJson(result), resultContext(task.job))
  const { inline, object } = await persist(() => bodies.pack(`result-${task.job}`, body), signal)
  const header: ResultHeader = {
    version: WIRE_VERSION,
    node: own.id,
    ...(object !== undefined && { object }),
  }
  const frame = toFrame(header, inline)
  const subject = names.result(task.from.id, task.job)
  await persist((timeout) => store.js.publish(subject, frame, { msgID: task.job, timeout }), signal)
  sendLive({ from: result.events.length, events: [], done: true }, task, parts)
}

function sendLive(
  part: Omit<LivePart, 'run' | 'attempt'>,
  task: Task,
  { connection, names, bodies }: AnswerParts,
): void {
  const whole: LivePart = { run: task.run, attempt: task.attempt, ...part }
  const sealed = lock(task.replyKey, toJson(whole), liveContext(task.job))
  if (connection.isClosed() || sealed.length > bodies.maxInline) return
  connection.publish(names.live(task.from.id, task.job), sealed)
}
