/** Rules that end a run. A rule is a value, so a new one does not touch the loop. */
import type { RunEndReason } from '../protocol/run-end-reasons.ts'
import { noProgress } from './detectors/no-progress.ts'
import { patchSpiralGoesOn } from './detectors/patch-spiral.ts'
import type { StopRule, Trace } from './trace.ts'

/** A run must end. The limit is a promise to the person waiting, not to the model. */
const maxTurns =
  (limit: number): StopRule =>
  (trace) =>
    turnsTaken(trace, limit) >= limit ? 'max-turns' : undefined

/** Replies thrown away that each turn of the limit allows before they count too. */
const MOST_DISCARDED = 3

export const turnsTaken = ({ turns, discarded = 0 }: Trace, limit: number): number =>
  turns - Math.min(discarded, MOST_DISCARDED * limit)

/** The rules every run obeys. */
export const standardRules = (turnLimit: number): readonly StopRule[] => [
  maxTurns(turnLimit),
  noProgress,
  patchSpiralGoesOn,
]

export function firstReason(rules: readonly StopRule[], trace: Trace): RunEndReason | undefined {
  for (const rule of rules) {
    const reason = rule(trace)
    if (reason) return reason
  }
  return undefined
}
