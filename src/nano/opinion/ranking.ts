/** Candidates by how likely each is in the opinion of a log-linear model over their signs. Pure. */
import { hashOf, type LinearModel, softmax } from './linear.ts'

export type Weigh = (sign: string) => number

export type Ranked<Candidate> = Candidate & { readonly share: number }

/** The likeliest first. */
export function ranked<Candidate extends { readonly signs: readonly string[] }>(
  candidates: readonly Candidate[],
  weigh: Weigh,
): Ranked<Candidate>[] {
  if (candidates.length === 0) return []
  const shares = softmax(candidates.map(({ signs }) => signs.reduce((sum, sign) => sum + weigh(sign), 0)))
  return candidates
    .map((candidate, at) => ({ ...candidate, share: shares[at] ?? 0 }))
    .toSorted((a, b) => b.share - a.share)
}

/** Remembers what it has looked up: candidates share most of their signs. */
export function weigherOf({ rows, weights, step }: LinearModel): Weigh {
  const known = new Map<string, number>()
  return (sign) => {
    const found = known.get(sign) ?? (weights[rows.get(hashOf(sign)) ?? -1] ?? 0) * step
    if (known.size < MOST_KNOWN) known.set(sign, found)
    return found
  }
}

const MOST_KNOWN = 50_000
