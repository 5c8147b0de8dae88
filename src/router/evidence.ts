/** What the end of a run says about its arm. A run that was cancelled, or broke for other reasons, says nothing. */
import { runEndFacts, type RunEndReason } from '../protocol/run-end-reasons.ts'
import type { Evidence } from '../protocol/routing.ts'

export const evidenceOf = (reason: RunEndReason): Evidence | undefined => {
  if (reason === 'answered') return 'answered'
  return runEndFacts(reason).countsAgainstArm ? 'stopped' : undefined
}
