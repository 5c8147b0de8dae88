/**
 * Asks in words for what the person has asked for already: "Should I go ahead?" Said once; a model that insists is
 * left to the person. Alternatives are a real choice and none of this.
 */
import type { ReplyDetector } from './detector.ts'
import { toSentences } from './sentences.ts'
import { asksLeaveIn } from './wording.ts'

export const asksLeave: ReplyDetector = ({ text }, { due, mayAct, demands }) => {
  if (!mayAct || due.missing.length === 0 || demands.wordsOnly) return undefined
  const last = toSentences(text).slice(-2)
  return last.some(asksLeaveIn)
    ? {
        detector: 'asks-leave',
        note: 'You may do what the task asks for; no confirmation is needed. Go on with a tool call.',
        again: 0,
        notes: 1,
      }
    : undefined
}
