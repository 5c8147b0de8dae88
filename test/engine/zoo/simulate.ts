/** Feeds a zoo animal to the detectors in the order the loop does, and tells how its run ended. */
import { readDemands } from '../../../src/engine/detectors/demands.ts'
import { findDue } from '../../../src/engine/detectors/due.ts'
import { intentBreaker } from '../../../src/engine/detectors/intent-breaker.ts'
import { noProgress } from '../../../src/engine/detectors/no-progress.ts'
import { mayOverwrite, patchSpiral, patchSpiralGoesOn } from '../../../src/engine/detectors/patch-spiral.ts'
import { judgeRepeat } from '../../../src/engine/detectors/repeated-call.ts'
import { createRepetitionWatch } from '../../../src/engine/detectors/repetition.ts'
import { judgeReply } from '../../../src/engine/remedy.ts'
import { remediesIn, spentOn, type Tally } from '../../../src/engine/run-state.ts'
import { type CallRecord, hashResult, type Trace } from '../../../src/engine/trace.ts'
import { canonicalJson } from '../../../src/lib/json.ts'
import type { RunEndReason } from '../../../src/protocol/run-end-reasons.ts'
import { createWorld, toolNames, type World } from './world.ts'
import type { Animal, Call, Reply } from './zoo.ts'

export type Played = {
  readonly reason: RunEndReason
  readonly requests: number
  /** Every word or refusal the model got from a detector. */
  readonly corrections: readonly string[]
}

const MOST_REQUESTS = 60

export async function simulate(animal: Animal): Promise<Played> {
  const world = createWorld(animal.files)
  const run: Run = { calls: [], corrections: [], tally: fresh }
  try {
    for (let turn = 1; ; turn++) {
      const before = { turns: turn - 1, calls: run.calls, remedies: remediesIn(run.tally) }
      const reason = noProgress(before) ?? patchSpiralGoesOn(before)
      const reply = animal.replies[animal.cycles ? (turn - 1) % animal.replies.length : turn - 1]
      if (reason || reply === undefined || turn > MOST_REQUESTS) {
        return { reason: reason ?? 'max-turns', requests: turn - 1, corrections: run.corrections }
      }
      const ended = await takeReply(reply, { animal, world, turn, run })
      if (ended) return { reason: ended, requests: turn, corrections: run.corrections }
    }
  } finally {
    world.close()
  }
}

type Run = { readonly calls: CallRecord[]; readonly corrections: string[]; tally: Tally }

const fresh: Tally = { continues: 0, byDetector: new Map() }

type Stage = { readonly animal: Animal; readonly world: World; readonly turn: number; readonly run: Run }

async function takeReply(given: Reply, stage: Stage): Promise<RunEndReason | undefined> {
  const { animal, run, world } = stage
  const { reasoning, reply: act } =
    typeof given === 'object' && 'reply' in given ? given : { reasoning: '', reply: given }
  const text = typeof act === 'string' ? act : ''
  const circles = repeatsItself(text) ? ('text' as const) : repeatsItself(reasoning) && ('reasoning' as const)
  if (!circles && typeof act !== 'string') return runCalls(act, stage)

  const demands = readDemands(animal.prompt)
  const due = findDue({ demands, calls: run.calls, exists: world.has, isKnown: () => false })
  const usedTools = run.calls.length > 0
  const results = run.calls.slice(-3).map((call) => call.text)
  const situation = {
    prompt: animal.prompt,
    demands,
    due,
    usedTools,
    talked: usedTools,
    toolNames,
    mayAct: true,
    results,
  }
  const reply = { text, reasoning, calls: [], badCalls: [], finish: 'stop' as const }
  const verdict = judgeReply({ ...reply, ...(circles && { repetition: circles }) }, situation, run.tally)
  if (verdict.kind === 'accept') return 'answered'
  if (verdict.kind === 'stop') return verdict.reason
  if (verdict.kind !== 'continue')
    correct(run, verdict.finding.detector, verdict.kind === 'again' ? 'again' : 'notes')
  return undefined
}

function correct(run: Run, detector: string, kind: 'again' | 'notes'): void {
  const spent = spentOn(run.tally, detector)
  run.corrections.push(detector)
  run.tally = {
    continues: 0,
    byDetector: new Map(run.tally.byDetector).set(detector, { ...spent, [kind]: spent[kind] + 1 }),
  }
}

function repeatsItself(text: string): boolean {
  const watch = createRepetitionWatch()
  return (text.match(/.{1,7}/gs) ?? []).some((delta) => watch.push(delta) !== undefined)
}

async function runCalls(calls: readonly Call[], stage: Stage): Promise<RunEndReason | undefined> {
  const { run, turn } = stage
  const earlier: Trace = { turns: turn, calls: [...run.calls] }
  for (const call of calls) {
    const record = await runCall(call, earlier, stage)
    if (!record) return 'repeated-call'
    const isNew = !run.calls.some(
      ({ key, resultHash }) => key === record.key && resultHash === record.resultHash,
    )
    if (record.ok && !record.code && isNew) run.tally = fresh
    run.calls.push(record)
  }
  const trace = { turns: turn, calls: run.calls }
  const note = patchSpiral(trace) ?? intentBreaker(trace)
  if (note) run.corrections.push(note.detector)
  return undefined
}

async function runCall(call: Call, trace: Trace, { world, run }: Stage): Promise<CallRecord | undefined> {
  const key = `${call.name} ${canonicalJson(call.input)}`
  const polling = call.name === 'job_output'
  const path = typeof call.input['path'] === 'string' ? { path: call.input['path'] } : {}
  const verdict = judgeRepeat(trace, { name: call.name, key, polling, ...path })
  if (verdict.action !== 'run') run.corrections.push(`${verdict.action} ${call.name}`)
  if (verdict.action === 'stop') return undefined
  const result =
    verdict.action === 'run'
      ? await world.run(call, (path) => mayOverwrite(trace, path))
      : { text: verdict.text, code: 'refused' as const }
  const { text, wrote = false } = result
  const common = {
    turn: trace.turns,
    name: call.name,
    key,
    text,
    resultHash: hashResult(text, polling),
    wrote,
    polling,
  }
  return { ...path, ...common, ok: result.code === undefined, ...result, wrote }
}
