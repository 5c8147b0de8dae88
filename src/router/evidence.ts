/** What the way a run ended says about its arm. A run that was cancelled, or broke for other reasons, says nothing. */
import type { RunEndReason } from '../protocol/event.ts'
import type { Evidence } from '../protocol/routing.ts'

export const evidenceOf = (reason: RunEndReason): Evidence | undefined => BY_REASON[reason]

const BY_REASON: Readonly<Partial<Record<RunEndReason, Evidence>>> = {
  answered: 'answered',
  'no-answer': 'stopped',
  'max-turns': 'stopped',
  'no-progress': 'stopped',
  repetition: 'stopped',
  'repeated-call': 'stopped',
  'patch-spiral': 'stopped',
}
