/**
 * How well the router learns, on a simulated fleet (test/router/fleet.ts), and what a choice costs. Regret is the success
 * lost against always taking the best arm; a clearly worse arm is 0.15 below it. Repeat with: npx tsx bench/router.ts
 */
import { taskTypes } from '../src/protocol/classification.ts'
import type { ArmView, ChoiceInput } from '../src/protocol/routing.ts'
import { capabilitiesOf } from '../src/provider/arm-models.ts'
import { createScriptedModel } from '../src/provider/scripted.ts'
import { type Arm, createArm } from '../src/router/arm.ts'
import { choose } from '../src/router/choose.ts'
import { observe } from '../src/router/learn.ts'
import { createPools } from '../src/router/pools.ts'
import { type SnapshotParts, toViews } from '../src/router/snapshot.ts'
import {
  average,
  createRandom,
  epsilonGreedyPolicy,
  type Policy,
  priorPolicy,
  randomPolicy,
  routerPolicy,
} from '../test/router/fleet.ts'

const AFTER = [50, 200, 1_000]
const SEEDS = 200

const policies: readonly (readonly [string, (random: () => number) => Policy])[] = [
  ['random', randomPolicy],
  ['prior only', priorPolicy],
  ['epsilon-greedy', epsilonGreedyPolicy],
  ['epsilon-greedy from the prior', (random) => epsilonGreedyPolicy(random, true)],
  ['router', routerPolicy()],
]

for (const priorNoise of [0.05, 0.1, 0.2]) {
  console.log(
    `\n${SEEDS} fleets of 6 arms, expectations off by ${priorNoise} (regret / runs on a clearly worse arm)`,
  )
  console.log(
    line(
      '',
      AFTER.map((runs) => `after ${runs}`),
    ),
  )
  for (const [name, create] of policies) {
    const results = average(create, { seeds: SEEDS, priorNoise }, AFTER)
    console.log(
      line(
        name,
        results.map(({ regret, clearlyWorse }) => `${regret.toFixed(1)} / ${clearlyWorse.toFixed(0)}`),
      ),
    )
  }
}

console.log('\nsessions of 5 runs on 4,000 tokens, after 1,000 runs')
console.log(line('', ['regret', 'read again in vain']))
for (const [name, create] of [
  ...policies.slice(0, 3),
  ['router, blind to the cache', routerPolicy({ sticky: false })],
  ['router', routerPolicy()],
] as const) {
  const [result] = average(create, { seeds: SEEDS, priorNoise: 0.1, contextTokens: 4_000 }, [1_000])
  console.log(line(name, [result!.regret.toFixed(1), `${Math.round(result!.wasted)} tokens`]))
}

const choice = fiftyArms(createRandom(1))
const shown = fiftyRecords(choice)
console.log(`\na choice among 50 arms: ${medianMicroseconds(() => choose(choice))} us`)
console.log(`the snapshot it is made from: ${medianMicroseconds(() => toViews(shown, choice.task))} us`)

function line(name: string, cells: readonly string[]): string {
  return `${name.padEnd(32)}${cells.map((cell) => cell.padStart(20)).join('')}`
}

function medianMicroseconds(work: () => void): string {
  const times = Array.from({ length: 20_000 }, () => {
    const started = performance.now()
    work()
    return (performance.now() - started) * 1_000
  })
  return (times.toSorted((one, other) => one - other)[10_000] ?? 0).toFixed(1)
}

/** The same arms with a record of every type each. */
function fiftyRecords({ arms }: ChoiceInput): SnapshotParts {
  const outcomes = arms.flatMap(({ id }) =>
    taskTypes.map((type) => ({ arm: id, type, complexity: 0.3, evidence: 'checks-green' }) as const),
  )
  const ledgers = { get: () => ({}), change: () => {} }
  return {
    arms: arms.map(({ id, tier }) => ({ tier, arm: createBareArm(id) })),
    learned: outcomes.reduce(observe, {}),
    pools: createPools({ limits: () => ({ requestsPerMinute: 60 }), ledgers, now: () => 0 }),
    asides: new Map(),
    prompt: 'Fix the failing test',
  }
}

function createBareArm(id: string): Arm {
  const settings = { id, kind: 'openai', model: id, headers: {}, local: true, known: {} } as const
  return createArm({
    id,
    local: true,
    capabilities: capabilitiesOf(settings, undefined),
    native: createScriptedModel([]),
    counter: { count: () => 0, observe: () => {} },
    countRequest: () => 0,
    learnWindow: () => undefined,
    now: () => 0,
  })
}

function fiftyArms(random: () => number): ChoiceInput {
  const arms = Array.from({ length: 50 }, (_, index): ArmView => ({
    id: `arm-${index}`,
    tier: index % 3 === 0 ? 'cloud' : 'local',
    local: index % 3 !== 0,
    enabled: index % 7 !== 0,
    window: 4_096 + 1_000 * index,
    tools: true,
    vision: index % 2 === 0,
    quality: { mean: random(), low: 0, high: 1, weight: 3 },
    strong: index % 11 === 0,
    lastResort: index === 1,
    proven: false,
    scarcity: random(),
    price: { input: 1, output: 5 },
    speeds: { prefill: 300, decode: 30 },
  }))
  return {
    arms,
    task: { type: 'debug', complexity: 0.5, needsTools: true, tokens: 9_000, vision: false, lowStakes: true },
    options: {
      now: 0,
      excluded: [],
      cloud: true,
      incognito: false,
      airGap: false,
      tiers: ['local', 'peer', 'cloud'],
      minimumQuality: 0.45,
      exploration: 0.05,
      draw: 0.5,
      current: { arm: 'arm-5', tokens: 8_000 },
    },
  }
}
