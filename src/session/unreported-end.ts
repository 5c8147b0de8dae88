import type { RunEnd } from '../protocol/event.ts'

/** The end of a run that could not tell it itself. */
export const endOf = (runId: string, reason: RunEnd['reason'], report?: string): RunEnd => ({
  type: 'run-end',
  runId,
  reason,
  turns: 0,
  changed: [],
  attribution: { model: 0, repair: 0, detector: 0 },
  ...(report !== undefined && { report }),
})
