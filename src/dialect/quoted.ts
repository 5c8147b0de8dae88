/**
 * Telling a call from the mention of one. A model that explains a format, prints a README or discusses its tools writes
 * the same text as one that calls. What tells them apart is where the text stands: in a code span, in the middle of a
 * sentence, behind "for example", in a fence with prose behind it.
 */
import type { Place } from './sink.ts'

/** How the call was written: with a family's marker, as bare JSON or Python, or in a fence. */
export type Manner = 'marker' | 'bare' | 'fence'

export type Surroundings = {
  readonly place: Place
  readonly manner: Manner
  /** What follows the call, a sentence of it; empty when the reply ends there. */
  readonly tail: string
  /** Native calls work on this arm, so that a call in a fence is an illustration. */
  readonly native: boolean
}

export const TAIL = 160

/** Announces an illustration. */
const SHOWS = new RegExp(
  [
    String.raw`\b(?:for example|for instance|e\.g\.|i\.e\.|such as|as follows|namely)`,
    String.raw`\bexamples?\b(?:\s+(?:of|call|usage|output|request|response|format|tool|invocation)\b|[^.!?\n]{0,24}$)`,
    String.raw`\b(?:look|looks|looked|looking)\s+(?:something\s+)?like\b`,
    String.raw`\blike\s+(?:this|so|these|the following)\b`,
    String.raw`\b(?:format|syntax|schema|documentation|docs|documented|readme|usage|specification|spec|snippet|sample|template|placeholder|tutorial|changelog|test case|fixture|transcript|quote[sd]?|verbatim|literal(?:ly)?|notation|convention|grammar|structure|shape|payload|demonstration|illustrat\w+)\b[^.!?\n]{0,60}$`,
    String.raw`\b(?:written|shown|known|defined|expressed|encoded|represented|rendered|serialised|serialized) (?:as|like)\b`,
    String.raw`\bhow (?:to|you|one|it|a|an|the)\b`,
  ].join('|'),
  'i',
)

/** Talks about calls: what someone can, would or did write. */
const TELLS = new RegExp(
  [
    String.raw`\b(?:would|could|should|must|can|may|might|shall)\s+(?:then\s+|also\s+|be\s+|have\s+|not\s+){0,3}(?:be|look|write|emit|output|produce|call|invoke|use|send|return|respond|reply|see|run|pass|generate|print|type|contain|appear|get|put|wrap|become)\w*\b`,
    String.raw`\b(?:you|users?|one|we|they|developers?|callers?|clients?)\s+(?:can|could|should|may|must|would|need|have to|want|will|write|call|use|send|get|see|do)\b`,
    String.raw`\b(?:the|an?|another|each|every|some|most|this|that|these|those|your|many|small|other)\s+(?:[\w-]+\s+){0,2}(?:models?|assistants?|agents?|servers?|parsers?|templates?|llms?|clients?)\s+(?:will\s+|then\s+|may\s+|often\s+|usually\s+|also\s+|sometimes\s+|wrongly\s+)?(?:write|wrote|emit|output|produce|generate|return|respond|send|sent|print|answer|say|said|expect|read|call|use|reply|replie|wrap)\w*\b`,
    String.raw`\b(?:never|don't|do not|instead of|rather than|avoid|not to|wrong|incorrect|invalid|malformed|broken|bad|mistake|bug|logs?|logged|says|said|reads|wrote|contains?|means|meant|equals|string|pattern|regex|explain(?:s|ed)?|describe[sd]?|discuss(?:es|ed)?)\b[^.!?\n]{0,60}$`,
  ].join('|'),
  'i',
)

/** Said by a model that is about to act. */
const INTENDS =
  /\b(?:i'll|i’ll|i will|i'm going to|i am going to|let me|let's|going to|now i|first i|next i|i need to|i should|calling|reading|running|searching|checking|using the)\b[^.!?\n]{0,80}[:.]?\s*$/i

/** A line that is a quotation, a list item or a table row: `> `, `- `, `1. `, `| `. */
const QUOTING_PREFIX = /^\s*(?:[>|#]|[-*+•]\s|\d+[.)]\s|\/\/|--\s)/

export function isQuoted({ place, manner, tail, native }: Surroundings): boolean {
  if (place.code) return true
  const { continues, prose } = lookBehind(tail)
  const inSentence = isInSentence(place.prefix)
  if (QUOTING_PREFIX.test(place.prefix) && (manner !== 'marker' || prose)) return true
  if (inSentence && continues) return true
  const before = lastSentence(place.lead)
  const illustrated = isIllustrated(before)
  if (manner === 'marker') return illustrated && (prose || (SHOWS.test(before) && /:\s*$/.test(before)))
  if (illustrated) return true
  if (manner === 'bare') return false
  if (native && (prose || place.lead.trim() !== '')) return true
  return prose && place.lead.trim() !== '' && !INTENDS.test(before)
}

/** Whether what follows must be known before deciding; most calls end the reply and need not wait. */
export const dependsOnTail = (place: Place, manner: Manner): boolean =>
  manner === 'fence' ||
  isInSentence(place.prefix) ||
  QUOTING_PREFIX.test(place.prefix) ||
  isIllustrated(lastSentence(place.lead))

const isIllustrated = (sentence: string): boolean =>
  (SHOWS.test(sentence) || TELLS.test(sentence)) && !INTENDS.test(sentence)

/** Text stands before the call on its line, and it is not a finished sentence. */
function isInSentence(prefix: string): boolean {
  const before = prefix.trim()
  return before !== '' && !/[.!?:;。！？：…>\])"'”’]$/.test(before)
}

function lookBehind(tail: string): { continues: boolean; prose: boolean } {
  const sameLine = tail.split('\n', 1)[0]?.trim() ?? ''
  const visible = tail.trim()
  return {
    continues: /^[\p{Ll},;).`'"’”—–-]/u.test(sameLine) || /^[\p{L}\d]/u.test(sameLine),
    prose: /^[*_#>"'“‘(-]*\s*[\p{L}\d`]/u.test(visible) && !/^(?:Observation|assistant|user)\b/i.test(visible),
  }
}

/** The sentence a call stands behind, or the line when it ends in a colon. */
function lastSentence(lead: string): string {
  const text = lead.trimEnd()
  const from = Math.max(
    text.lastIndexOf('\n\n'),
    ...['. ', '! ', '? ', '.\n', '!\n', '?\n'].map((end) => text.lastIndexOf(end, text.length - 2)),
  )
  return text.slice(from + 1).slice(-200)
}
