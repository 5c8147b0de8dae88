/**
 * Which arms cannot be asked, with the reason as text. A hard rule holds always. A soft one holds while it leaves
 * anybody: a window can be compacted for, an arm in back-off can be tried again, and the built-in model is better than
 * none. Pure.
 */
import type { ArmView, ChoiceInput, RoutingDecision } from '../protocol/routing.ts'
import { isAside } from './set-aside.ts'

export type Candidates = {
  readonly arms: readonly ArmView[]
  readonly ruledOut: RoutingDecision['ruledOut']
  /** What had to be overlooked so that anybody was left. */
  readonly overlooked: readonly string[]
}

type Rule = (arm: ArmView, input: ChoiceInput) => string | undefined

export function ruleOut(input: ChoiceInput): Candidates {
  const hard = sift(input.arms, hardRules, input)
  const kept = [...softRules]
  const dropped: SoftRule[] = []
  for (;;) {
    const soft = sift(
      hard.arms,
      kept.map(({ rule }) => rule),
      input,
    )
    const next = kept.shift()
    if (soft.arms.length === 0 && next) {
      dropped.push(next)
      continue
    }
    return {
      arms: soft.arms,
      ruledOut: [...hard.ruledOut, ...soft.ruledOut],
      overlooked: dropped.filter(({ rule }) => soft.arms.some((arm) => rule(arm, input))).map(otherwiseOf),
    }
  }
}

type SoftRule = { readonly rule: Rule; readonly otherwise: string }

const otherwiseOf = ({ otherwise }: SoftRule): string => otherwise

function sift(
  arms: readonly ArmView[],
  rules: readonly Rule[],
  input: ChoiceInput,
): Pick<Candidates, 'arms' | 'ruledOut'> {
  const left: ArmView[] = []
  const ruledOut: { arm: string; why: string }[] = []
  for (const arm of arms) {
    const why = firstObjection(arm, rules, input)
    if (why === undefined) left.push(arm)
    else ruledOut.push({ arm: arm.id, why })
  }
  return { arms: left, ruledOut }
}

function firstObjection(arm: ArmView, rules: readonly Rule[], input: ChoiceInput): string | undefined {
  for (const rule of rules) {
    const why = rule(arm, input)
    if (why !== undefined) return why
  }
  return undefined
}

/** A promise to the person: no wish of theirs for one arm undoes it. */
export const forbids: Rule = ({ local, tier }, { options }) => {
  if (options.incognito && !local) return 'incognito uses local arms only'
  return options.airGap && tier === 'cloud' ? 'nothing may leave this network' : undefined
}

const hardRules: readonly Rule[] = [
  ({ id }, { options }) => (options.excluded.includes(id) ? 'it failed for this request' : undefined),
  ({ enabled }) => (enabled ? undefined : 'it is switched off'),
  ({ gone }) => gone,
  forbids,
  ({ tier }, { options }) =>
    tier === 'cloud' && !options.cloud
      ? 'nothing leaves this machine until `router.cloud = true`'
      : undefined,
  ({ tier }, { options }) =>
    options.tiers.includes(tier) ? undefined : `\`router.tiers\` does not name ${tier}`,
  ({ vision }, { task }) => (task.vision && !vision ? 'it cannot see images' : undefined),
  ({ tools }, { task }) => (task.needsTools && !tools ? 'it cannot call tools' : undefined),
  ({ exhausted }) => exhausted,
]

/** In the order in which they are dropped when no arm is left. */
const softRules: readonly SoftRule[] = [
  {
    rule: ({ window }, { task }) =>
      task.tokens > window ? `its window of ${window} tokens is too small for ${task.tokens}` : undefined,
    otherwise: 'no window of those that can be asked now holds the context; it will be compacted',
  },
  {
    rule: ({ aside }, { options: { now } }) =>
      aside && isAside(aside, now)
        ? `it is in back-off for ${Math.ceil((aside.until - now) / 1000)} s: ${aside.why}`
        : undefined,
    otherwise: 'all others are in back-off, so one of those is tried again',
  },
  {
    rule: ({ lastResort, proven }) =>
      lastResort && !proven ? 'it is kept for single steps and for when there is no other' : undefined,
    otherwise: 'there is no other arm',
  },
]
