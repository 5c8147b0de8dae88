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
  /** This reply has already mentioned a call without making it. */
  readonly again: boolean
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
  /\b(?:i['’]ll|i will|i['’]m|i am|let me|let['’]s|now i|first,? i|next,? i|i need|i should|i have to|i want)\b|^\W*(?:calling|reading|running|searching|checking|looking|opening|using the|next|now|step \d|tool call|function call|here(?:['’]s| is) (?:the|my) (?:\w+ )?(?:tool |function )?call)\b/i

/** What calls are talked about with; a line with one of these and a colon announces a specimen. */
const SUBJECT =
  /\b(?:calls?|calling|json|representation|requests?|repl(?:y|ies)|responses?|outputs?|logs?|turns?|prompts?|tests?|parsers?|agents?|models?|assistants?|tools?|functions?|arguments)\b/i

/** A line that is a quotation, a list item or a table row: `> `, `- `, `1. `, `| `. */
const QUOTING_PREFIX = /^\s*(?:[>|#]|[-*+•]\s|\d+[.)]\s|\/\/|--\s)/

export function isQuoted({ place, manner, tail, native, again }: Surroundings): boolean {
  if (place.code) return true
  const { continues, prose } = lookBehind(tail)
  if (QUOTING_PREFIX.test(place.prefix) && (manner !== 'marker' || prose)) return true
  if (isInSentence(place.prefix) && continues) return true
  if (isBetweenQuotes(place.prefix, tail)) return true
  const lead = judgeLead(place.lead)
  if (manner === 'marker') return lead.illustrates && (prose || lead.announces)
  if (lead.illustrates || (again && !lead.intends)) return true
  if (manner === 'bare') return false
  const alone = place.lead.trim() === ''
  return !alone && (native || (prose && !lead.intends))
}

/** Whether what follows must be known before deciding; most calls end the reply and need not wait. */
export const dependsOnTail = (place: Place, manner: Manner): boolean =>
  manner === 'fence' ||
  isInSentence(place.prefix) ||
  QUOTING_PREFIX.test(place.prefix) ||
  OPENING_QUOTE.test(place.prefix) ||
  judgeLead(place.lead).illustrates

type Lead = {
  /** Talks about calls rather than making one. */
  readonly illustrates: boolean
  /** And ends in a colon, so that a specimen must follow. */
  readonly announces: boolean
  readonly intends: boolean
}

function judgeLead(lead: string): Lead {
  const sentence = lastSentence(lead)
  const words = sentence.replace(/[\s.:!?]+$/, '')
  const colon = /:[\s*_`]*$/.test(sentence)
  const heading = HEADING.test(lead)
  const intends = heading ? STEP.test(words) : INTENDS.test(words)
  const talks = SHOWS.test(words) || TELLS.test(words) || (colon && SUBJECT.test(words))
  const illustrates = ((talks || heading) && !intends) || isTranscript(lead)
  return { illustrates, announces: illustrates && (colon || heading || SPECIMEN.test(words)), intends }
}

/** A section of a document rather than a sentence. */
const HEADING = /(?:^|\n)#{1,6} [^\n]*\s*$/

/** Headings of a model at work. */
const STEP = /^\W*(?:step \d|(?:tool|function) call$|action\b|next step)/i

const SPECIMEN = /\b(?:samples?|examples?|snippets?|specimens?|illustrations?|demonstrations?)\b/i

/** Lines of a conversation that was announced as an example: its thoughts are not the model's own. */
function isTranscript(lead: string): boolean {
  const lines = lead.split('\n')
  const announced = lines.findLastIndex((line) => /:\s*$/.test(line) && SHOWS.test(line.replace(/:\s*$/, '')))
  if (announced === -1) return false
  return lines
    .slice(announced + 1)
    .every((line) => /^\s*(?:$|(?:thought|question|user|assistant|human|observation)\b)/i.test(line))
}

const OPENING_QUOTE = /["'“‘«]\s*$/
const isBetweenQuotes = (prefix: string, tail: string): boolean =>
  OPENING_QUOTE.test(prefix) && /^\s*["'”’»]/.test(tail)

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
    prose:
      /^[*_#>"'“‘(-]*\s*[\p{L}\d`]/u.test(visible) && !/^(?:Observation|assistant|user)\b/i.test(visible),
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
