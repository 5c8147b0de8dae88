/** The result of a job as the machine that asked reads it from the stream; and how it ends where there can be none. */
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../protocol/error.ts'
import type { Bodies } from './bodies.ts'
import {
  fromFrame,
  type JobResult,
  jobResultSchema,
  parseJson,
  resultContext,
  resultHeaderSchema,
} from './job.ts'
import type { NatsNames } from './names.ts'
import { unlock } from './seal.ts'
import type { NatsStore } from './streams.ts'
import type { JobSecrets } from './job-secrets.ts'

export type ResultParts = {
  readonly store: NatsStore
  readonly bodies: Bodies
  readonly names: NatsNames
  readonly own: { readonly id: string }
}

/** Whose answer it is, and what of it lies in the object store. */
type Wanted = {
  readonly secrets: JobSecrets
  readonly target: { readonly name: string }
  readonly objects: Set<string>
}

/** Nothing as long as there is none. */
export async function findResult(job: Wanted, parts: ResultParts): Promise<JobResult | undefined> {
  const { store, names, own, bodies } = parts
  const { secrets } = job
  const subject = names.result(own.id, secrets.result)
  const message = await store.jsm.direct.getMessage(names.results, { last_by_subj: subject })
  if (!message) return undefined
  const frame = fromFrame(resultHeaderSchema, message.data)
  if (!frame) throw unreadable(job)
  const { large } = frame.header
  if (large) job.objects.add(secrets.resultBody)
  const sealed = await bodies.unpack({ inline: frame.body, ...(large && { object: secrets.resultBody }) })
  const body = sealed && unlock(secrets.replyKey, sealed, resultContext(secrets.id))
  const result = body && parseJson(jobResultSchema, body)
  if (!result) throw unreadable(job)
  return result
}

/** Of a result that the other machine says is stored: a copy of the stream may be a moment behind. */
export async function requireResult(
  job: Wanted,
  parts: ResultParts,
  done: 'stored' | 'duplicate',
): Promise<JobResult> {
  for (let tries = 0; tries < TRIES; tries++) {
    const result = await findResult(job, parts)
    if (result) return result
    await delay(AGAIN_MS)
  }
  const { name } = job.target
  const what =
    done === 'duplicate'
      ? 'was dropped by the NATS server as a duplicate of something else'
      : 'was stored and is gone again'
  const message = `${name}: its answer ${what}; another user of the NATS server may write to or delete from ${parts.names.results}: restrict its permissions.`
  throw new AppError('model-unavailable', message)
}

const TRIES = 5
const AGAIN_MS = 200

/** Looking again would find the same. */
const unreadable = ({ target }: Wanted): AppError =>
  new AppError('model-unavailable', `${target.name} sent an invalid result for this job.`)
