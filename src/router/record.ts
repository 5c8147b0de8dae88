/**
 * What the router remembers between runs, in `router.json`: outcomes by arm and type, speeds, who classified, what
 * pools have used, and the last runs, so that evidence that comes late still finds its arm. Bounded, erasable, and
 * without a word of any request.
 */
import { z } from 'zod'
import { taskTypes, type Classification } from '../protocol/classification.ts'
import type { ArmStats, Evidence, TaskType } from '../protocol/routing.ts'
import { evidenceKinds } from '../protocol/routing.ts'
import { entryOf } from './entry.ts'
import { type Learned, observe, type Outcome, retract, verdicts } from './learn.ts'
import type { Ledgers } from './pools.ts'
import type { Aside } from './set-aside.ts'
import { openSharedFile } from './shared-file.ts'
import { defined } from '../lib/object.ts'

/** A run, or the part of it that one arm was responsible for. */
export type RunShare = {
  readonly runId: string
  readonly arm: string
  readonly type: TaskType
  readonly complexity: number
}

export type Timing = { readonly firstTokenMs?: number; readonly tokensPerSecond?: number }

export type RouterRecord = {
  learned(): Learned
  arms(): readonly ArmStats[]
  sources(): Readonly<Record<Classification['source'], number>>
  readonly ledgers: Ledgers
  noteClassifier(source: Classification['source']): void
  /** This arm is responsible for the run from now on. */
  noteRun(share: RunShare): void
  /** Counts for the arm responsible last. Weaker evidence than there was before changes nothing. */
  noteEvidence(runId: string, evidence: Evidence): void
  noteTiming(arm: string, timing: Timing): void
  /** Arms that asked to slow down, until when. */
  asides(): Readonly<Record<string, Aside>>
  noteAside(arm: string, aside: Aside | undefined): void
  /** Forgets everything but what pools have used. */
  reset(): void
  flush(): Promise<void>
}

export type RecordParts = {
  /** Absent = nothing outlives the process. */
  readonly path?: string
  /** False in incognito: what was learnt is used, nothing is added or written. */
  readonly learning: boolean
  onProblem(message: string): void
}

export async function openRecord({ path, learning, onProblem }: RecordParts): Promise<RouterRecord> {
  const parse = (value: unknown): State => State.parse(value)
  const file = await openSharedFile<State>({
    empty: EMPTY,
    parse,
    onProblem,
    readOnly: !learning,
    ...defined({ path }),
  })
  const learn = (change: (state: State) => State) => {
    if (learning) file.defer(change)
  }
  return {
    learned: () => file.state().learned,
    arms: () => Object.entries(file.state().arms).map(([arm, stats]) => ({ arm, ...stats })),
    sources: () => file.state().sources,
    ledgers: {
      get: (pool) => entryOf(file.state().pools, pool) ?? {},
      change: (pool, change) =>
        file.update((state) => ({
          ...state,
          pools: { ...state.pools, [pool]: change(entryOf(state.pools, pool) ?? {}) },
        })),
    },
    noteClassifier: (source) =>
      learn((state) => ({ ...state, sources: { ...state.sources, [source]: state.sources[source] + 1 } })),
    noteRun: (share) => learn((state) => ({ ...state, runs: [...state.runs, share].slice(-MAX_RUNS) })),
    noteEvidence(runId, evidence) {
      if (learning) file.update((state) => withEvidence(state, runId, evidence))
    },
    noteTiming: (arm, timing) => learn((state) => withTiming(state, arm, timing)),
    asides: () => file.state().asides,
    // At once: a process that was rate-limited is often the one that is ended next.
    noteAside(arm, aside) {
      if (learning) file.update((state) => withAside(state, arm, aside))
    },
    reset: () => file.update((state) => ({ ...EMPTY, pools: state.pools })),
    flush: () => file.flush(),
  }
}

const MAX_RUNS = 300
const MAX_ARMS = 200

