/**
 * Which arm answers a run: (task, arms, options) -> decision with reasons. Pure, so that a recorded choice can be made
 * again. Who cannot be asked is ruled out; the first tier with an arm that is good enough decides, joined by arms
 * declared strong at this type; the best score wins, unless changing over is not worth what it costs.
 */
import type { ArmView, ChoiceInput, RoutingDecision } from '../protocol/routing.ts'
import { type Candidates, forbids, ruleOut } from './rule-out.ts'
import { prefillSeconds, scoreOf } from './score.ts'

export function choose(input: ChoiceInput): RoutingDecision {
  const { pinned } = input.options
  if (pinned !== undefined) return choosePinned(pinned, input)
  const candidates = ruleOut(input)
  if (candidates.arms.length === 0) return nobody(candidates)
  const better = betterOnes(candidates.arms, input)
  if (better.length === 0) return nobody(candidates)
  return decide(candidates, finalists(better, input), input)
}

function choosePinned(id: string, input: ChoiceInput): RoutingDecision {
  const arm = input.arms.find((other) => other.id === id)
  const objection = arm ? pinnedObjection(arm, input) : 'there is no such arm'
  const none = { ranked: [], ruledOut: [], explored: false }
  if (objection === undefined) return { ...none, arm: id, why: 'chosen by name', reasons: ['You chose it.'] }
  return {
    ...none,
    why: `${id} was chosen by name, and ${objection}`,
    reasons: [],
    ruledOut: [{ arm: id, why: objection }],
  }
}

const pinnedObjection = (arm: ArmView, input: ChoiceInput): string | undefined =>
  input.options.excluded.includes(arm.id) ? 'it failed for this request' : forbids(arm, input)

const nobody = ({ ruledOut }: Candidates): RoutingDecision => ({
  why: 'no arm is left',
  reasons: [],
  ranked: [],
  ruledOut,
  explored: false,
})

/** A run that climbs wants a better arm; where there is none, at least another one. */
function betterOnes(arms: readonly ArmView[], { options, arms: all }: ChoiceInput): readonly ArmView[] {
  const { escalateFrom } = options
  if (escalateFrom === undefined) return arms
  const left = all.find(({ id }) => id === escalateFrom)?.quality.mean ?? 0
  const others = arms.filter(({ id }) => id !== escalateFrom)
  const better = others.filter(({ quality }) => quality.mean > left)
  return better.length > 0 ? better : others
}

type Finalists = { readonly arms: readonly ArmView[]; readonly remark?: string }

function finalists(arms: readonly ArmView[], { options }: ChoiceInput): Finalists {
  const good = arms.filter(({ quality }) => quality.mean >= options.minimumQuality)
  if (good.length === 0) {
    const best = Math.max(...arms.map(({ quality }) => quality.mean))
    const remark = `No arm reaches the quality of ${percent(options.minimumQuality)} this type asks for; the best is taken.`
    return { arms: arms.filter(({ quality }) => quality.mean >= best - NEARLY), remark }
  }
  const tier = options.tiers.find((name) => good.some((arm) => arm.tier === name))
  const isFurther = arms.some((arm) => arm.tier !== tier && before(arm, tier, options.tiers))
  const chosen = good.filter((arm) => arm.tier === tier || arm.strong)
  return {
    arms: chosen,
    ...(isFurther && { remark: `Nothing nearer than ${tier} reaches the quality this type asks for.` }),
  }
}

/** So near to the best that cost may decide between them. */
const NEARLY = 0.05

const before = (arm: ArmView, tier: string | undefined, tiers: readonly string[]): boolean =>
  tier !== undefined && tiers.indexOf(arm.tier) < tiers.indexOf(tier)

type Ranked = { readonly arm: ArmView; readonly score: number }

