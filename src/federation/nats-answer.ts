/**
 * Answering jobs. The order is the promise: the result is in its stream before the job leaves its own, so a machine or
 * a broker that dies in between costs at most a second run, whose result is dropped by its message id.
 */
import type { JsMsg } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { setTimeout as delay } from 'node:timers/promises'
import { errorMessage } from '../protocol/error.ts'
import { MAX_INLINE } from './nats-bodies.ts'
import { persist } from './nats-connection.ts'
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
  /** A job of which nothing was heard for so long is delivered again. */
  readonly ackWaitMs: number
}

export type Answering = {
  /** Done when the job is off the stream, or left there for another try. Never fails. */
  answer(message: JsMsg): Promise<void>
  close(): Promise<void>
}

export function createAnswering(parts: AnswerParts): Answering {
  const running = new Map<string, Task>()
  const finished = createRecent()
  const cancelled = createRecent()
  const life = new AbortController()
  const taskParts: TaskParts = {
    ...parts,
    // A courtesy: what of it is lost is in the result.
    live: (task, event, from) => sendLive({ from, events: [event] }, task, parts),
  }
  onCancel(parts, (job) => {
    cancelled.add(job)
    running.get(job)?.control.abort('cancelled' satisfies Stop)
  })

  const work = async (task: Task) => {
    const result = cancelled.has(task.job) ? undefined : await runTask(task, taskParts)
    if (result) await deliver(task, result, parts, life.signal)
    finished.add(task.job)
  }
  return {
    async answer(message) {
      const task = openTask(message, parts.own)
      if (task === 'someone-else') return message.nak(PASS_ON_MS)
      if (task === 'unreadable') return drop(message, parts)
      if (finished.has(task.job)) return message.ack()
      // It was slow to say that it works on it; run beside itself it would be slower still.
      if (running.has(task.job)) return message.nak(parts.ackWaitMs)
      running.set(task.job, task)
      const working = setInterval(() => stillHere(message, parts), parts.ackWaitMs / 3)
      try {
        await work(task)
        await message.ackAck()
      } catch (error) {
        parts.log.warn({ job: task.job }, `it will be delivered again: ${errorMessage(error)}`)
      } finally {
        clearInterval(working)
        running.delete(task.job)
      }
    },
    async close() {
      for (const { control } of running.values()) control.abort('closing' satisfies Stop)
      for (let waited = 0; running.size > 0 && waited < CLOSE_MS; waited += STEP_MS) await delay(STEP_MS)
      life.abort()
    },
  }
}

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

async function deliver(task: Task, result: JobResult, parts: AnswerParts, life: AbortSignal): Promise<void> {
  const { store, bodies, names, own } = parts
  const body = lock(task.replyKey, toJson(result), resultContext(task.job))
  const { inline, object } = await persist(() => bodies.pack(`result-${task.job}`, body), life)
  const header: ResultHeader = {
    version: WIRE_VERSION,
    node: own.id,
    ...(object !== undefined && { object }),
  }
  const frame = toFrame(header, inline)
  const subject = names.result(task.from.id, task.job)
  await persist((timeout) => store.js.publish(subject, frame, { msgID: task.job, timeout }), life)
  sendLive({ from: result.events.length, events: [], done: true }, task, parts)
}

function sendLive(
  part: Omit<LivePart, 'run' | 'attempt'>,
  task: Task,
  { connection, names }: AnswerParts,
): void {
  const whole: LivePart = { run: task.run, attempt: task.attempt, ...part }
  const sealed = lock(task.replyKey, toJson(whole), liveContext(task.job))
  if (connection.isClosed() || sealed.length > MAX_INLINE) return
  connection.publish(names.live(task.from.id, task.job), sealed)
}
