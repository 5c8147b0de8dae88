/**
 * An answer that leaves the task: the person's words ask for something the trace does not hold. Told once with what is
 * missing; a second time the answer is taken and flagged, because the words may have meant something else. One that
 * says it is done gets more notes. Never an answer: a claim of what was not done, words without a reason where a file
 * was to be made and nothing was, and such words to a plain order to change a file or run a command, without a single call.
 * Questions back, refusals and reasons are answers.
 */
import { claimsAll, claimsChange, claimsRun } from './claims.ts'
import type { ReplyDetector, Situation } from './detector.ts'
import { FAILED_LAST, NOT_RUN, NOT_TOUCHED, NOT_WRITTEN, NOTHING_CHANGED, NOTHING_RUN } from './due.ts'
import { declines, endsWithQuestion, explains, tellsFailure } from './wording.ts'

export const unfinished: ReplyDetector = ({ text }, situation) => {
  const { due, mayAct, usedTools, demands, talked } = situation
  if (!mayAct || demands.wordsOnly) return undefined
  const missing = due.missing.filter((item) => !(item.endsWith(FAILED_LAST) && tellsFailure(text)))
  const isFalse = claimsFalsely(text, missing, usedTools)
  // A claim stays one with a question after it: "I created it. Anything else?"
  if (!isFalse && endsWithQuestion(text)) return undefined
  if (missing.length > 0) {
    // A reason found without looking is none.
    if (!isFalse && usedTools && explains(text)) return undefined
    return {
      ...toFinding(missing),
      ...moreFor(text, missing, isFalse || isBesideTask(text, missing, situation)),
    }
  }
  const isEmptyClaim = !talked && !usedTools && claimsChange(text) && !demands.show
  return isEmptyClaim ? emptyClaim(text) : undefined
}

/** What is said to be done and is not. "It is there already" is a reason where someone looked, unless it is not there. */
function claimsFalsely(text: string, missing: readonly string[], usedTools: boolean): boolean {
  const isUnmade = missing.some((item) => item.endsWith(NOT_WRITTEN))
  const isExcused = usedTools && !isUnmade && explains(text)
  if (missing.includes(NOTHING_CHANGED) && (claimsChange(text) || claimsAll(text))) return !isExcused
  return (
    missing.some((item) => item.endsWith(NOT_RUN) || item === NOTHING_RUN) &&
    (claimsRun(text) || claimsAll(text)) &&
    !explains(text)
  )
}

/** Talk is not what was asked for. Code may be. */
function isBesideTask(text: string, missing: readonly string[], situation: Situation): boolean {
  if (explains(text) || text.includes('```')) return false
  const isUnchanged = missing.includes(NOTHING_CHANGED)
  if (isUnchanged && missing.some((item) => item.endsWith(NOT_WRITTEN))) return true
  const { demands, usedTools, talked } = situation
  if (!demands.plain || demands.show || usedTools || talked || declines(text)) return false
  return (
    (isUnchanged && missing.some((item) => item.endsWith(NOT_TOUCHED))) ||
    missing.some((item) => item.endsWith(NOT_RUN))
  )
}

function moreFor(text: string, missing: readonly string[], isVoid: boolean) {
  if (!isVoid && !claimsChange(text) && !CLAIMS_END.test(text)) return {}
  const otherwise = `That is not so: ${missing[0]}. Do it now with a tool call.`
  return { again: 2, notes: 2, otherwise, ...(isVoid && { isVoid: true as const }) }
}

/** Without any call, a claim about a file is false; one about a text in the answer itself may be true. */
function emptyClaim(text: string) {
  const finding = toFinding(['no tool was called at all'])
  const isOfFile = FILE.test(text.replaceAll(/```[\s\S]*?(?:```|$)/g, ' '))
  return isOfFile ? { ...finding, again: 2, notes: 2, isVoid: true as const } : finding
}

const FILE = /\b(?:files?|folders?|director(?:y|ies)|commit\w*|install\w*)\b|[\w-]\.(?:[a-z]{1,4})\b/i

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
