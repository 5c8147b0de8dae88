/**
 * Several answers, one result. A candidate is what one worker answered; a vote says which of them counts, how sure that
 * is, and why others had no say. Front ends show these, so everything in an event is plain data.
 */
import type { ToolCall } from './message.ts'
import type { CheckResult } from './tool.ts'

/** What one worker answered, whole. */
export type Candidate = {
  /** Who answered; no two candidates of a vote share it. */
  readonly worker: string
  /**
   * Which other machine answered, by the fingerprint of its key. However often and under however many names it
   * answers, it has one ballot. Absent = this machine, whose workers are samples of its own model.
   */
  readonly machine?: string
  readonly text: string
  readonly calls: readonly ToolCall[]
  /** Why something that was meant as a call could not be read. */
  readonly badCalls?: readonly string[]
  /** The output limit, or a stream that broke, ended it. */
  readonly isCut?: boolean
  /** Its calls had to be repaired before they could be parsed. */
  readonly isRepaired?: boolean
  /** What the dry run said about each of its calls, in their order; absent = nothing is known. */
  readonly checks?: readonly (CheckResult | undefined)[]
}

/** What a call does to the world: nothing, something that can be undone, something that cannot. */
export type Effect = 'read' | 'write' | 'destroy'

/** What has to be known of a tool to tell whether two calls mean the same. */
export type VotingTool = {
  readonly name: string
  /** JSON schema. Its defaults are filled in before calls are compared. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Parameters that name a path; absent = those that are called like one. */
  readonly paths?: readonly string[]
  /** Absent = it may write. */
  effect?(input: unknown): Effect
}

export type VoteOptions = {
  readonly tools: readonly VotingTool[]
  /** A lead of this many votes wins, regardless of open votes. Absent = 2. */
  readonly ahead?: number
  /** The same for what cannot be undone; a smaller lead never wins there. Absent = 3. */
  readonly aheadToDestroy?: number
  /** The share of the votes that wins once everybody has answered. Absent = 0.4, and 0.5 for what writes. */
  readonly least?: number
  /** Fewer votes cannot elect an answer. Absent = 1. */
  readonly quorum?: number
  /** How many candidates may still come. Absent = none. */
  readonly remaining?: number
  /** A reply without a call is no answer. */
  readonly mustCall?: boolean
  /** The project's folder: a path under it is the same as the path from it. */
  readonly root?: string
}

/** Why a candidate has no vote. */
export type DiscardReason =
  | 'cut'
  | 'empty'
  | 'unreadable'
  | 'unknown-tool'
  | 'bad-arguments'
  | 'no-call'
  | 'check-failed'
  /** Its machine has a ballot already. */
  | 'second-ballot'

export type Discarded = { readonly worker: string; readonly reason: DiscardReason; readonly why: string }

/** Those who said the same. */
export type VoteGroup = {
  readonly workers: readonly string[]
  /** What they said, in one line. */
  readonly shows: string
  readonly effect: Effect
}

/** `open` = pending answers may change it; `split` = no answer has enough votes; `none` = no valid vote. */
export type VoteState = 'elected' | 'open' | 'split' | 'none'

export type VoteResult = {
  readonly state: VoteState
  /** Only if an answer was elected. Of parallel reads it may hold calls of several workers. */
  readonly winner?: Candidate
  /** The share of the votes behind the leader, 0-1. */
  readonly confidence: number
  /** The largest group first. */
  readonly votes: readonly VoteGroup[]
  readonly discarded: readonly Discarded[]
}

/** A worker that was asked and gave nothing. */
export type MissingVote = { readonly worker: string; readonly why: string }

/** Who made the reply that counts, where the vote alone did not. */
export type Decider = 'vote' | 'arbiter' | 'first' | 'person'

/** A finished vote as it is reported. */
export type VoteReport = Omit<VoteResult, 'winner'> & {
  /** Whose reply is taken. */
  readonly winner?: string
  readonly decider: Decider
  readonly missing: readonly MissingVote[]
  /** How often everybody was asked. */
  readonly rounds: number
  /** Tokens, by worker. */
  readonly usage: Readonly<Record<string, { readonly prompt: number; readonly completion: number }>>
}

/** Progress of a vote, for watching clients. */
export type VoteEvent =
  | {
      readonly type: 'vote'
      readonly stage: 'start'
      readonly why: string
      readonly workers: readonly string[]
    }
  /** One more has answered; `discarded` says why it has no vote. */
  | {
      readonly type: 'vote'
      readonly stage: 'candidate'
      readonly worker: string
      readonly shows: string
      readonly discarded?: string
    }
  | { readonly type: 'vote'; readonly stage: 'end'; readonly report: VoteReport }
