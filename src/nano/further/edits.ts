/** Another change of a line: what the ranking of edits finds besides what was done, and the same change in other files. Pure. */
import { outcomeOf, type RankedEdit } from '../edits/ranking.ts'
import { ALL, bucket, type Facts, openOf, type Scored, withAction } from './facts.ts'
import { placed, placeSigns } from './paths.ts'
import type { FurtherAsk } from './ask.ts'
import { type SameChange, sameChanges } from '../edits/same-change.ts'

const MOST_EDITS = 8

type Edit = Omit<RankedEdit, 'share'>

/** What is known of all candidates. */
type Around = {
  readonly clause: string
  readonly facts: Facts
  readonly last: Edit
  readonly ranked: readonly RankedEdit[]
  /** The same change elsewhere, in the files that fit best first. */
  readonly same: readonly SameChange[]
  /** How likely the likeliest of those that were made was, and what is left to all others. */
  readonly most: number
  readonly rest: number
  /** Where the new texts of those that were made stand. */
  readonly ats: ReadonlySet<number>
}

export function editNexts({ made, edits, project, clause }: FurtherAsk, facts: Facts): Scored[] {
  const done = made.flatMap((step) => (step.do === 'edit' ? [step.edit] : []))
  const last = done.at(-1)
  if (!last) return []
  const known = new Map(edits.map((edit) => [outcomeOf(edit), edit]))
  const found = done.flatMap((edit) => known.get(outcomeOf(edit)) ?? [])
  const isOpen = (one: Edit): boolean =>
    !done.some(({ path, number }) => path === one.path && number === one.number)
  const around: Around = {
    clause,
    facts,
    last,
    ranked: edits.filter(isOpen),
    same: bestPlaced(sameChanges(last, project.texts).filter(isOpen), facts),
    most: Math.max(0, ...found.map(({ share }) => share)),
    rest: Math.max(1e-9, 1 - found.reduce((sum, { share }) => sum + share, 0)),
    ats: new Set(found.flatMap(({ at }) => at ?? [])),
  }
  const all = new Map<string, Edit>(
    [...around.ranked.slice(0, MOST_EDITS), ...around.same].map((edit) => [outcomeOf(edit), edit]),
  )
  return [...all.values()].map((edit) => scored(edit, around))
}

const bestPlaced = (same: readonly SameChange[], facts: Facts): SameChange[] =>
  same
    .map((edit) => ({ edit, gap: placed(edit.path, facts).gap }))
    .toSorted((a, b) => b.gap - a.gap)
    .slice(0, MOST_EDITS)
    .map(({ edit }) => edit)

function scored(edit: Edit, around: Around): Scored {
  const { ranked, same, most, facts } = around
  const isIt = (one: Edit): boolean => outcomeOf(one) === outcomeOf(edit)
  const at = ranked.findIndex(isIt)
  const share = ranked[at]?.share ?? 0
  const ratio = Math.log10((share + 1e-5) / (most + 1e-5))
  const kin = same.findIndex(isIt)
  const found: Found = { rank: at, share, ratio, kin, by: same[kin]?.by ?? 'none' }
  return {
    next: { kind: 'edit', edit },
    worth: ratio,
    isFresh: kin >= 0 && edit.path !== around.last.path && placed(edit.path, facts).fresh > 0,
    signs: withAction(['edit', ...likelySigns(edit, found, around), ...kinSigns(edit, found, around)], facts),
  }
}

type Found = {
  readonly rank: number
  readonly share: number
  readonly ratio: number
  readonly kin: number
  readonly by: SameChange['by'] | 'none'
}

function likelySigns(edit: Edit, { rank, share, ratio }: Found, around: Around): string[] {
  const { ranked, rest, last, ats, facts } = around
  const where = edit.path === last.path ? 'same-file' : 'other-file'
  const said = ranked[rank]?.at
  const text = said === undefined ? 'unsaid' : ats.has(said) ? 'same-text' : 'other-text'
  const left = `rest:${bucket(share / rest, SHARES)}`
  const close = `ratio:${bucket(ratio, RATIOS)}`
  return [
    close,
    `share:${bucket(share, SHARES)}`,
    left,
    `${left} ${where} ${text}`,
    `rank:${Math.min(4, rank)}`,
    `${where} ${text}`,
    `${where} ${text} ${close}`,
    `${where} ${text} ${close} open:${openOf(facts)}`,
    `removes:${edit.after === ''} ${last.after === ''}`,
  ]
}

function kinSigns(edit: Edit, { share, kin, by }: Found, around: Around): string[] {
  const { same, rest, last, clause, facts } = around
  const isThere = edit.path === last.path
  const where = isThere ? 'same-file' : 'other-file'
  const place = placed(edit.path, facts)
  const signs = isThere
    ? [`lines:${Math.min(3, Math.abs(edit.number - last.number))}`]
    : placeSigns(place, { facts, clause, last: last.path }).map((sign) => `same:${by} ${sign}`)
  return [
    ...signs,
    `same:${by} ${where}`,
    `same:${by} kin:${Math.min(3, kin)} of:${Math.min(4, same.length)}`,
    `same:${by} ${where} fresh:${Math.min(2, place.fresh)} rest:${bucket(share / rest, SHARES)}`,
    `all:${ALL.test(clause)} same:${by} ${where}`,
    `again:${AGAIN.test(clause)} same:${by} ${where}`,
  ]
}

const RATIOS = [-4, -3, -2, -1.5, -1, -0.6, -0.3, -0.1, 0.1]
const SHARES = [0.001, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5]
const AGAIN = /\b(?:same|likewise|ditto|too|as well|also|it|that|them)\b/i
