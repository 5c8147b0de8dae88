/**
 * Everything about one job that an outsider must not guess: its id, where its result goes, what its large bodies are
 * called, and the proofs that a cancel or a beat comes from the machine that asked. All of it follows from the job's key,
 * which only the two machines have. A name is public once it was used, so each use has a name of its own.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { toReplyKey } from './seal.ts'

export type JobSecrets = {
  readonly key: Buffer
  readonly replyKey: Buffer
  readonly id: string
  /** The last word of the result's subject, and its message id. */
  readonly result: string
  /** Names in the object store. */
  readonly jobBody: string
  readonly resultBody: string
}

export function toJobSecrets(key: Buffer): JobSecrets {
  const replyKey = toReplyKey(key)
  const name = (use: string) => macOf(replyKey, use).slice(0, 32)
  return {
    key,
    replyKey,
    id: name('job'),
    result: name('result'),
    jobBody: name('job body'),
    resultBody: name('result body'),
  }
}

/** What a cancel of the job must carry. */
export const cancelProof = ({ replyKey }: JobSecrets): string => macOf(replyKey, 'cancel')

/** `count` grows with each beat of one run, so that a recorded one is worth nothing. */
export const toBeat = ({ replyKey }: JobSecrets, run: string, count: number): string =>
  `${count} ${macOf(replyKey, `beat ${run} ${count}`)}`

/** The number of the beat; nothing where the machine that asked did not send it for this run. */
export function readBeat(secrets: JobSecrets, run: string, said: string): number | undefined {
  const count = Number(/^(\d{1,15}) [0-9a-f]{64}$/.exec(said)?.[1] ?? Number.NaN)
  if (Number.isNaN(count)) return undefined
  return isSameText(said, toBeat(secrets, run, count)) ? count : undefined
}

export function isSameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const macOf = (key: Uint8Array, use: string): string =>
  createHmac('sha256', key).update(`covey nats ${use}`).digest('hex')
