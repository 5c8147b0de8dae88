/**
 * An answer that leaves the task: the person's words ask for something the trace does not hold. Told once with what is
 * missing; a second time the answer is taken and flagged, because the words may have meant something else. Questions
 * back, refusals and reasons are answers.
 */
import type { ReplyDetector } from './detector.ts'
import { FAILED_LAST } from './due.ts'
import { claimsChange, endsWithQuestion, explains, tellsFailure } from './wording.ts'

export const unfinished: ReplyDetector = ({ text }, { due, mayAct, usedTools, demands, talked }) => {
  if (!mayAct || demands.wordsOnly || endsWithQuestion(text)) return undefined
  const missing = due.missing.filter((item) => !(item.endsWith(FAILED_LAST) && tellsFailure(text)))
  // A reason found without looking is none.
  if (missing.length > 0) return usedTools && explains(text) ? undefined : toFinding(missing)
  const isEmptyClaim = !talked && !usedTools && claimsChange(text) && demands.show === false
  return isEmptyClaim ? toFinding(['no tool was called at all']) : undefined
}

const MOST_NAMED = 6

function toFinding(missing: readonly string[]) {
  const rest = missing.length > MOST_NAMED ? `, and ${missing.length - MOST_NAMED} more` : ''
  const list = missing.slice(0, MOST_NAMED).join('; ') + rest
  return {
    detector: 'unfinished',
    note: `The task is not finished: ${list}. Go on with a tool call, or say why it cannot be done.`,
    again: 1,
    notes: 1,
  }
}
