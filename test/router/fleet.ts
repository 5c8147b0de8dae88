/**
 * A fleet whose true success rates are known, and policies that choose from it. Truth: each arm has an ability, deviates
 * from it by type, and does worse the harder a task is. What a policy gets to see: a noisy expectation of the ability,
 * and outcomes that come up to 25 runs late, 60 % of them unverified, the hard ones more often than the easy ones.
 * Everything follows from the seed; all policies meet the same tasks.
 */
import { taskTypes } from '../../src/protocol/classification.ts'
import type { ArmView, ChoiceInput, Evidence, TaskType } from '../../src/protocol/routing.ts'
import { choose } from '../../src/router/choose.ts'
import { estimate, type Learned, observe, slopeOf } from '../../src/router/learn.ts'

export type SimulatedArm = {
  readonly id: string
  readonly rates: Readonly<Record<TaskType, number>>
  readonly prior: number
}

type Task = {
  readonly type: TaskType
  readonly complexity: number
  readonly lowStakes: boolean
  /** First run of a session: no arm holds anything yet. */
  readonly fresh: boolean
}

export type Policy = {
  choose(task: Task, arms: readonly SimulatedArm[], current: string | undefined): string
  /** Comes late, or never: `unverified` says only how the run ended. */
  learn(task: Task, arm: string, evidence: Evidence): void
}

export type Result = {
  readonly regret: number
  /** Runs on an arm that is at least 0.15 worse than the best. */
  readonly clearlyWorse: number
  /** Tokens read again for changes to an arm that was not better. */
  readonly wasted: number
}

export type World = {
  readonly seed: number
  readonly arms?: number
  /** Standard deviation of what is expected around what is true. */
  readonly priorNoise: number
  /** Runs of a session follow each other on a context of this many tokens. */
  readonly contextTokens?: number
}

const SLOPE = -0.4
const MISSING = 0.6
const CLEARLY = 0.15
const SESSION_RUNS = 5

/** Results after each of the given numbers of runs. */
function simulate(
  create: (random: () => number) => Policy,
  world: World,
  after: readonly number[],
): Result[] {
  const arms = createFleet(world)
  const tasks = createRandom(world.seed * 2 + 1)
  const policy = create(createRandom(world.seed * 3 + 2))
  const late = new Map<number, (() => void)[]>()
  let totals: Result = { regret: 0, clearlyWorse: 0, wasted: 0 }
  let current: string | undefined
  const results: Result[] = []
  for (let run = 1; run <= Math.max(...after); run++) {
    for (const tell of late.get(run) ?? []) tell()
    const task = drawTask(tasks, run)
    const luck = { success: tasks(), verified: tasks(), ended: tasks(), delay: 1 + Math.floor(tasks() * 25) }
    if (task.fresh) current = undefined
    const id = policy.choose(task, arms, world.contextTokens ? current : undefined)
    const arm = arms.find((other) => other.id === id)!
    totals = add(totals, judge(arms, arm, { task, current, contextTokens: world.contextTokens ?? 0 }))
    current = id
    const evidence = evidenceFor(luck.success < rateOf(arm, task), task, luck)
    const tell = () => policy.learn(task, id, evidence)
    late.set(run + luck.delay, [...(late.get(run + luck.delay) ?? []), tell])
    if (after.includes(run)) results.push(totals)
  }
  return results
}

/** The mean over many fleets. */
export function average(
  create: (random: () => number) => Policy,
  { seeds, ...world }: Omit<World, 'seed'> & { readonly seeds: number },
  after: readonly number[],
): Result[] {
  const sums = after.map((): Result => ({ regret: 0, clearlyWorse: 0, wasted: 0 }))
  for (let seed = 1; seed <= seeds; seed++) {
    for (const [index, result] of simulate(create, { ...world, seed }, after).entries()) {
      sums[index] = add(sums[index]!, result)
    }
  }
  return sums.map(({ regret, clearlyWorse, wasted }) => ({
    regret: regret / seeds,
    clearlyWorse: clearlyWorse / seeds,
    wasted: wasted / seeds,
  }))
}

export const randomPolicy = (random: () => number): Policy => ({
  choose: (_task, arms) => arms[Math.floor(random() * arms.length)]!.id,
  learn() {},
})

export const priorPolicy = (): Policy => ({
  choose: (_task, arms) => bestOf(arms, ({ prior }) => prior),
  learn() {},
})