const number = z.number().finite()
const cell = z.object({ w: number, wx: number, wxx: number, wy: number, wxy: number, runs: number })
const amounts = z.object({ requests: number, input: number, output: number, dollars: number })
const slices = z.record(z.string(), amounts).exactOptional()

const State = z.object({
  version: z.literal(1),
  learned: z.record(z.string(), z.object({ clock: number, cells: z.partialRecord(z.enum(taskTypes), cell) })),
  arms: z.record(
    z.string(),
    z.object({
      requests: number,
      firstTokenMs: number.exactOptional(),
      tokensPerSecond: number.exactOptional(),
    }),
  ),
  sources: z.object({ keywords: number, slm: number, slm_fallback: number }),
  runs: z.array(
    z.object({
      runId: z.string(),
      arm: z.string(),
      type: z.enum(taskTypes),
      complexity: number,
      counted: z.object({ evidence: z.enum(evidenceKinds), clock: number }).exactOptional(),
    }),
  ),
  asides: z.record(z.string(), z.object({ until: number, why: z.string(), failures: number })).default({}),
  pools: z.record(z.string(), z.object({ second: slices, minute: slices, day: slices, month: slices })),
})
type State = z.output<typeof State>
type KeptRun = State['runs'][number]

const EMPTY: State = {
  version: 1,
  learned: {},
  arms: {},
  sources: { keywords: 0, slm: 0, slm_fallback: 0 },
  runs: [],
  asides: {},
  pools: {},
}

function withEvidence(state: State, runId: string, evidence: Evidence): State {
  const index = state.runs.findLastIndex((run) => run.runId === runId)
  const run = state.runs[index]
  if (!run || (run.counted && verdicts[run.counted.evidence].weight > verdicts[evidence].weight)) return state
  const without = run.counted
    ? retract(state.learned, toOutcome(run, run.counted.evidence), run.counted.clock)
    : state.learned
  const learned = bounded(observe(without, toOutcome(run, evidence)), run.arm)
  const counted = { evidence, clock: entryOf(learned, run.arm)?.clock ?? 0 }
  return { ...state, learned, runs: state.runs.with(index, { ...run, counted }) }
}

const toOutcome = ({ arm, type, complexity }: KeptRun, evidence: Evidence): Outcome => ({
  arm,
  type,
  complexity,
  evidence,
})

/** The arm with the least evidence makes room. */
function bounded(learned: Learned, keep: string): State['learned'] {
  const entries = Object.entries(learned)
  if (entries.length <= MAX_ARMS) return learned
  const [least] = entries
    .filter(([arm]) => arm !== keep)
    .toSorted(([, one], [, other]) => one.clock - other.clock)
  return Object.fromEntries(entries.filter(([arm]) => arm !== least?.[0]))
}

/** A new measurement counts a fifth: speed changes with load, and one odd request should not decide. */
const NEWEST = 0.2

function withTiming(state: State, arm: string, timing: Timing): State {
  const known = entryOf(state.arms, arm) ?? { requests: 0 }
  const blend = (before: number | undefined, now: number | undefined): number | undefined =>
    before === undefined || now === undefined ? (now ?? before) : before + NEWEST * (now - before)
  const firstTokenMs = blend(known.firstTokenMs, timing.firstTokenMs)
  const tokensPerSecond = blend(known.tokensPerSecond, timing.tokensPerSecond)
  const stats = {
    requests: known.requests + 1,
    ...defined({ firstTokenMs, tokensPerSecond }),
  }
  const others = Object.entries(state.arms).filter(([id]) => id !== arm)
  return { ...state, arms: Object.fromEntries([...others, [arm, stats] as const].slice(-MAX_ARMS)) }
}

function withAside(state: State, arm: string, aside: Aside | undefined): State {
  const others = Object.entries(state.asides).filter(([id]) => id !== arm)
  const kept = aside ? [...others, [arm, aside] as const] : others
  return { ...state, asides: Object.fromEntries(kept.slice(-MAX_ARMS)) }
}
