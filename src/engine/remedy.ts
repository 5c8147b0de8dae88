/**
 * What to do with a finished reply: take it, ask again with other sampling, keep it and say what was wrong, let it go on,
 * or stop. Pure. Asking again costs no history and hardly any prefill, so it comes before words. Every detector has its
 * own tally; one whose remedies are used up ends the run if the reply is void, and else leaves it to the next.
 */
import type { RunEndReason } from '../protocol/run-end-reasons.ts'
import { clip } from '../lib/text.ts'
import type { Reply } from './collect.ts'
import { announced } from './detectors/announced.ts'
import { asksLeave } from './detectors/asks-leave.ts'
import { callShaped } from './detectors/call-shaped.ts'
import type { ReplyDetector, Situation } from './detectors/detector.ts'
import { emptyReply } from './detectors/empty-reply.ts'
import { greeting } from './detectors/greeting.ts'
import { inventedResult } from './detectors/invented-result.ts'
import { nothingNew } from './detectors/nothing-new.ts'
import { otherLanguage } from './detectors/other-language.ts'
import { proseInstead } from './detectors/prose-instead.ts'
import { quotedBack } from './detectors/quoted-back.ts'
import { unfinished } from './detectors/unfinished.ts'
import { type Sampling, spentOn, type Tally } from './run-state.ts'
import type { Finding } from './trace.ts'

export type Verdict =
  | { readonly kind: 'accept'; readonly flag?: string }
  /** The reply is thrown away; the same request is sent once more with this sampling. */
  | { readonly kind: 'again'; readonly finding: Finding; readonly sampling: Omit<Sampling, 'seed'> }
  /** The reply stays in the conversation and this is said after it. */
  | { readonly kind: 'note'; readonly finding: Finding; readonly note: string }
  /** The output limit cut the text off: let it go on. */
  | { readonly kind: 'continue' }
  | { readonly kind: 'stop'; readonly reason: RunEndReason; readonly finding: Finding }

const MAX_CONTINUES = 3
/** A reply may hold a hundred calls that cannot be read, and a call may be all of it. */
const MOST_REASONS = 3
const LONGEST_REASON = 600

/** What is void in itself comes before what is doubtful, and what says most about the mistake before the rest. */
const detectors: readonly ReplyDetector[] = [
  emptyReply,
  quotedBack,
  callShaped,
  greeting,
  announced,
  inventedResult,
  proseInstead,
  asksLeave,
  nothingNew,
  otherLanguage,
  unfinished,
]

export function judgeReply(reply: Reply, situation: Situation, tally: Tally): Verdict {
  if (reply.repetition) return judgeRepetition(reply.repetition, tally)
  if (reply.calls.length > 0) return { kind: 'accept' }
  if (reply.finish === 'length') {
    const verdict = judgeCutText(reply, tally)
    // However long it is, a claim of what was not done is no answer.
    const doubt = verdict?.kind === 'accept' ? unfinished(reply, situation) : undefined
    if (verdict) return (doubt?.isVoid && spend(doubt, tally)) || verdict
  }
  if (reply.badCalls.length > 0) return judgeBadCalls(reply, tally)
  let flag: string | undefined
  for (const detect of detectors) {
    const finding = detect(reply, situation)
    const verdict = finding && spend(finding, tally)
    if (verdict) return verdict
    flag ??= finding?.detector
  }
  return { kind: 'accept', ...(flag !== undefined && { flag }) }
}

function judgeRepetition(where: 'text' | 'reasoning', tally: Tally): Verdict {
  const finding: Finding = {
    detector: 'repetition',
    note: 'You were repeating yourself. Say it once, then take the next step or give the answer.',
    isVoid: true,
    again: 2,
    notes: 1,
  }
  const verdict = spend(finding, { ...tally, isPatient: false })
  if (verdict?.kind === 'again' && where === 'reasoning')
    return { ...verdict, sampling: { ...verdict.sampling, thinking: 'off' } }
  return verdict && verdict.kind !== 'stop' ? verdict : { kind: 'stop', reason: 'repetition', finding }
}

function judgeCutText(reply: Reply, tally: Tally): Verdict | undefined {
  const isEmpty = reply.text.trim() === ''
  if (!isEmpty && reply.badCalls.length === 0) {
    return tally.continues < MAX_CONTINUES ? { kind: 'continue' } : { kind: 'accept', flag: 'cut' }
  }
  const note = 'Your thinking used up the whole answer. Think briefly, then act.'
  const finding: Finding = { detector: 'reasoning-overflow', note, again: 2, notes: 0 }
  if (!isEmpty || reply.badCalls.length > 0 || spentOn(tally, finding.detector).again >= 2) return undefined
  return { kind: 'again', finding, sampling: { thinking: 'off' } }
}

/** Words first: a call that cannot be read is mostly written the same way again. */
function judgeBadCalls(reply: Reply, tally: Tally): Verdict {
  const reasons = reply.badCalls.map(({ name, reason }) => (name ? `${name}: ${reason}` : reason))
  const told = clip([...new Set(reasons)].slice(0, MOST_REASONS).join('; '), LONGEST_REASON)
  const finding: Finding = {
    detector: 'bad-call',
    note: `Your tool call could not be read (${told}). Write it again.`,
    isVoid: true,
  }
  const { notes } = spentOn(tally, finding.detector)
  if (notes < MOST) return { kind: 'note', finding, note: finding.note }
  return spend(finding, tally) ?? { kind: 'stop', reason: 'no-answer', finding }
}

/** Remedies of one kind that a detector has where it does not say otherwise. */
const MOST = 2

/** Sampling first, then words; nothing when both are used up and the reply may pass. */
function spend(finding: Finding, tally: Tally): Verdict | undefined {
  const { detector, note, otherwise = note, isVoid = false } = finding
  const spent = spentOn(tally, detector)
  if (spent.again < (finding.again ?? MOST)) {
    const thinking = spent.again > 0 ? ({ thinking: 'off' } as const) : {}
    return { kind: 'again', finding, sampling: { hotter: true, ...thinking } }
  }
  if (spent.notes < (finding.notes ?? MOST)) {
    return { kind: 'note', finding, note: spent.notes > 0 ? otherwise : note }
  }
  if (!isVoid) return undefined
  return tally.isPatient
    ? { kind: 'again', finding, sampling: { hotter: true } }
    : { kind: 'stop', reason: 'no-answer', finding }
}
