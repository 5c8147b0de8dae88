/**
 * What follows a step within the same part of a request: nothing more, the same with another file, another change of a line, or something
 * else, which nano is asked for. All of these with what speaks for each, for a log-linear model that was trained on the chains by hand. Pure.
 */
import type { FurtherAsk, FurtherCandidate } from './ask.ts'
import { editNexts } from './edits.ts'
import { bucket, type Facts, factsOf, GAPS, openOf, type Scored } from './facts.ts'
import { pathNexts } from './paths.ts'

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
