/**
 * Why a run ended, and what kind of end that is. Exit codes, HTTP statuses, the router's record and escalation follow
 * from the kind; `engine/report.ts` has the text for the user.
 */
type RunEndKind = 'answer' | 'limit' | 'stuck' | 'cancelled' | 'error'

type RunEndFacts = {
  readonly kind: RunEndKind
  /** The router counts it against the arm. */
  readonly countsAgainstArm?: true
}

export const runEndReasons = {
  answered: { kind: 'answer' },
  /** Everything the model said was void: empty, a greeting, an announcement, a quote, calls that could not be read. */
  'no-answer': { kind: 'stuck', countsAgainstArm: true },
  'max-turns': { kind: 'limit', countsAgainstArm: true },
  budget: { kind: 'limit' },
  'window-too-small': { kind: 'limit' },
  'no-progress': { kind: 'stuck', countsAgainstArm: true },
  repetition: { kind: 'stuck', countsAgainstArm: true },
  'repeated-call': { kind: 'stuck', countsAgainstArm: true },
  'patch-spiral': { kind: 'stuck', countsAgainstArm: true },
  /** The command the answer was held to failed, however often it was tried. */
  'check-failed': { kind: 'stuck', countsAgainstArm: true },
  cancelled: { kind: 'cancelled' },
  error: { kind: 'error' },
} as const satisfies Readonly<Record<string, RunEndFacts>>

export type RunEndReason = keyof typeof runEndReasons

export const runEndFacts = (reason: RunEndReason): RunEndFacts => runEndReasons[reason]
