/**
 * Whether one answer is enough. More are asked for only where that pays: the first cannot be used, would fail, is not sure
 * of itself, or changes something. Pure.
 */
import type { VoteOptions } from '../protocol/vote.ts'
import { isBallot, toBallot } from './ballot.ts'
import type { Answered } from './worker.ts'

type EscalationRule = {
  /** From which effect on another opinion is wanted. */
  readonly from: 'write' | 'destroy'
  /** Below this the model is not sure, 0-1. */
  readonly sure: number
}

/** Why others are asked too, in words; nothing where the answer stands. */
export function whyMore(answered: Answered, options: VoteOptions, rule: EscalationRule): string | undefined {
  const ballot = toBallot(answered, options)
  if (!isBallot(ballot)) return `the first answer has no vote: ${ballot.why}`
  if (ballot.effect === 'destroy') return 'it cannot be undone'
  if (ballot.effect === 'write' && rule.from === 'write') return 'it changes something'
  const { confidence = 1 } = answered.finish
  return confidence < rule.sure ? `the model is not sure (${confidence.toFixed(2)})` : undefined
}
