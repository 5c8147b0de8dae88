/**
 * The last rungs before a run gives up. A model that only says void things is asked once more without what it said in
 * vain; then another arm goes on where this one got stuck, once in a run, so that it ends.
 */
import { runEndFacts } from '../protocol/run-end-reasons.ts'
import type { Ending } from './report.ts'
import type { LoopEvent, LoopParts } from './parts.ts'
import type { RunState } from './run-state.ts'
import { firstReason } from './stop.ts'

/** Whether the run goes on. */
export function* climb(run: RunState, parts: LoopParts, ending: Ending): Generator<LoopEvent, boolean> {
  const { reason, detector } = ending
  const isOver = firstReason(parts.stopRules, run.trace) !== undefined
  if (reason === 'no-answer' && detector !== undefined && !run.isFresh && !isOver) {
    run.startFresh(detector, parts.seed())
    const text = 'Asked again without the replies that led nowhere.'
    yield { type: 'correction', detector, remedy: 'fresh context', text }
    yield { type: 'history', messages: run.messages }
    return true
  }
  const mayClimb =
    runEndFacts(reason).kind === 'stuck' && run.escalated === undefined && parts.hasOther?.(run.arm)
  if (!mayClimb) return false
  yield {
    type: 'correction',
    detector: reason,
    remedy: 'next-arm',
    text: `${run.arm} got stuck (${reason}); another model goes on from here.`,
  }
  run.startOver(reason)
  return true
}
