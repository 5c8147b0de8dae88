/**
 * A run: ask the model, run its calls, until it calls nothing or a rule ends it. An async generator that yields events
 * and returns how it ended; it touches no disk, network or screen. New behaviour is a stop rule, a detector, a context
 * source, a wrapping Model or a guard: this file only says in which order things happen.
 */
import { AppError, errorMessage } from '../protocol/error.ts'
import type { RunEnd } from '../protocol/event.ts'
import type { AssistantMessage, Message, ToolMessage } from '../protocol/message.ts'
import { askModel } from './ask.ts'
import { climb } from './climb.ts'
import type { LoopEvent, LoopParts } from './parts.ts'
import { deniedIn, type Ending, endReport } from './report.ts'
import { RunState } from './run-state.ts'
import { firstReason } from './stop.ts'
import { takeReply } from './take-reply.ts'
import type { RunEndReason } from '../protocol/run-end-reasons.ts'

export async function* runLoop(
  history: readonly Message[],
  parts: LoopParts,
  signal: AbortSignal,
): AsyncGenerator<LoopEvent, RunEnd> {
  const run = new RunState(history)
  yield { type: 'run-start', runId: parts.runId, prompt: parts.prompt }
  let ending: Ending
  try {
    ending = yield* takeTurns(run, parts, signal)
  } catch (error) {
    ending = signal.aborted ? { reason: 'cancelled' } : { reason: 'error', report: errorMessage(error) }
    yield* closeOpenCalls(run)
    if (ending.reason === 'error') yield toErrorEvent(error)
  }
  if (ending.reason === 'cancelled') run.partial += run.written
  yield* keepPartial(run)
  const end = toRunEnd(run, parts, ending)
  yield end
  return end
}

async function* takeTurns(
  run: RunState,
  parts: LoopParts,
  signal: AbortSignal,
): AsyncGenerator<LoopEvent, Ending> {
  for (;;) {
    const stop = signal.aborted ? { reason: 'cancelled' as const } : stopOf(run, parts)
    if (stop && !(yield* climb(run, parts, stop))) return stop

    run.turns++
    yield { type: 'turn-start', turn: run.turns }
    const asked = yield* askModel(run, parts, signal)
    run.written = ''
    if (asked.kind === 'too-small') return noRoom(run, asked.report)

    const ending = yield* takeReply(run, parts, { asked, signal })
    if (ending && !(yield* climb(run, parts, ending))) return ending
  }
}

/** Turns without a call bring no progress either; what was said in them is why there is no answer. */
function stopOf({ trace, doubted, missing }: RunState, { stopRules }: LoopParts): Ending | undefined {
  const reason = firstReason(stopRules, trace)
  if (reason === 'no-progress' && doubted !== undefined)
    return { reason: 'no-answer', detector: doubted, missing }
  return reason && { reason }
}

/** An answer that has no room to grow is as long as it gets. */
const noRoom = ({ partial }: RunState, report: string): Ending =>
  partial ? { reason: 'answered' } : { reason: 'window-too-small', report }

/** A run that broke off leaves no call without its result. Servers number calls anew in each reply: ids may occur twice. */
function* closeOpenCalls(run: RunState): Generator<LoopEvent> {
  const last = run.added.findLastIndex(({ role }) => role === 'assistant')
  const [reply, ...results] = run.added.slice(Math.max(0, last))
  const answered = new Set(results.map((message) => message.role === 'tool' && message.callId))
  const open = reply?.role === 'assistant' ? reply.calls.filter(({ id }) => !answered.has(id)) : []
  for (const { id } of open) {
    const message: ToolMessage = {
      role: 'tool',
      callId: id,
      text: 'interrupted: the run ended before this was run',
      ok: false,
      code: 'interrupted',
    }
    run.add(message)
    yield { type: 'message', message }
  }
}

/** What was written of an answer joins the conversation, however the run ended before it was whole. */
function* keepPartial(run: RunState): Generator<LoopEvent> {
  if (run.partial === '') return
  const message: AssistantMessage = { role: 'assistant', text: run.partial, calls: [], flag: 'cut' }
  run.add(message)
  yield { type: 'message', message }
  yield { type: 'turn-end', turn: run.turns, messages: [message] }
}

const toErrorEvent = (error: unknown): LoopEvent => ({
  type: 'error',
  code: error instanceof AppError ? error.code : 'tool-failed',
  message: errorMessage(error),
})

/** Endings that may come of a thing that was needed and not allowed. */
const STUCK_BY_DENIAL: ReadonlySet<RunEndReason> = new Set(['no-answer', 'no-progress', 'repeated-call'])

function toRunEnd(run: RunState, parts: LoopParts, ending: Ending): RunEnd {
  const report = endReport(run.trace, { ...ending, ...(run.check && { check: run.check }) })
  const denied = STUCK_BY_DENIAL.has(ending.reason) ? deniedIn(run.calls) : []
  return {
    type: 'run-end',
    runId: parts.runId,
    reason: ending.reason,
    turns: run.turns,
    changed: [...run.changed].toSorted(),
    attribution: run.attribution,
    ...(ending.flag && { flag: ending.flag }),
    ...(run.check && { check: run.check }),
    ...(denied.length > 0 && { denied }),
    ...(report && { report }),
  }
}
