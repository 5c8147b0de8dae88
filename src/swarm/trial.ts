/**
 * The project's own checks on a candidate's change, before anybody votes. A check that passes without the change and fails
 * with it takes the vote; one that failed already, or takes too long, says nothing.
 */
import type { CheckResult, ExecResult, FileChange, TryChanges } from '../protocol/tool.ts'
import { matchesGlob } from '../lib/path.ts'
import type { DryRun } from './dry-run.ts'

export type TrialParts = {
  readonly tryChanges: TryChanges
  /** Glob of file names to the command that checks them. */
  readonly checks: Readonly<Record<string, string>>
  readonly now?: () => number
}

const BASELINE_MS = 60_000
/** A check may take twice as long as it did without the change; short ones get some seconds in any case. */
const LEAST_MS = 5_000

/** For one vote: what the checks say of the workspace as it is, and of each change, is found out once. */
export function withTrial(dryRun: DryRun, parts: TrialParts): DryRun {
  const baselines = new Map<string, Promise<Baseline>>()
  const trials = new Map<string, Promise<CheckResult>>()
  return async (call, signal) => {
    const found = await dryRun(call, signal)
    if (!found?.ok || !found.changes?.length) return found
    const { changes } = found
    const key = JSON.stringify(changes)
    const trial = trials.get(key) ?? judge(changes, { parts, baselines, signal })
    trials.set(key, trial)
    const judged = await trial
    return judged.ok ? found : judged
  }
}

type Baseline = { readonly passed: boolean; readonly ms: number }

type Judging = {
  readonly parts: TrialParts
  readonly baselines: Map<string, Promise<Baseline>>
  readonly signal: AbortSignal
}

async function judge(changes: readonly FileChange[], judging: Judging): Promise<CheckResult> {
  const { parts, baselines, signal } = judging
  for (const command of commandsFor(changes, parts.checks)) {
    const known = baselines.get(command) ?? measure(command, judging)
    baselines.set(command, known)
    const baseline = await known
    if (!baseline.passed) continue
    const timeoutMs = Math.max(LEAST_MS, 2 * baseline.ms)
    const result = await parts.tryChanges(changes, command, { timeoutMs, signal })
    if (isFailure(result)) return { ok: false, why: `\`${command}\` would fail: ${firstLine(result.output)}` }
  }
  return { ok: true }
}

async function measure(command: string, { parts, signal }: Judging): Promise<Baseline> {
  const { now = () => performance.now() } = parts
  const started = now()
  const result = await parts.tryChanges([], command, { timeoutMs: BASELINE_MS, signal })
  return { passed: result.exitCode === 0, ms: now() - started }
}

const isFailure = ({ exitCode, timedOut }: ExecResult): boolean =>
  !timedOut && exitCode !== undefined && exitCode !== 0

const commandsFor = (changes: readonly FileChange[], checks: TrialParts['checks']): ReadonlySet<string> =>
  new Set(
    Object.entries(checks).flatMap(([glob, command]) =>
      changes.some(({ path }) => matchesGlob(path, glob)) ? [command] : [],
    ),
  )

const firstLine = (output: string): string => output.trim().split('\n', 1)[0]?.slice(0, 200) ?? ''
