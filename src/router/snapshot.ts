/** What a choice is made from: every arm as it stands at this moment, as plain data. */
import type { Classification } from '../protocol/classification.ts'
import type { ArmView, ChoiceTask, TaskType, Tier } from '../protocol/routing.ts'
import type { Arm } from './arm.ts'
import { entryOf } from './entry.ts'
import { estimate, type Learned, slopeOf } from './learn.ts'
import type { Amounts } from './ledger.ts'
import type { Pools } from './pools.ts'
import { type Measured, priorOf } from './prior.ts'
import type { Aside } from './set-aside.ts'
import { defined } from '../lib/object.ts'

/** An arm with what the router goes by. What changes while it works is asked for each time. */
export type RouterArm = {
  readonly arm: Arm
  readonly tier: Tier
  /** Absent = true. */
  readonly enabled?: boolean
  /** Absent = true. */
  readonly tools?: boolean
  readonly parameters?: number
  readonly measured?: Measured
  readonly strengths?: readonly TaskType[]
  /** Taken only for what it `proves` to do, or where there is no other. */
  readonly lastResort?: boolean
  proves?(prompt: string): boolean
  /** Dollars per million tokens. */
  readonly price?: { readonly input: number; readonly output: number }
  /** Arms of one provider share its limits by naming the same pool; absent = its own. */
  readonly pool?: string
  /** Why it is out of reach right now. */
  readonly gone?: string
}

export const poolOf = ({ pool, arm }: RouterArm): string => pool ?? arm.id

export type SnapshotParts = {
  readonly arms: readonly RouterArm[]
  readonly learned: Learned
  readonly pools: Pools
  readonly asides: ReadonlyMap<string, Aside>
  /** The person's own words. */
  readonly prompt: string
}

export function toViews(parts: SnapshotParts, task: ChoiceTask): readonly ArmView[] {
  const slope = slopeOf(parts.learned)
  return parts.arms.map((arm) => toView(arm, parts, { task, slope }))
}

type ViewContext = { readonly task: ChoiceTask; readonly slope: number }

function toView(entry: RouterArm, parts: SnapshotParts, { task, slope }: ViewContext): ArmView {
  const { arm, tier, price, gone, parameters, measured, lastResort = false } = entry
  const { id, local, capabilities } = arm.profile()
  const { window, vision, speeds } = capabilities
  const prior = priorOf({ id, tier, parameters, measured })
  const quality = estimate({ record: entryOf(parts.learned, id), slope, prior }, task.type, task.complexity)
  const { scarcity, exhausted } = parts.pools.state(poolOf(entry), expectedAmounts(entry, task.tokens))
  const aside = parts.asides.get(id)
  return {
    id,
    tier,
    local,
    enabled: entry.enabled ?? true,
    window,
    tools: entry.tools ?? true,
    vision,
    quality,
    strong: entry.strengths?.includes(task.type) ?? false,
    lastResort,
    proven: entry.proves?.(parts.prompt) ?? false,
    scarcity,
    ...defined({ gone }),
    ...(aside && { aside: { until: aside.until, why: aside.why } }),
    ...(exhausted !== undefined && { exhausted: exhausted.why }),
    ...defined({ price, speeds }),
  }
}

/** Booked of a pool's allowance before an answer: more than usual, because what is over is given back. */
const BOOKED_ANSWER = 1_000

/** What a request will probably take, until its real usage is known. */
export function expectedAmounts(arm: RouterArm, tokens: number): Amounts {
  const amounts = { requests: 1, input: tokens, output: BOOKED_ANSWER }
  return { ...amounts, dollars: dollarsFor(arm, amounts) }
}

export const dollarsFor = (
  { price }: RouterArm,
  { input, output }: { readonly input: number; readonly output: number },
): number => (price ? (input * price.input + output * price.output) / 1e6 : 0)

/** Runs in which little can go wrong. */
export const isLowStakes = ({ type, complexity, needsTools }: Classification, readOnly: boolean): boolean =>
  readOnly || !needsTools || (complexity <= 0.4 && (type === 'explain' || type === 'boilerplate'))
