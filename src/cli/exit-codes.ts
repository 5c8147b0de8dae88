/** Exit codes of the program; `docs/exit-codes.md` shows what each means. */
import type { RunEnd } from '../protocol/event.ts'
import { runEndFacts } from '../protocol/run-end-reasons.ts'

export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** Ended by a limit, or because the model got stuck. */
  stopped: 3,
  /** As `stopped`, and something it needed was denied. */
  denied: 4,
  interrupted: 130,
} as const

export function exitCodeOf({ reason, denied }: Pick<RunEnd, 'reason' | 'denied'>): number {
  return BY_KIND[runEndFacts(reason).kind](denied !== undefined)
}

const stopped = (wasDenied: boolean): number => (wasDenied ? exitCodes.denied : exitCodes.stopped)

const BY_KIND: Readonly<Record<ReturnType<typeof runEndFacts>['kind'], (wasDenied: boolean) => number>> = {
  answer: () => exitCodes.ok,
  limit: stopped,
  stuck: stopped,
  cancelled: () => exitCodes.interrupted,
  error: () => exitCodes.failed,
}
