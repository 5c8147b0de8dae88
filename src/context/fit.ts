/**
 * A conversation made to fit the arm that was reserved: what to show, how long the answer may be, how large a page. The
 * engine asks before every request and knows nothing of windows itself.
 */
import type { FitInput, Fitted } from '../protocol/fit.ts'
import { budgetFor } from './budget.ts'
import { compact } from './compact.ts'
import { decideCompaction, fitsWindow, tooSmallText } from './compaction-rule.ts'
import { fixedTokens, messagesTokens, unsureShare } from './count.ts'
import { slideWindow } from './slide.ts'

export type FitOptions = {
  /** The frozen system text. */
  readonly system: string
  /** Show at most so many messages; 0 or absent is no limit. */
  readonly maxMessages?: number
}

/** One per session: it remembers how often compacting failed in a row. */
export function createFit(options: FitOptions): (input: FitInput) => Promise<Fitted> {
  let failures = 0
  return async ({ lease, tools, force, resultsSinceCompaction, messages: all, begun = [] }) => {
    const { window, reasoning } = lease.arm.capabilities
    const count = (text: string) => lease.countTokens(text)
    const messages = options.maxMessages ? slideWindow(all, options.maxMessages).messages : all
    const budget = budgetFor(
      window,
      lease.isExact?.() ? undefined : unsureShare(messages.map(({ text }) => text)),
    )
    const fixed = fixedTokens(options.system, tools, count) + messagesTokens(begun, { count, reasoning })
    const used = fixed + messagesTokens(messages, { count, reasoning })
    const { reserve: maxTokens, page: pageTokens } = budget
    const roomBeside = (tokens: number) => ({ roomTokens: Math.max(0, budget.trigger - tokens) })
    const fitted: Fitted = { messages, maxTokens, promptTokens: used, pageTokens, ...roomBeside(used) }

    const question = { used, budget, forced: force, resultsSince: resultsSinceCompaction, failures }
    const decision = decideCompaction(question)
    if (decision === 'none') return fitted
    if (decision === 'window-too-small') return { ...fitted, tooSmall: tooSmallText(used, fixed, budget) }

    const { stage, before, after, fits, ...compacted } = compact({
      messages,
      budget,
      fixed,
      count,
      reasoning,
      overflow: force,
    })
    failures = fits ? 0 : failures + 1
    if (!fitsWindow(after, budget)) return { ...fitted, tooSmall: tooSmallText(after, fixed, budget) }
    // Nothing gained: the prefix stays as it was.
    if (after >= before) return fitted
    return {
      ...fitted,
      ...compacted,
      promptTokens: after,
      ...roomBeside(after),
      compaction: { stage, before, after },
    }
  }
}
