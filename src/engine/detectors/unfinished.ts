/**
 * An answer that leaves the task: the person's words ask for something the trace does not hold. Told once with what is
 * missing; a second time the answer is taken and flagged, because the words may have meant something else. One that
 * says it is done gets more notes, and one that claims changes where nothing was changed is not an answer. Questions
 * back, refusals and reasons are answers.
 */
import type { ReplyDetector } from './detector.ts'
import { FAILED_LAST, NOTHING_CHANGED } from './due.ts'
import { claimsChange, endsWithQuestion, explains, tellsFailure } from './wording.ts'

export const unfinished: ReplyDetector = ({ text }, { due, mayAct, usedTools, demands, talked }) => {
  if (!mayAct || demands.wordsOnly || endsWithQuestion(text)) return undefined
  const missing = due.missing.filter((item) => !(item.endsWith(FAILED_LAST) && tellsFailure(text)))
  // A reason found without looking is none.
  if (missing.length > 0) {
    if (usedTools && explains(text)) return undefined
    return { ...toFinding(missing), ...moreFor(text, missing) }
  }
  const isEmptyClaim = !talked && !usedTools && claimsChange(text) && demands.show === false
  return isEmptyClaim ? toFinding(['no tool was called at all']) : undefined
}

/** What is said to be done and is not. */
function moreFor(text: string, missing: readonly string[]) {
  const isFalse = claimsChange(text) && missing.includes(NOTHING_CHANGED)
  if (!isFalse && !claimsChange(text) && !CLAIMS_END.test(text)) return {}
  const otherwise = `That is not so: ${missing[0]}. Do it now with a tool call.`
  return { again: 2, notes: 2, otherwise, ...(isFalse && { isVoid: true as const }) }
}

const CLAIMS_END =
  /\b(?:done|finished|completed?|everything (?:works|is)|all (?:set|good|works|tests pass)|works as expected|(?:tests?|checks?|it) (?:now )?pass(?:es|ed)?|successfully|is ready|is fixed)\b|fertig|erledigt|terminé|listo|готово|完成/iu

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
