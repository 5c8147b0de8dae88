/**
 * How well a text answers a question, by its words: BM25 over groups of words that mean nearly the same. Pure. The
 * `overlap` says how much of what was asked, or of what the fact says, is there at all: unlike the score it can be
 * compared between questions, so it decides whether something is worth showing.
 */
import { similarTerms } from './synonyms.ts'
import { termsOf } from './words.ts'

/** One thing that was asked for: the term itself, and what counts for it, each with its weight. */
export type QueryGroup = ReadonlyMap<string, number>

const SYNONYM_WEIGHT = 0.5
/** A pasted log is no question; its beginning says what it is about. */
const MAX_CHARACTERS = 4_000
const MAX_GROUPS = 32

export function expandQuery(query: string): readonly QueryGroup[] {
  const terms = [...new Set(termsOf(query.slice(0, MAX_CHARACTERS)))].slice(0, MAX_GROUPS)
  return terms.map(
    (term) => new Map([[term, 1], ...similarTerms(term).map((other) => [other, SYNONYM_WEIGHT] as const)]),
  )
}

/** How many texts hold each term, and how many there are. */
export type Frequencies = { readonly of: ReadonlyMap<string, number>; readonly total: number }

export type WeighedQuery = {
  /** What finding a term is worth, and for which group. */
  readonly terms: ReadonlyMap<string, readonly { readonly group: number; readonly worth: number }[]>
  /** What finding everything would be worth. */
  readonly total: number
  idf(term: string): number
}

export function weighQuery(groups: readonly QueryGroup[], frequencies: Frequencies): WeighedQuery {
  const idf = (term: string): number => rarity(frequencies.of.get(term) ?? 0, frequencies.total)
  const terms = new Map<string, { group: number; worth: number }[]>()
  let total = 0
  for (const [group, alternatives] of groups.entries()) {
    // A rare synonym must not be worth more than the word that was asked for.
    const most = Math.max(...Array.from(alternatives, ([term, weight]) => (weight === 1 ? idf(term) : 0)))
    total += most
    for (const [term, weight] of alternatives) {
      const worth = weight * Math.min(most, idf(term))
      terms.set(term, [...(terms.get(term) ?? []), { group, worth }])
    }
  }
  return { terms, total, idf }
}

const rarity = (count: number, total: number): number =>
  Math.log(1 + (Math.max(total, count) - count + 0.5) / (count + 0.5))

export type WordScore = { readonly score: number; readonly overlap: number }

const SATURATION = 1.2
const LENGTH_WEIGHT = 0.5
const USUAL_LENGTH = 14

export function scoreTerms(terms: readonly string[], query: WeighedQuery): WordScore {
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  const length = 1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * terms.length) / USUAL_LENGTH
  const best = new Map<number, { worth: number; score: number }>()
  let said = 0
  for (const [term, count] of counts) {
    said += query.idf(term)
    for (const { group, worth } of query.terms.get(term) ?? []) {
      const score = (worth * count * (SATURATION + 1)) / (count + SATURATION * length)
      if (score > (best.get(group)?.score ?? 0)) best.set(group, { worth, score })
    }
  }
  const found = [...best.values()]
  const worth = found.reduce((sum, one) => sum + one.worth, 0)
  const score = found.reduce((sum, one) => sum + one.score, 0)
  // Two of three things asked for beat one of them said loudly.
  return {
    score: score * (0.5 + (0.5 * worth) / Math.max(query.total, 1e-9)),
    overlap: Math.min(1, worth / Math.max(1e-9, Math.min(query.total, said))),
  }
}

/** Something found in one way: the better the higher its score. */
export type Scored = { readonly id: number; readonly score: number }

const RANK_SMOOTHING = 60
/** Scores closer than this say nothing about which is better. */
const NEAR = 0.02

/**
 * Reciprocal rank fusion: what several ways find near the top comes first. Near scores share a rank. `weights` says how
 * much each way counts; absent = as much as the others.
 */
export function mergeRanks(
  lists: readonly (readonly Scored[])[],
  weights: readonly number[] = [],
): ReadonlyMap<number, number> {
  const merged = new Map<number, number>()
  for (const [way, list] of lists.entries()) {
    const weight = weights[way] ?? 1
    let rank = 0
    let lead = Number.POSITIVE_INFINITY
    for (const [index, { id, score }] of list.toSorted((a, b) => b.score - a.score).entries()) {
      if (score < lead * (1 - NEAR)) {
        rank = index + 1
        lead = score
      }
      merged.set(id, (merged.get(id) ?? 0) + weight / (RANK_SMOOTHING + rank))
    }
  }
  return merged
}

/** Fewer than this do not show what is usual. */
const MIN_COSINES = 8
const USUAL_COSINE = 0.5

/**
 * How far a cosine stands above what is usual for this question, 0-1. Models differ in what they call near: with some
 * everything has 0.7, with others nothing.
 */
export function prominence(cosines: readonly number[]): (cosine: number) => number {
  const middle = cosines.toSorted((a, b) => a - b)[Math.floor(cosines.length / 2)]
  const usual = cosines.length < MIN_COSINES || middle === undefined ? USUAL_COSINE : middle
  return (cosine) => Math.max(0, (cosine - usual) / Math.max(1e-9, 1 - usual))
}

/** Sentences of one pattern crowd everything else out: of those that are much alike only some come first. */
const MAX_ALIKE = 2
const ALIKE = 0.4

export function spread<T extends { readonly terms: readonly string[] }>(
  ranked: readonly T[],
  limit: number,
): readonly T[] {
  const chosen: { readonly item: T; readonly terms: ReadonlySet<string> }[] = []
  const later: T[] = []
  for (const item of ranked) {
    if (chosen.length === limit) break
    const terms = new Set(item.terms)
    const alike = chosen.filter((other) => shared(terms, other.terms) >= ALIKE).length
    if (alike < MAX_ALIKE) chosen.push({ item, terms })
    else later.push(item)
  }
  return [...chosen.map(({ item }) => item), ...later].slice(0, limit)
}

/** Jaccard's index. */
function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((term) => b.has(term)).length
  return both / Math.max(1, a.size + b.size - both)
}
