/** Feeds a zoo animal to the detectors in the order the loop does, and tells how its run ended. */
import { announced } from '../../../src/engine/detectors/announced.ts'
import { emptyReply } from '../../../src/engine/detectors/empty-reply.ts'
import { greeting } from '../../../src/engine/detectors/greeting.ts'
import { intentBreaker } from '../../../src/engine/detectors/intent-breaker.ts'
import { noProgress } from '../../../src/engine/detectors/no-progress.ts'
import { mayOverwrite, patchSpiral, patchSpiralGoesOn } from '../../../src/engine/detectors/patch-spiral.ts'
import { judgeRepeat } from '../../../src/engine/detectors/repeated-call.ts'
import { createRepetitionWatch } from '../../../src/engine/detectors/repetition.ts'
import { type CallRecord, hashResult, type Trace } from '../../../src/engine/trace.ts'
import { canonicalJson } from '../../../src/lib/json.ts'
import type { RunEndReason } from '../../../src/protocol/event.ts'
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
  const run = { calls: [] as CallRecord[], corrections: [] as string[], words: 0 }
  try {
    for (let turn = 1; ; turn++) {
      const before = { turns: turn - 1, calls: run.calls }
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

type Stage = {
  readonly animal: Animal
  readonly world: World
  readonly turn: number
  readonly run: { readonly calls: CallRecord[]; readonly corrections: string[]; words: number }
}

async function takeReply(given: Reply, stage: Stage): Promise<RunEndReason | undefined> {
  const { animal, run } = stage
  const { reasoning, reply } =
    typeof given === 'object' && 'reply' in given ? given : { reasoning: '', reply: given }
  const text = typeof reply === 'string' ? reply : ''
  if (repeatsItself(reasoning) || repeatsItself(text)) {
    return correct(run, 'repetition') ? undefined : 'repetition'
  }
  if (typeof reply !== 'string') return runCalls(reply, stage)

  const situation = { prompt: animal.prompt, usedTools: run.calls.length > 0, toolNames, mayAct: true }
  const finding = [emptyReply, greeting, announced]
    .map((detect) => detect({ text, calls: [] }, situation))
    .find(Boolean)
  return finding && correct(run, finding.detector) ? undefined : 'answered'
}

/** Other sampling first, then words; false when both are spent. */
function correct(run: Stage['run'], detector: string): boolean {
  run.words++
  run.corrections.push(detector)
  return run.words <= 2
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
