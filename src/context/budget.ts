/**
 * How a window is divided, in tokens. Shares are fractions of the window, so that the same rules hold at 4k and at
 * 128k.
 */
import { SMALLEST_WINDOW } from '../protocol/token-limits.ts'

export type Budget = {
  readonly window: number
  /** Kept free for the answer. */
  readonly reserve: number
  /** The most the system text and the tools may take. */
  readonly fixed: number
  /** The most tokens allowed in front of the user's prompt. */
  readonly preceding: number
  /** The most of the person's own words that is shown at once. */
  readonly prompt: number
  /** The most one page of a file or result may take. */
  readonly page: number
  /** From this size on the conversation is compacted. */
  readonly trigger: number
  /** A compaction ends at or below this, or goes to its next stage. */
  readonly target: number
  /** Older groups are kept only while everything together stays below this. */
  readonly keep: number
  readonly digest: number
}

const LARGEST_RESERVE = 4096

/** How much of what is usable fills up before a compaction: less, the more the count may be wrong. */
const FULL = { exact: 0.92, estimated: 0.9, guessed: 0.8 }
/** From this share on a conversation counts as wholly unsure. */
const MUCH_UNSURE = 0.25

/** `unsure`: the share, 0-1, of an estimated conversation whose count is a guess; absent where the arm itself counts. */
export function budgetFor(window: number, unsure?: number): Budget {
  const share = (fraction: number) => Math.floor(window * fraction)
  const reserve = Math.min(LARGEST_RESERVE, share(0.25))
  const usable = window - reserve
  return {
    window,
    reserve,
    fixed: share(0.15),
    preceding: share(0.15),
    prompt: share(0.2),
    page: Math.floor(usable * 0.2),
    trigger: Math.floor(usable * fullFor(unsure)),
    target: Math.floor(usable * 0.6),
    keep: share(0.35),
    digest: share(0.1),
  }
}

function fullFor(unsure: number | undefined): number {
  if (unsure === undefined) return FULL.exact
  return FULL.estimated - (FULL.estimated - FULL.guessed) * Math.min(1, unsure / MUCH_UNSURE)
}

/** What we counted for a prompt, and what the server said it read. */
export type PromptReport = { readonly counted: number; readonly reported: number }

/** Below this no window worth halving is left, and servers that report a made-up number report a small one. */
const SMALLEST_REPORT = SMALLEST_WINDOW

/**
 * The window to believe in after a report that is clearly below what was sent, because the server dropped the rest
 * without a word; nothing when the report is credible. `previous` is the report before this one.
 */
export function learnWindow(
  window: number,
  report: PromptReport,
  previous?: PromptReport,
): number | undefined {
  if (report.reported < SMALLEST_REPORT || window < 2 * SMALLEST_REPORT) return undefined
  const isFarBelow = report.reported < report.counted * 0.6
  return isFarBelow || hasStoppedGrowing(report, previous) ? Math.floor(window / 2) : undefined
}

/** More was sent than last time, yet no more was read, and less than was sent. */
const hasStoppedGrowing = (report: PromptReport, previous: PromptReport | undefined): boolean =>
  previous !== undefined &&
  report.counted > previous.counted * 1.2 &&
  report.reported <= previous.reported * 1.02 &&
  report.reported < report.counted * 0.85

/**
 * How much each of several texts may take so that together they fit: small ones whole, the larger ones equally much.
 */
export function fairShare(sizes: readonly number[], available: number): number {
  let left = Math.max(0, available)
  const ascending = sizes.toSorted((a, b) => a - b)
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index))
    if (size > share) return share
    left -= size
  }
  return Number.POSITIVE_INFINITY
}
