/**
 * What to do with a finished reply: take it, ask again with other sampling, keep it and say what was wrong, let it go on,
 * or stop. Pure. Asking again costs no history and hardly any prefill, so it comes before words.
 */
import type { RunEndReason } from '../protocol/event.ts'
import { clip } from '../lib/text.ts'
import { announced } from './detectors/announced.ts'
import type { Reply } from './collect.ts'
import { emptyReply } from './detectors/empty-reply.ts'
import { greeting } from './detectors/greeting.ts'
import type { Sampling, Tally } from './run-state.ts'
import type { Finding, ReplyDetector, Situation } from './trace.ts'

export type Verdict =
  | { readonly kind: 'accept'; readonly flag?: string }
  /** The reply is void; the same request is sent once more with this sampling. */
  | { readonly kind: 'again'; readonly finding: Finding; readonly sampling: Omit<Sampling, 'seed'> }
  /** The reply stays in the conversation and this is said after it. */
  | { readonly kind: 'note'; readonly finding: Finding }
  /** The output limit cut the text off: let it go on. */
  | { readonly kind: 'continue' }
  | { readonly kind: 'stop'; readonly reason: RunEndReason }

const MAX_CONTINUES = 3
const MAX_BAD_CALL_NOTES = 2
/** A reply may hold a hundred calls that cannot be read, and a call may be all of it. */
const MOST_REASONS = 3
const LONGEST_REASON = 600

const detectors: readonly ReplyDetector[] = [emptyReply, greeting, announced]

export function judgeReply(reply: Reply, situation: Situation, tally: Tally): Verdict {
  if (reply.repetition) return judgeRepetition(reply.repetition, tally)
  if (reply.calls.length > 0) return { kind: 'accept' }
  if (reply.finish === 'length') {
    const verdict = judgeCutText(reply, tally)
    if (verdict) return verdict
  }
  if (reply.badCalls.length > 0) return judgeBadCalls(reply, tally)
  for (const detect of detectors) {
    const finding = detect(reply, situation)
    if (finding) return spend(finding, tally)
  }
  return { kind: 'accept' }
}

function judgeRepetition(where: 'text' | 'reasoning', tally: Tally): Verdict {
  const note = 'You were repeating yourself. Say it once, then take the next step or give the answer.'
  const finding = { detector: 'repetition', note }
  const thinking = where === 'reasoning' ? ({ thinking: 'off' } as const) : {}
  if (tally.again === 0) return { kind: 'again', finding, sampling: { hotter: true, ...thinking } }
  return tally.notes === 0 ? { kind: 'note', finding } : { kind: 'stop', reason: 'repetition' }
}

function judgeCutText(reply: Reply, tally: Tally): Verdict | undefined {
  if (reply.text.trim() !== '' && reply.badCalls.length === 0) {
    return tally.continues < MAX_CONTINUES ? { kind: 'continue' } : { kind: 'accept', flag: 'cut' }
  }
  const note = 'Your thinking used up the whole answer. Think briefly, then act.'
  const isEmpty = reply.text.trim() === '' && reply.badCalls.length === 0
  if (!isEmpty || tally.again > 0) return undefined
  return { kind: 'again', finding: { detector: 'reasoning-overflow', note }, sampling: { thinking: 'off' } }
}

function judgeBadCalls(reply: Reply, tally: Tally): Verdict {
  const reasons = reply.badCalls.map(({ name, reason }) => (name ? `${name}: ${reason}` : reason))
  const told = clip([...new Set(reasons)].slice(0, MOST_REASONS).join('; '), LONGEST_REASON)
  const finding = {
    detector: 'bad-call',
    note: `Your tool call could not be read (${told}). Write it again.`,
  }
  return tally.notes < MAX_BAD_CALL_NOTES ? { kind: 'note', finding } : { kind: 'accept', flag: 'bad-call' }
}

/** Sampling first, then one note, then the reply is taken as it is, flagged. */
function spend(finding: Finding, tally: Tally): Verdict {
  if (tally.again === 0) return { kind: 'again', finding, sampling: { hotter: true } }
  return tally.notes === 0 ? { kind: 'note', finding } : { kind: 'accept', flag: finding.detector }
}