/** Ten percent at random, else the best mean seen for this type; unverified runs are left out, as is usual. */
export const epsilonGreedyPolicy = (random: () => number, startFromPrior = false): Policy => {
  const seen = new Map<string, { runs: number; good: number }>()
  return {
    choose(task, arms) {
      if (random() < 0.1) return arms[Math.floor(random() * arms.length)]!.id
      return bestOf(arms, ({ id, prior }) => {
        const record = seen.get(`${id} ${task.type}`)
        return record ? record.good / record.runs : startFromPrior ? prior : 0.5
      })
    },
    learn({ type }, arm, evidence) {
      if (evidence !== 'checks-green' && evidence !== 'checks-red') return
      const record = seen.get(`${arm} ${type}`) ?? { runs: 0, good: 0 }
      const good = record.good + (evidence === 'checks-green' ? 1 : 0)
      seen.set(`${arm} ${type}`, { runs: record.runs + 1, good })
    },
  }
}

/** The real thing: `choose` on what `learn` made of the outcomes. `sticky: false` does not know what a switch costs. */
export const routerPolicy =
  ({ sticky = true }: { readonly sticky?: boolean } = {}) =>
  (random: () => number): Policy => {
    let learned: Learned = {}
    return {
      choose(task, arms, current) {
        const slope = slopeOf(learned)
        const views = arms.map((arm) => toView(arm, task, { learned, slope }))
        const held = sticky ? current : undefined
        return choose(toInput(views, task, { draw: random(), current: held })).arm!
      },
      learn({ type, complexity }, arm, evidence) {
        learned = observe(learned, { arm, type, complexity, evidence })
      },
    }
  }

export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const within = (rate: number): number => Math.min(0.98, Math.max(0.02, rate))

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random())

function createFleet({ seed, priorNoise, arms = 6 }: World): readonly SimulatedArm[] {
  const random = createRandom(seed)
  return Array.from({ length: arms }, (_, index) => {
    const ability = 0.3 + 0.5 * random()
    const rates = Object.fromEntries(taskTypes.map((type) => [type, ability + 0.08 * normal(random)]))
    const prior = within(ability + priorNoise * normal(random))
    return { id: `arm-${index}`, rates: rates as SimulatedArm['rates'], prior }
  })
}

const rateOf = ({ rates }: SimulatedArm, { type, complexity }: Task): number =>
  within(rates[type] + SLOPE * (complexity - 0.5))

/** Some types are common, some rare. */
function drawTask(random: () => number, run: number): Task {
  const type = taskTypes[Math.floor(random() ** 1.7 * taskTypes.length)]!
  return { type, complexity: random(), lowStakes: random() < 0.4, fresh: run % SESSION_RUNS === 1 }
}

type Luck = { readonly verified: number; readonly ended: number }

function evidenceFor(success: boolean, { complexity }: Task, { verified, ended }: Luck): Evidence {
  if (verified >= MISSING * (0.6 + 0.8 * complexity)) return success ? 'checks-green' : 'checks-red'
  return ended < (success ? 0.97 : 0.75) ? 'answered' : 'stopped'
}

type Situation = { readonly task: Task; readonly current: string | undefined; readonly contextTokens: number }

function judge(
  arms: readonly SimulatedArm[],
  arm: SimulatedArm,
  { task, current, contextTokens }: Situation,
): Result {
  const loss = Math.max(...arms.map((other) => rateOf(other, task))) - rateOf(arm, task)
  const left = arms.find(({ id }) => id === current && id !== arm.id)
  const isWaste = left !== undefined && rateOf(arm, task) <= rateOf(left, task)
  return { regret: loss, clearlyWorse: loss >= CLEARLY ? 1 : 0, wasted: isWaste ? contextTokens : 0 }
}

const add = (one: Result, other: Result): Result => ({
  regret: one.regret + other.regret,
  clearlyWorse: one.clearlyWorse + other.clearlyWorse,
  wasted: one.wasted + other.wasted,
})

const bestOf = (arms: readonly SimulatedArm[], value: (arm: SimulatedArm) => number): string =>
  arms.reduce((best, arm) => (value(arm) > value(best) ? arm : best)).id

type Knowledge = { readonly learned: Learned; readonly slope: number }

function toView(
  { id, prior }: SimulatedArm,
  { type, complexity }: Task,
  { learned, slope }: Knowledge,
): ArmView {
  return {
    id,
    tier: 'local',
    local: true,
    enabled: true,
    window: 32_768,
    tools: true,
    vision: false,
    quality: estimate({ record: learned[id], slope, prior: () => prior }, type, complexity),
    strong: false,
    lastResort: false,
    proven: false,
    scarcity: 0,
  }
}

type Held = { readonly draw: number; readonly current: string | undefined }

const toInput = (
  arms: readonly ArmView[],
  { type, complexity, lowStakes }: Task,
  { draw, current }: Held,
): ChoiceInput => ({
  arms,
  task: { type, complexity, lowStakes, needsTools: true, tokens: current ? 4_000 : 500, vision: false },
  options: {
    now: 0,
    excluded: [],
    cloud: false,
    incognito: false,
    airGap: false,
    tiers: ['local'],
    minimumQuality: 0,
    exploration: 0.05,
    draw,
    ...(current !== undefined && { current: { arm: current, tokens: 4_000 } }),
  },
})
