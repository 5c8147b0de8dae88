/**
 * Prompts by the keys their clients gave them. A client whose connection broke cannot know whether its prompt arrived; it
 * sends it again, and the second arrival gets what the first got. Keys are part of the log, so a resumed session has them.
 */
import { hash } from 'node:crypto'
import { AppError } from '../protocol/error.ts'
import type { AcceptedPrompt, SessionApi } from '../protocol/session-api.ts'

type PromptInput = Parameters<SessionApi['prompt']>[0]

export type PromptKey = { readonly key: string; readonly runId: string; readonly digest: string }

/** A client sends one again within minutes; older ones are forgotten. */
const MAX_KEYS = 1_000

export class PromptKeys {
  readonly #known = new Map<string, { readonly digest: string; readonly accepted: Promise<AcceptedPrompt> }>()

  constructor(past: readonly PromptKey[]) {
    for (const { key, runId, digest } of past) this.#add(key, digest, Promise.resolve({ runId }))
  }

  /** What was refused is forgotten: it may be tried again. */
  async once(
    key: string,
    input: PromptInput,
    accept: () => Promise<AcceptedPrompt>,
  ): Promise<AcceptedPrompt> {
    const digest = promptDigest(input)
    const known = this.#known.get(key)
    if (known && known.digest !== digest) throw new AppError('request-invalid', OTHER, { status: 409 })
    if (known) return { ...(await known.accepted), isRepeated: true }
    const accepted = accept()
    this.#add(key, digest, accepted)
    accepted.catch(() => this.#known.delete(key))
    return accepted
  }

  #add(key: string, digest: string, accepted: Promise<AcceptedPrompt>): void {
    this.#known.set(key, { digest, accepted })
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_KEYS && oldest !== undefined) this.#known.delete(oldest)
  }
}

const OTHER = 'This key belongs to another prompt of the session; send each prompt with a key of its own.'

/** Of a prompt as it is logged, without secrets. */
const promptDigest = (input: PromptInput): string => hash('sha256', JSON.stringify(input))

/** The newest keys of a log that is being read. */
export class PastKeys {
  #keys: PromptKey[] = []

  add(key: string, runId: string, input: PromptInput): void {
    this.#keys.push({ key, runId, digest: promptDigest(input) })
    if (this.#keys.length >= 2 * MAX_KEYS) this.#keys = this.newest()
  }

  newest(): PromptKey[] {
    return this.#keys.slice(-MAX_KEYS)
  }
}
