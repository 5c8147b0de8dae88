/** Whether to compact now. Kept apart from how, because storms of compactions come from this question. */
import type { Budget } from './budget.ts'

export type CompactionQuestion = {
  /** Tokens of the request as it is. */
  readonly used: number
  readonly budget: Budget
  /** A person asked for it, or the server refused the request. */
  readonly forced: boolean
  /** Good results since the last compaction; Infinity when there was none. */
  readonly resultsSince: number
  /** Compactions in a row that gained too little. */
  readonly failures: number
}

const MAX_FAILURES = 3

export function decideCompaction({
  used,
  budget,
  forced,
  resultsSince,
  failures,
}: CompactionQuestion): 'none' | 'compact' | 'window-too-small' {
  if (forced) return 'compact'
  if (used < budget.trigger) return 'none'
  const isUseless = resultsSince === 0 || failures >= MAX_FAILURES
  if (!isUseless) return 'compact'
  // Not compacting again is no reason to stop while the request still fits.
  return fitsWindow(used, budget) ? 'none' : 'window-too-small'
}

export const fitsWindow = (used: number, { window, reserve }: Budget): boolean => used <= window - reserve

export function tooSmallText(used: number, fixed: number, { window, reserve }: Budget): string {
  const [all, instructions, answer, talk] = [window, fixed, reserve, used - fixed].map((tokens) =>
    tokens.toLocaleString('en-US'),
  )
  return (
    `A window of ${all} tokens is too small to go on: instructions and tools take ${instructions}, ` +
    `the conversation ${talk} even after compaction, and ${answer} are kept for the answer. ` +
    `Use a model with a larger window, or start a new session with a smaller task.`
  )
}
