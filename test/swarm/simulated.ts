/**
 * A model with a known error rate, and what a vote over it must come to, calculated. It is right with a fixed chance; its
 * errors fall on a few wrong answers alike, and a share of them is of the kind a dry run finds.
 */
import type { Model, ModelRequest } from '../../src/protocol/model.ts'
import type { VoteReport } from '../../src/protocol/vote.ts'
import { createSwarmModel } from '../../src/swarm/swarm.ts'
import { tools } from './candidates.ts'

export type Simulation = {
  /** Chance of a wrong answer. */
  readonly error: number
  /** How many different wrong answers there are, of those a dry run finds and of the others. */
  readonly kinds: number
  /** Share of the wrong answers that a dry run finds. */
  readonly found: number
}

export type Shares = { readonly right: number; readonly wrong: number }

const AHEAD = 2
const LEAST = 0.4

/** Every sequence of answers, with its chance: the first that is ahead by two, or the largest share at the end. */
export function calculated(simulation: Simulation, k: number, dryRun: boolean): Shares {
  const { error, kinds, found } = simulation
  const lost = dryRun ? error * found : 0
  const wrong = Array.from({ length: kinds }, () => (error * (1 - found)) / kinds)
  const findable = dryRun ? [] : Array.from({ length: kinds }, () => (error * found) / kinds)
  const chances = [1 - error, ...wrong, ...findable]
  const count = (counts: readonly number[], left: number): Shares => {
    const winner = winnerOf(counts, left)
    if (winner !== undefined) return { right: Number(winner === 0), wrong: Number(winner > 0) }
    if (left === 0) return { right: 0, wrong: 0 }
    const nothing = weighed(count(counts, left - 1), lost)
    return chances.reduce(
      (sum, chance, kind) =>
        added(sum, weighed(count(counts.with(kind, counts[kind]! + 1), left - 1), chance)),
      nothing,
    )
  }
  return count(
    chances.map(() => 0),
    k,
  )
}

function winnerOf(counts: readonly number[], left: number): number | undefined {
  const [first = 0, second = 0] = counts.toSorted((a, b) => b - a)
  const votes = counts.reduce((sum, count) => sum + count, 0)
  const isAhead = first - second >= AHEAD
  const isLargest = left === 0 && first > second && first / votes >= LEAST
  return isAhead || isLargest ? counts.indexOf(first) : undefined
}

const weighed = ({ right, wrong }: Shares, chance: number): Shares => ({
  right: right * chance,
  wrong: wrong * chance,
})
const added = (one: Shares, other: Shares): Shares => ({
  right: one.right + other.right,
  wrong: one.wrong + other.wrong,
})

/** The share of runs that elected the right and a wrong answer, through the swarm itself. */
export async function measured(
  simulation: Simulation,
  { k, dryRun, runs }: { readonly k: number; readonly dryRun: boolean; readonly runs: number },
): Promise<Shares> {
  const swarm = createSwarmModel({
    name: 'simulated',
    workers: [{ name: 'wren', model: simulatedModel(simulation), lane: 'one' }],
    tools: () => tools,
    policy: { when: 'always', most: k, ahead: AHEAD, least: LEAST, quorum: 1, rounds: 1 },
    ...(dryRun && {
      dryRun: async ({ input }) =>
        input.includes('missing') ? { ok: false, why: 'not there' } : { ok: true },
    }),
  })
  const shares = { right: 0, wrong: 0 }
  for (let run = 0; run < runs; run++) {
    const { report, path } = await ask(swarm, run)
    if (report?.state !== 'elected') continue
    if (path === 'right') shares.right += 1 / runs
    else shares.wrong += 1 / runs
  }
  return shares
}

const simulatedModel = ({ error, kinds, found }: Simulation): Model => ({
  name: 'simulated',
  async *stream({ seed = 0 }) {
    const random = createRandom(seed)
    const isWrong = random() < error
    const kind = Math.floor(random() * kinds)
    const wrong = `${random() < found ? 'missing' : 'wrong'}-${kind}`
    const input = JSON.stringify({ path: isWrong ? wrong : 'right' })
    yield { type: 'tool-call', call: { id: 'call-1', name: 'read_file', input } }
    yield { type: 'finish', reason: 'tool-calls' }
  },
})

async function ask(
  model: Model,
  run: number,
): Promise<{ readonly report: VoteReport | undefined; readonly path: string }> {
  const request: ModelRequest = {
    runId: `${run}`,
    sessionId: 's',
    turn: 1,
    system: '',
    messages: [],
    tools: tools.map(({ name, parameters }) => ({ name, parameters })),
    seed: run * 16,
  }
  let report: VoteReport | undefined
  let path = ''
  for await (const event of model.stream(request, new AbortController().signal)) {
    if (event.type === 'vote' && event.stage === 'end') report = event.report
    if (event.type === 'tool-call') path = String((JSON.parse(event.call.input) as { path: string }).path)
  }
  return { report, path }
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
