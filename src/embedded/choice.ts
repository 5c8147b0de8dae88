/**
 * What the deciding tokens of a reply were chosen from, and how large a share the chosen one had. Of a name only the
 * tools on offer count, however their names are cut into tokens: that is what a grammar leaves, and where it leaves
 * one the choice is certain. Where a value begins, anything could stand. Pure.
 */
import { decidingTokens, decisionSpans, type DecidingToken } from '../dialect/read/decision.ts'
import type { ReplyEvent } from '../protocol/dialect.ts'

export type Choice = {
  /** The token's place among those written. */
  readonly index: number
  /** Of a name: the text for the tool that was called, and for each that could be. */
  readonly name?: { readonly own: string; readonly all: readonly string[] }
}

type WrittenText = {
  /** Of each token. */
  readonly texts: readonly string[]
  /** What was read out of them. */
  readonly told: readonly ReplyEvent[]
}

/** `names`: the tools that could be called. */
export function choicesIn({ texts, told }: WrittenText, names: readonly string[]): readonly Choice[] {
  const text = texts.join('')
  return decidingTokens(texts, decisionSpans(text, told))
    .map((token) => toChoice(token, text, names))
    .filter(({ name }) => name === undefined || name.all.length > 1)
}

function toChoice({ index, start, place }: DecidingToken, text: string, names: readonly string[]): Choice {
  if (place.kind === 'value') return { index }
  const called = text.slice(place.start, place.end)
  const lead = text.slice(start, Math.max(start, place.start))
  const before = text.slice(place.start, Math.max(start, place.start))
  const restOf = (name: string): string => lead + name.slice(before.length)
  const possible = [called, ...names.filter((name) => name !== called && name.startsWith(before))]
  return { index, name: { own: restOf(called), all: possible.map(restOf) } }
}

type Candidate = { readonly text: string; readonly share: number; readonly isChosen: boolean }

/** `candidates`: the likeliest tokens at the place. */
export function shareOf({ name }: Choice, candidates: readonly Candidate[]): number {
  if (!name) return candidates.find(({ isChosen }) => isChosen)?.share ?? 0
  let own = 0
  let all = 0
  for (const { text, share } of candidates) {
    if (fits(text, name.own)) own += share
    if (name.all.some((rest) => fits(text, rest))) all += share
  }
  return all === 0 ? 0 : own / all
}

/** A token may end in the middle of a name, or go on behind it. */
const fits = (text: string, rest: string): boolean =>
  text !== '' && (rest.startsWith(text) || text.startsWith(rest))
