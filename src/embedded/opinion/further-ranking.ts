/**
 * What follows a step within the same part of a request: nothing more, the same with another file, another change of a line, or something
 * else, which nano is asked for. All of these with what speaks for each, for a log-linear model that was trained on the chains by hand. Pure.
 */
import type { RankedEdit } from './edit-ranking.ts'
import { editNexts } from './further-edits.ts'
import { bucket, type Facts, factsOf, GAPS, openOf, type Scored } from './further-facts.ts'
import { pathNexts } from './further-paths.ts'
import type { PathProject } from './path-project.ts'

/** Steps that are repeated with another file. */
export type RepeatedAction = 'read' | 'list' | 'append' | 'delete' | 'copy' | 'move'

/** A step that was made for this part. Edits are known by what they leave of their line. */
export type MadeStep =
  | { readonly do: RepeatedAction; readonly path: string }
  | { readonly do: 'edit'; readonly edit: Pick<RankedEdit, 'path' | 'number' | 'before' | 'after'> }
  | { readonly do: 'other' }

export type FurtherAsk = {
  readonly clause: string
  /** At least one; the latest last. */
  readonly made: readonly MadeStep[]
  /** As it was before the first of them. */
  readonly project: PathProject
  /** The changes the clause may ask for, as if none had been made. */
  readonly edits: readonly RankedEdit[]
  /** No other part comes after this one. */
  readonly isLast: boolean
}

export type Further =
  | { readonly kind: 'stop' | 'ask' }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'edit'; readonly edit: Omit<RankedEdit, 'share'> }

export type FurtherCandidate = { readonly next: Further; readonly signs: readonly string[] }

export function furtherCandidates(ask: FurtherAsk): FurtherCandidate[] {
  const facts = factsOf(ask)
  const last = ask.made.at(-1)
  const nexts = last?.do === 'edit' ? editNexts(ask, facts) : pathNexts(ask, facts)
  return [...endings(nexts, facts), ...nexts.map(({ next, signs }) => ({ next, signs }))]
}

function endings(nexts: readonly Scored[], facts: Facts): FurtherCandidate[] {
  const { action, made, need, verbs, isLast } = facts
  const worths = nexts.map(({ worth }) => worth).toSorted((a, b) => b - a)
  const best = `best:${bucket(worths[0] ?? -9, GAPS)}`
  const open = openOf(facts)
  const fresh = `fresh:${Math.min(2, nexts.filter(({ isFresh }) => isFresh).length)}`
  const known = [
    '',
    `made:${made}`,
    `need:${need}`,
    `open:${open}`,
    `verbs:${verbs}`,
    `last:${isLast}`,
    best,
    `need:${need} open:${open}`,
    `open:${open} verbs:${verbs}`,
    `need:${need} ${best}`,
    `open:${open} ${best}`,
    fresh,
    `${fresh} open:${open}`,
    `${fresh} need:${need}`,
    `rivals:${Math.min(4, worths.filter((worth) => worth >= NEAR).length)}`,
    `even:${worths.length > 1 && worths[0] === worths[1]}`,
  ]
  const signsOf = (kind: string): string[] =>
    known.flatMap((sign) => [`${kind} ${sign}`, `${kind} ${action} ${sign}`])
  return [
    { next: { kind: 'stop' }, signs: signsOf('stop') },
    { next: { kind: 'ask' }, signs: signsOf('ask') },
  ]
}

/** As good as what was done. */
const NEAR = -0.3