function decide(candidates: Candidates, { arms, remark }: Finalists, input: ChoiceInput): RoutingDecision {
  const ranked = arms
    .map((arm) => ({ arm, score: scoreOf(arm, input) }))
    .sort((one, other) => other.score - one.score || (one.arm.id < other.arm.id ? -1 : 1))
  const { taken, reason, explored } = take(ranked, input)
  return {
    arm: taken.id,
    why: reason.line,
    reasons: [
      ...reason.sentences,
      ...(remark ? [remark] : []),
      ...candidates.overlooked.map((text) => `${capital(text)}.`),
    ],
    ranked: ranked.map(({ arm, score }) => ({
      arm: arm.id,
      score: rounded(score),
      quality: rounded(arm.quality.mean),
    })),
    ruledOut: candidates.ruledOut,
    explored,
  }
}

type Reason = { readonly line: string; readonly sentences: readonly string[] }
type Taken = { readonly taken: ArmView; readonly reason: Reason; readonly explored: boolean }

/** How much better another arm must be before a session changes over, beside the reading it costs. */
const WORTH_CHANGING = 1.05

function take(ranked: readonly Ranked[], input: ChoiceInput): Taken {
  const [best, second] = ranked
  if (!best) throw new Error('a choice among no arms')
  const current = ranked.find(({ arm }) => arm.id === input.options.current?.arm)
  if (current && input.options.continued) {
    return { taken: current.arm, reason: CONTINUED, explored: false }
  }
  if (current && current !== best && best.score <= current.score * WORTH_CHANGING) {
    return { taken: current.arm, reason: stayReason(current.arm, best.arm, input), explored: false }
  }
  if (second && isWorthTrying(best, second, input)) {
    return { taken: second.arm, reason: exploreReason(best.arm), explored: true }
  }
  return { taken: best.arm, reason: bestReason(best.arm, ranked, input), explored: false }
}

const CONTINUED: Reason = {
  line: 'goes on with this session',
  sentences: ['The request goes on with what this arm was doing.'],
}

/** An arm further behind than this has nothing to show that would change the order. */
const CLOSE = 0.08
/** Before this much is known of the best arm itself, there is nothing to compare another one with. */
const SETTLED = 4
/** Trying an arm out must not cost the person a wait. */
const MAX_READING = 2_000

function isWorthTrying(best: Ranked, second: Ranked, { task, options }: ChoiceInput): boolean {
  if (!task.lowStakes || options.draw >= options.exploration || options.escalateFrom !== undefined)
    return false
  const isCheap = options.current === undefined || task.tokens <= MAX_READING
  return (
    isCheap && best.arm.quality.weight >= SETTLED && best.arm.quality.mean - second.arm.quality.mean <= CLOSE
  )
}

function bestReason(arm: ArmView, ranked: readonly Ranked[], { task, options }: ChoiceInput): Reason {
  const second = ranked[1]?.arm
  const { escalateFrom } = options
  return {
    line: second ? `best of ${ranked.length} for ${task.type}` : `the only one in question for ${task.type}`,
    sentences: [
      ...(escalateFrom === undefined ? [] : [`${escalateFrom} could not do it.`]),
      `Expected to do well in ${percent(arm.quality.mean)} of such runs${basis(arm)}.`,
      ...(arm.strong ? [`Declared strong at ${task.type}.`] : []),
      ...(second ? [`Next best would be ${second.id} with ${percent(second.quality.mean)}.`] : []),
    ],
  }
}

const basis = ({ quality }: ArmView): string =>
  quality.weight < 1 ? ', going by its size and what it declares' : ', going by its record'

function stayReason(current: ArmView, best: ArmView, { task }: ChoiceInput): Reason {
  const wait = Math.ceil(prefillSeconds(best, task.tokens))
  const sentence =
    `${best.id} would do a little better, but would first have to read ${task.tokens} tokens ` +
    `(about ${wait} s) that ${current.id} still holds.`
  return { line: 'holds this session already', sentences: [sentence] }
}

const exploreReason = (best: ArmView): Reason => ({
  line: 'tried out, to learn about it',
  sentences: [
    `Nearly as good as ${best.id}, and little is at stake: its outcome tells which of them to prefer.`,
  ],
})

const percent = (share: number): string => `${Math.round(share * 100)} %`
const rounded = (value: number): number => Math.round(value * 1e4) / 1e4
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
