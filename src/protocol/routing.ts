/**
 * How an arm is chosen, as values several parts show or keep: what was known, what was decided, why, and what the
 * router has learnt. All of it is plain data, so that a recorded choice can be made again and must come out the same.
 */
import type { Classification } from './classification.ts'

export type TaskType = Classification['type']

/** Where an arm runs: on this machine or its network, on another machine of the user, or at a third party. */
export const tiers = ['local', 'peer', 'cloud'] as const
export type Tier = (typeof tiers)[number]

/** How likely a run ends well, between 0 and 1, with a 90 % interval; `weight` is the evidence behind it. */
export type Estimate = {
  readonly mean: number
  readonly low: number
  readonly high: number
  readonly weight: number
}

/** What is known of an arm at the moment of a choice. */
export type ArmView = {
  readonly id: string
  readonly tier: Tier
  /** Allowed in incognito. */
  readonly local: boolean
  readonly enabled: boolean
  readonly window: number
  readonly tools: boolean
  readonly vision: boolean
  /** For this task, of this complexity. */
  readonly quality: Estimate
  /** It was declared good at this type of task. */
  readonly strong: boolean
  /** Only for what it is proven at, or where there is no other. */
  readonly lastResort: boolean
  readonly proven: boolean
  /** Why it is out of reach right now, in words. */
  readonly gone?: string
  readonly aside?: { readonly until: number; readonly why: string }
  /** Why its limits forbid one more request, in words. */
  readonly exhausted?: string
  /** How much of its tightest limit is used, 0-1. */
  readonly scarcity: number
  /** Dollars per million tokens. */
  readonly price?: { readonly input: number; readonly output: number }
  /** Tokens a second. */
  readonly speeds?: { readonly prefill?: number; readonly decode?: number }
}

export type ChoiceTask = {
  readonly type: TaskType
  readonly complexity: number
  readonly needsTools: boolean
  readonly tokens: number
  readonly vision: boolean
  /** Nothing can go wrong that matters: another arm may be tried out. */
  readonly lowStakes: boolean
}

export type ChoiceOptions = {
  readonly now: number
  readonly pinned?: string
  readonly excluded: readonly string[]
  /** The person allowed that requests leave the machine. */
  readonly cloud: boolean
  readonly incognito: boolean
  readonly airGap: boolean
  /** In order of preference; a tier that is not named is not used. */
  readonly tiers: readonly Tier[]
  /** The quality an arm should have for this type; where none has it, the best is taken all the same. */
  readonly minimumQuality: number
  /** The share of low-stakes runs that may try the next best, and this run's draw between 0 and 1. */
  readonly exploration: number
  readonly draw: number
  /** The arm that still holds this session's prefix, and how long that is. */
  readonly current?: { readonly arm: string; readonly tokens: number }
  /** A short "go on": it means that arm. */
  readonly continued?: boolean
  /** The arm the ladder wants to leave: only better ones count. */
  readonly escalateFrom?: string
}

export type ChoiceInput = {
  readonly task: ChoiceTask
  readonly arms: readonly ArmView[]
  readonly options: ChoiceOptions
}

export type RoutingDecision = {
  /** Absent where no arm is left. */
  readonly arm?: string
  /** One line for a status bar. */
  readonly why: string
  /** What spoke for it, each a sentence a person can read. */
  readonly reasons: readonly string[]
  /** All that could have been taken, best first. */
  readonly ranked: readonly { readonly arm: string; readonly score: number; readonly quality: number }[]
  readonly ruledOut: readonly { readonly arm: string; readonly why: string }[]
  /** The next best was tried to learn about it. */
  readonly explored: boolean
}

/** A choice as it is kept: with everything it was made from. The words of the request are not in it. */
export type DecisionRecord = {
  readonly at: number
  readonly runId: string
  readonly sessionId?: string
  readonly cause: 'start' | 'failure' | 'escalation' | 'return'
  readonly classification: Classification
  readonly input: ChoiceInput
  readonly decision: RoutingDecision
}

/** The real limits of an arm or a provider; what is absent is unlimited. */
export type PoolLimits = {
  readonly requestsPerSecond?: number
  readonly requestsPerMinute?: number
  readonly requestsPerDay?: number
  readonly inputPerMinute?: number
  readonly outputPerMinute?: number
  /** In and out together, over thirty days. */
  readonly tokensPerMonth?: number
  readonly dollarsPerMonth?: number
  readonly concurrent?: number
}

/** What is known about how a run went. The strongest evidence counts, once per run. */
export const evidenceKinds = [
  'checks-green',
  'checks-red',
  'edit-kept',
  'edit-undone',
  'answered',
  'stopped',
  'escalated',
] as const
export type Evidence = (typeof evidenceKinds)[number]

export type ArmStats = {
  readonly arm: string
  readonly requests: number
  readonly firstTokenMs?: number
  readonly tokensPerSecond?: number
}

export type TaskStats = {
  readonly arm: string
  readonly type: TaskType
  readonly runs: number
  /** At middling complexity. */
  readonly quality: Estimate
}

export type RouterStats = {
  readonly arms: readonly ArmStats[]
  readonly tasks: readonly TaskStats[]
  /** How many runs each classifier was believed in. */
  readonly sources: Readonly<Record<Classification['source'], number>>
  readonly hints: readonly string[]
}

/** The router's memory, to inspect or erase. */
export interface RouterService {
  stats(): Promise<RouterStats>
  /** The choices of one run, or of the last one. */
  decisions(runId?: string): Promise<readonly DecisionRecord[]>
  /** Forgets what was learnt and what was decided; what pools have spent stays counted. */
  reset(): Promise<void>
}
