/**
 * From a candidate to a ballot, or to the reason why it has no vote. Malformed, cut off and failing answers are
 * discarded rather than repaired: a worker that slipped once has often slipped elsewhere, too. Pure.
 */
import { shortHash } from '../lib/hash.ts'
import { canonicalJson, isObject } from '../lib/json.ts'
import { clip } from '../lib/text.ts'
import type { ToolCall } from '../protocol/message.ts'
import type { CheckResult, FileChange } from '../protocol/tool.ts'
import type { Candidate, Discarded, DiscardReason, Effect, VoteOptions } from '../protocol/vote.ts'
import { meaningOf, type MeantCall } from './canonical.ts'

type BallotCall = { readonly call: ToolCall; readonly key: string; readonly effect: Effect }

export type Ballot = {
  readonly candidate: Candidate
  readonly calls: readonly BallotCall[]
  readonly effect: Effect
  readonly isStrict: boolean
  /** Characters its edits add and remove; 0 if unknown. */
  readonly size: number
}

export function toBallot(candidate: Candidate, options: VoteOptions): Ballot | Discarded {
  const flag = redFlag(candidate, options)
  if (flag) return discarded(candidate, ...flag)
  const meanings = candidate.calls.map((call) => meaningOf(call, options))
  const calls: BallotCall[] = []
  for (const [index, meaning] of meanings.entries()) {
    const call = candidate.calls[index]
    const check = candidate.checks?.[index]
    if (!meaning.ok) return discarded(candidate, meaning.reason, meaning.why)
    if (check?.ok === false) return discarded(candidate, 'check-failed', check.why)
    if (call) calls.push({ call, key: keyOf(meaning, check), effect: meaning.effect })
  }
  return {
    candidate,
    calls,
    effect: strongest(calls.map(({ effect }) => effect)),
    isStrict: !candidate.isRepaired && meanings.every((meaning) => meaning.ok && meaning.isStrict),
    size: changesOf(candidate).reduce((sum, change) => sum + sizeOf(change), 0),
  }
}

/**
 * At most one ballot for each other machine: the first by the order of `ballots`, which must not depend on who was
 * quicker. The rest has no vote.
 */
export function onePerMachine(ballots: readonly Ballot[]): {
  readonly counted: readonly Ballot[]
  readonly surplus: readonly Discarded[]
} {
  const seen = new Set<string>()
  const counted: Ballot[] = []
  const surplus: Discarded[] = []
  for (const ballot of ballots) {
    const { machine } = ballot.candidate
    if (machine !== undefined && seen.has(machine)) {
      surplus.push(discarded(ballot.candidate, 'second-ballot', 'its machine has a ballot already'))
    } else counted.push(ballot)
    if (machine !== undefined) seen.add(machine)
  }
  return { counted, surplus }
}

export const isBallot = (value: Ballot | Discarded): value is Ballot => 'candidate' in value

type Flag = readonly [DiscardReason, string]

function redFlag(candidate: Candidate, { mustCall = false }: VoteOptions): Flag | undefined {
  const { text, calls, badCalls = [], isCut = false } = candidate
  if (isCut) return ['cut', 'it was cut off']
  if (badCalls[0] !== undefined) return ['unreadable', badCalls[0]]
  if (calls.length > 0) return undefined
  if (text.trim() === '') return ['empty', 'it said nothing']
  return mustCall ? ['no-call', 'it called nothing'] : undefined
}

const discarded = ({ worker }: Candidate, reason: DiscardReason, why: string): Discarded => ({
  worker,
  reason,
  why: clip(why, 200),
})

/** Edits are the same when the files come out the same, whatever tool made them. */
function keyOf({ key }: MeantCall, check: CheckResult | undefined): string {
  const changes = check?.ok ? (check.changes ?? []) : []
  if (changes.length === 0) return key
  const files = changes.map(({ path, after, shape }) => [
    path,
    shape ?? (after === undefined ? null : bare(after)),
  ])
  return `files ${shortHash(canonicalJson(files.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))))}`
}

/** Line ends and blanks at the end of a line are no difference anybody meant. */
const bare = (text: string): string => text.replaceAll(/[^\S\n]+$/gm, '').trimEnd()

export const strongest = (effects: readonly Effect[]): Effect =>
  (['destroy', 'write'] as const).find((effect) => effects.includes(effect)) ?? 'read'

const changesOf = ({ checks = [] }: Candidate): readonly FileChange[] =>
  checks.flatMap((check) => (check?.ok ? (check.changes ?? []) : []))

/** What stands between the common start and the common end, before and after. */
function sizeOf({ before = '', after = '' }: FileChange): number {
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start++
  let end = 0
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  return before.length + after.length - 2 * (start + end)
}

/** What a candidate says, in one line for a person. */
export function showCandidate({ text, calls }: Pick<Candidate, 'text' | 'calls'>): string {
  if (calls.length === 0) return clip(text.trim().replaceAll(/\s+/g, ' '), 80)
  return clip(calls.map(showCall).join(', '), 160)
}

function showCall({ name, input }: ToolCall): string {
  try {
    const value: unknown = JSON.parse(input)
    const about = isObject(value) ? Object.values(value).find((part) => typeof part === 'string') : undefined
    return typeof about === 'string' ? `${name} ${clip(about.replaceAll(/\s+/g, ' '), 60)}` : name
  } catch {
    return name
  }
}
