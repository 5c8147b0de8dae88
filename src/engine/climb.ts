/** The last rung before a run gives up: another arm goes on where this one got stuck. Once in a run, so that it ends. */
import type { RunEndReason } from '../protocol/event.ts'
import type { LoopEvent, LoopParts } from './parts.ts'
import type { RunState } from './run-state.ts'

const STUCK = new Set<RunEndReason>([
  'no-answer',
  'no-progress',
  'repetition',
  'repeated-call',
  'patch-spiral',
])

/** Whether the run goes on. */
export function* climb(run: RunState, parts: LoopParts, reason: RunEndReason): Generator<LoopEvent, boolean> {
  const mayClimb = STUCK.has(reason) && run.escalated === undefined && parts.hasOther?.(run.arm)
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
