/** How good an arm is before it did anything here: what was measured, or what its size lets one expect. Pure. */
import { sizeFromName } from '../lib/model-size.ts'
import type { TaskType, Tier } from '../protocol/routing.ts'

export type PriorFacts = {
  readonly id: string
  readonly tier: Tier
  /** Billions of parameters; read from the name when absent. */
  readonly parameters?: number | undefined
  readonly measured?: Measured | undefined
}

/** Share of tasks solved in a probe or bench, over all types or by type. */
export type Measured = number | Readonly<Partial<Record<TaskType, number>>>

/** What to expect of an arm for a type of task, at middling complexity. */
export function priorOf(facts: PriorFacts): (type: TaskType) => number {
  const { measured } = facts
  if (typeof measured === 'number') return () => measured
  const expected = fromSize(facts)
  return (type) => measured?.[type] ?? expected
}

function fromSize({ id, tier, parameters }: PriorFacts): number {
  const billions = parameters ?? sizeFromName(id)
  if (billions === undefined) return UNKNOWN_SIZE[tier]
  const expected = BEST / (1 + Math.exp(-STEEPNESS * (Math.log2(billions) - MIDDLE)))
  return Math.min(BEST, expected + (/cod(?:e|er|ing)|devstral|starcoder/i.test(id) ? FOR_CODE : 0))
}

/** A logistic curve over doublings of the size: 0.5B 0.17, 1.5B 0.34, 3B 0.47, 7B 0.63, 14B 0.74, 32B 0.82. */
const BEST = 0.92
const STEEPNESS = 0.6
const MIDDLE = 1.5
const FOR_CODE = 0.04
const UNKNOWN_SIZE: Readonly<Record<Tier, number>> = { local: 0.5, peer: 0.5, cloud: 0.85 }
