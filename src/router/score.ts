/**
 * What an arm is worth for one task: quality x value / cost. Cost is felt, not billed: waiting twice as long is a step
 * worse, not twice as bad, while money and scarcity count as they are. Leaving the arm that holds the session's prefix
 * costs what it takes to read it again. Pure.
 */
import type { ArmView, ChoiceInput, ChoiceTask } from '../protocol/routing.ts'
import { USUAL_ANSWER } from '../protocol/token-limits.ts'

/** What the makers or the person declared an arm good at is worth more than its quality says. */
const STRONG_VALUE = 1.25
/** Each doubling of the wait beyond this adds `WAIT_STEP` to a cost of 1. */
const SHORT_WAIT_S = 10
const WAIT_STEP = 0.15
/** Five cents weigh as much as the request itself. */
const PER_DOLLAR = 20
/** How dear the last of a limit is; a limit half used is a third dearer than an unused one. */
const SCARCITY = 3

export function scoreOf(arm: ArmView, { task, options }: ChoiceInput): number {
  const cached = options.current?.arm === arm.id ? options.current.tokens : 0
  const value = arm.strong ? STRONG_VALUE : 1
  return (arm.quality.mean * value) / costOf(arm, task, cached)
}

function costOf(arm: ArmView, task: ChoiceTask, cached: number): number {
  const fresh = Math.max(0, task.tokens - cached)
  const seconds = prefillSeconds(arm, fresh) + USUAL_ANSWER / (arm.speeds?.decode ?? USUAL[arm.tier].decode)
  const dollars = arm.price ? (fresh * arm.price.input + USUAL_ANSWER * arm.price.output) / 1e6 : 0
  const base = 1 + WAIT_STEP * Math.log2(1 + seconds / SHORT_WAIT_S) + PER_DOLLAR * dollars
  return base * (1 + SCARCITY * arm.scarcity ** 3)
}

/** How long an arm reads before it says anything. */
export const prefillSeconds = ({ speeds, tier }: ArmView, tokens: number): number =>
  tokens / (speeds?.prefill ?? USUAL[tier].prefill)

/** Tokens a second until they were measured. */
const USUAL = {
  local: { prefill: 200, decode: 20 },
  peer: { prefill: 200, decode: 20 },
  cloud: { prefill: 5_000, decode: 60 },
} as const
