/**
 * How long a machine that asked goes on waiting. Until the first token a peer may say that it still works, up to a
 * limit; after it, only silence counts. What was recorded and sent again is no sign of life. Pure but for its own
 * memory.
 */
import type { LivePart } from './job.ts'

export type Patience = {
  /** A part that the machine which answers has sealed. */
  hear(part: LivePart): void
  /** The broker was away since then: that time does not count as silence. */
  forgive(since: number): void
  /** Why waiting makes no sense any more. */
  whyOver(): string | undefined
  /** The runs of the job that were heard of lately, and where. */
  runs(): readonly { readonly run: string; readonly node: string }[]
}

export type PatienceLimits = {
  /** From the question to the first token, whatever else is said meanwhile. */
  readonly firstTokenMs: number
  /** Without a word, once there was a token. */
  readonly silentMs: number
}

type Heard = { readonly node: string; readonly sequence: number; readonly at: number }

export function createPatience(
  { firstTokenMs, silentMs }: PatienceLimits,
  now: () => number = () => performance.now(),
): Patience {
  const heard = new Map<string, Heard>()
  let startedAt = now()
  let heardAt: number | undefined
  return {
    hear({ run, node, sequence, events }) {
      const last = heard.get(run)
      if (last ? sequence <= last.sequence : heard.size >= MAX_RUNS) return
      heard.set(run, { node, sequence, at: now() })
      if (events.length > 0 || heardAt !== undefined) heardAt = now()
    },
    forgive(since) {
      const awayMs = now() - since
      startedAt += awayMs
      if (heardAt !== undefined) heardAt = now()
    },
    whyOver() {
      const limitMs = heardAt === undefined ? firstTokenMs : silentMs
      if (now() - (heardAt ?? startedAt) <= limitMs) return undefined
      const seconds = Math.round(limitMs / 1000)
      if (heardAt !== undefined) return `it fell silent for ${seconds} s in the middle of its answer`
      return `it gave no first token within ${seconds} s; federation.nats.first_token_s allows more`
    },
    runs: () =>
      [...heard].filter(([, { at }]) => now() - at <= silentMs).map(([run, { node }]) => ({ run, node })),
  }
}

/** A job is delivered 20 times at most. */
const MAX_RUNS = 32
