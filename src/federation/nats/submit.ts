/** Sending a job: sealed for each machine that may answer it, its id the id of the message, so that it is stored once. */
import type { KeyObject } from 'node:crypto'
import { AppError } from '../../protocol/error.ts'
import type { ModelRequest } from '../../protocol/model.ts'
import type { Bodies } from './bodies.ts'
import type { Card, Holder } from './card.ts'
import { jobContext, type JobHeader, toFrame, toJson } from './job.ts'
import type { Persist } from './link.ts'
import { lock, wrapKey } from './seal.ts'
import type { NatsStore } from './streams.ts'
import { toWireRequest } from '../peer-model.ts'
import { WIRE_VERSION } from '../wire.ts'
import type { JobSecrets } from './job-secrets.ts'

export type SubmitParts = {
  readonly persist: Persist
  readonly store: NatsStore
  readonly bodies: Bodies
  readonly own: { readonly card: Card; readonly seal: KeyObject }
  readonly deadlineMs: number
}

type Outgoing = {
  readonly secrets: JobSecrets
  readonly target: { readonly name: string; readonly subject: string; readonly holders: readonly Holder[] }
  /** What of it lies in the object store. */
  readonly objects: Set<string>
}

export type Question = { readonly model: string; readonly request: ModelRequest }

/** Sent again after a timeout, it is still one job. */
export async function submit(
  { secrets: { id, key, jobBody }, target, objects }: Outgoing,
  { model, request }: Question,
  { own, persist, store, bodies, deadlineMs }: SubmitParts,
  signal: AbortSignal,
): Promise<void> {
  const context = jobContext(id)
  const travelling = toWireRequest(target.name, request)
  const body = lock(key, toJson({ model, request: travelling, timeMs: deadlineMs }), context)
  const { inline, object } = await persist(() => bodies.pack(jobBody, body), signal)
  if (object !== undefined) objects.add(object)
  const keys = target.holders.map((holder) => [holder.id, wrapKey(key, own.seal, holder.seal, context)])
  const header: JobHeader = {
    version: WIRE_VERSION,
    job: id,
    card: own.card,
    keys: Object.fromEntries(keys) as Record<string, string>,
    ...(object !== undefined && { large: true as const }),
  }
  const frame = toFrame(header, inline)
  let tries = 0
  const { duplicate } = await persist((timeout) => {
    tries++
    return store.publish(target.subject, frame, { msgID: id, timeout })
  }, signal)
  if (duplicate && tries === 1) {
    const message = `the NATS server dropped the job for ${target.name} as a duplicate of something else; ask again.`
    throw new AppError('model-unavailable', message)
  }
}
