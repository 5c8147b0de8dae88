/**
 * How long a model that stopped making sense is asked again. A void reply costs what it generated: the request is the same,
 * so its prompt is cached. A model that has worked in this run is therefore given time by cost, not by count; one that never
 * called anything is not.
 */
import type { Usage } from '../protocol/model.ts'

export type Vain = {
  /** Void replies since the last call. */
  readonly replies: number
  /** What they generated. */
  readonly tokens: number
}

export const NOTHING_IN_VAIN: Vain = { replies: 0, tokens: 0 }

const MOST_REPLIES = 32
/** Half a minute on a laptop that generates 20 tokens a second. */
const MOST_TOKENS = 640

export const isAffordable = ({ replies, tokens }: Vain): boolean =>
  replies < MOST_REPLIES && tokens < MOST_TOKENS

type Said = { readonly text: string; readonly reasoning: string; readonly usage?: Usage }

const CHARACTERS_PER_TOKEN = 4

/** Reasoning that a server keeps to itself shows only in what it reports. */
export function inVain({ replies, tokens }: Vain, { text, reasoning, usage }: Said): Vain {
  const seen = Math.ceil((text.length + reasoning.length) / CHARACTERS_PER_TOKEN)
  return { replies: replies + 1, tokens: tokens + Math.max(seen, usage?.completion ?? 0) }
}
