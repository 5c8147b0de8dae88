/**
 * One job on the machine that answers it: opened, checked for trust and age, run. It yields a result in every
 * case but one: no caller waits for it any more. Nothing is run for a machine that is not trusted.
 */
import { type KeyObject, randomBytes } from 'node:crypto'
import type { JsMsg } from '@nats-io/jetstream'
import { millis } from '@nats-io/transport-node'
import type { Logger } from '../../lib/log.ts'
import { AppError } from '../../protocol/error.ts'
import type { Offer } from '../machine.ts'
import type { Bodies, Packed } from './bodies.ts'
import { type Holder, readCard } from './card.ts'
import {
  fromFrame,
  type JobBody,
  jobBodySchema,
  jobContext,
  jobHeaderSchema,
  type JobResult,
  MAX_BODY,
  MAX_EVENTS,
  parseJson,
} from './job.ts'
import type { Persist } from './link.ts'
import { unlock, unwrapKey } from './seal.ts'
import { type JobSecrets, toJobSecrets } from './job-secrets.ts'
import { toWireEvent, toWireFailure, type WireEvent } from '../wire.ts'

/** A job that this machine could open. */
export type Task = {
  readonly secrets: JobSecrets
  readonly from: Holder
  readonly run: string
  readonly attempt: number
  /** Of the message, as long as it is not opened. */
  readonly sealed: Packed
  readonly storedAt: number
  readonly control: AbortController
}

/** Why an answer is stopped; the reason of its signal. `deserted`: nothing was heard of the machine that asked. */
export type Stop = 'cancelled' | 'closing' | 'late' | 'deserted'

export type TaskParts = {
  readonly own: { readonly id: string; readonly seal: KeyObject }
  readonly bodies: Pick<Bodies, 'unpack'>
  readonly persist: Persist
  readonly offer: Offer
  /** Never fails. */
  isTrusted(id: string): Promise<boolean>
  brokerTime(): number
  /** An event of the answer as it comes, and its number. */
  live(event: WireEvent, index: number): void
  readonly log: Logger
}

/** `someone-else`: it waits in the shared queue, but is not sealed for this machine. */
export function openTask(message: JsMsg, own: TaskParts['own']): Task | 'someone-else' | 'unreadable' {
  const frame = fromFrame(jobHeaderSchema, message.data)
  if (!frame) return 'unreadable'
  const { header, body } = frame
  const { job } = header
  const wrapped = Object.hasOwn(header.keys, own.id) ? header.keys[own.id] : undefined
  if (wrapped === undefined) return 'someone-else'
  const from = readCard(header.card)
  const key = from && unwrapKey(wrapped, own.seal, from.seal, jobContext(job))
  const secrets = key && toJobSecrets(key)
  // An id that does not follow from the key was chosen to make two jobs look like one.
  if (!from || secrets?.id !== job) return 'unreadable'
  return {
    secrets,
    from,
    run: randomBytes(8).toString('hex'),
    attempt: message.info.deliveryCount,
    sealed: { inline: body, ...(header.large && { object: secrets.jobBody }) },
    storedAt: millis(message.info.timestampNanos),
    control: new AbortController(),
  }
}

/** Undefined if no caller waits for it. */
export async function runTask(task: Task, parts: TaskParts): Promise<JobResult | undefined> {
  const { signal } = task.control
  const run = { run: task.run, attempt: task.attempt }
  const { events, failure } = await openAndGenerate(task, parts)
  const stop = signal.aborted ? (signal.reason as Stop) : undefined
  if (stop === 'cancelled' || stop === 'deserted') return undefined
  if (stop !== undefined) {
    return { ...run, events: [], failure: { code: 'model-unavailable', message: STOPS[stop] } }
  }
  return { ...run, events, ...(failure !== undefined && { failure: toWireFailure(failure.cause) }) }
}

const STOPS = { closing: 'it is shutting down', late: 'the answer took longer than anybody waits' }

type Generated = { readonly events: WireEvent[]; readonly failure?: { readonly cause: unknown } }

async function openAndGenerate(task: Task, parts: TaskParts): Promise<Generated> {
  try {
    const body = await openBody(task, parts)
    const left = task.storedAt + body.timeMs - parts.brokerTime()
    if (left <= 0) throw new AppError('model-unavailable', 'the job came too late; it was dropped')
    const late = setTimeout(() => task.control.abort('late' satisfies Stop), left)
    return await generate(task, body, parts).finally(() => clearTimeout(late))
  } catch (cause) {
    return { events: [], failure: { cause } }
  }
}

async function openBody(task: Task, { bodies, persist, own, isTrusted, log }: TaskParts): Promise<JobBody> {
  const { from, secrets, control } = task
  if (!(await isTrusted(from.id))) {
    log.warn({ id: from.id }, 'a machine that is not trusted asked; it was refused')
    const message = `it does not trust this machine; there, add ${from.id} to federation.nats.trusted (it is ${own.id})`
    throw new AppError('permission-denied', message)
  }
  const sealed = await persist(() => bodies.unpack(task.sealed), control.signal)
  const open = sealed && unlock(secrets.key, sealed, jobContext(secrets.id))
  const body = open && parseJson(jobBodySchema, open)
  if (!body) throw new AppError('request-invalid', 'the job cannot be read')
  return body
}

async function generate(task: Task, { model, request }: JobBody, parts: TaskParts): Promise<Generated> {
  const events: WireEvent[] = []
  let bytes = 0
  try {
    for await (const event of parts.offer.answer(model, request, task.control.signal)) {
      const said = toWireEvent(event)
      if (!said) continue
      bytes += Buffer.byteLength(JSON.stringify(said))
      if (bytes > MAX_BODY / 2 || events.length === MAX_EVENTS)
        throw new AppError('model-unavailable', 'the answer grew too large')
      events.push(said)
      // Only the result reports the end: until that is stored, this run may still be lost.
      if (said.type !== 'finish') parts.live(said, events.length - 1)
    }
    return { events }
  } catch (cause) {
    return { events, failure: { cause } }
  }
}
