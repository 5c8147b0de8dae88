/**
 * One round of a vote: candidates are checked as they come, counted, and as soon as the outcome is certain the rest is
 * cancelled. Watchers see what came in.
 */
import type { ToolCall } from '../protocol/message.ts'
import type { CheckResult } from '../protocol/tool.ts'
import type { MissingVote, VoteEvent, VoteOptions, VoteResult } from '../protocol/vote.ts'
import { showCandidate } from './ballot.ts'
import type { DryRun } from './dry-run.ts'
import { type Arrival, gather } from './gather.ts'
import type { Answered, Ask } from './worker.ts'
import { vote } from './vote.ts'

/** A call as it will be understood when it is made; nothing where it will not be. */
export type Understand = (
  call: ToolCall,
) => { readonly call: ToolCall; readonly isRepaired: boolean } | undefined

/** What is found out about a candidate before it is counted. */
type Inspection = { readonly understand?: Understand; readonly dryRun?: DryRun }

export type VoteParts = Inspection & { readonly options: VoteOptions; readonly deadlineMs: number }

export type Round = {
  readonly result: VoteResult
  readonly answered: readonly Answered[]
  readonly missing: readonly MissingVote[]
  /** What the workers failed with, in the order it came. */
  readonly errors: readonly unknown[]
}

/** `before`: who has answered already counts. */
type Voting = { readonly asks: readonly Ask[]; readonly before: Round }

export async function* holdVote(
  { asks, before }: Voting,
  parts: VoteParts,
  signal: AbortSignal,
): AsyncGenerator<VoteEvent, Round> {
  const { options, deadlineMs } = parts
  let round = before
  let remaining = asks.length
  for await (const arrival of gather(asks, deadlineMs, signal)) {
    remaining--
    round = await withArrival(round, arrival, { ...parts, signal })
    const result = vote(round.answered, { ...options, remaining })
    round = { ...round, result }
    if (arrival.kind === 'candidate') yield toEvent(arrival.candidate, result)
    if (result.state !== 'open') break
  }
  return round
}

export const noRound: Round = {
  result: { state: 'none', confidence: 0, votes: [], discarded: [] },
  answered: [],
  missing: [],
  errors: [],
}

type Inspecting = Inspection & { readonly signal: AbortSignal }

export async function withArrival(round: Round, arrival: Arrival, inspecting: Inspecting): Promise<Round> {
  if (arrival.kind === 'candidate') {
    return { ...round, answered: [...round.answered, await inspected(arrival.candidate, inspecting)] }
  }
  const errors = arrival.error === undefined ? round.errors : [...round.errors, arrival.error]
  return { ...round, missing: [...round.missing, arrival.missing], errors }
}

/** The vote is about the meaning; the winner is reported as it was written. */
async function inspected(candidate: Answered, { understand, dryRun, signal }: Inspecting): Promise<Answered> {
  const meant = candidate.calls.map((call) => understand?.(call) ?? { call, isRepaired: false })
  const calls = meant.map(({ call }) => call)
  const check = async (call: ToolCall): Promise<CheckResult | undefined> => dryRun?.(call, signal)
  return {
    ...candidate,
    calls,
    isRepaired: meant.some(({ isRepaired }) => isRepaired),
    checks: await Promise.all(calls.map(check)),
  }
}

function toEvent(candidate: Answered, { discarded }: VoteResult): VoteEvent {
  const { worker } = candidate
  const why = discarded.find((one) => one.worker === worker)?.why
  return {
    type: 'vote',
    stage: 'candidate',
    worker,
    shows: showCandidate(candidate),
    ...(why !== undefined && { discarded: why }),
  }
}
