/**
 * Telling a call from the mention of one. A model that explains a format, prints a README or discusses its tools writes
 * the same text as one that calls. The position of the text distinguishes them: in a code span, in the middle of a
 * sentence, behind "for example" or a colon, in a fence with prose behind it. A marker of a family is taken for a call
 * unless much speaks against it; JSON without one only where the model says nothing else or says that it acts.
 */
import type { Lead } from './lead.ts'
import { judgeLead } from './lead.ts'
import type { CallContext } from './sink.ts'

/** How the call was written: with a family's marker, as bare JSON or Python, or in a fence. */
export type Manner = 'marker' | 'bare' | 'fence'

export type Surroundings = {
  readonly place: CallContext
  readonly manner: Manner
  /** What follows the call, a sentence of it; empty when the reply ends there. */
  readonly tail: string
  /** Native calls work on this arm, so that a call in a fence is an illustration. */
  readonly native: boolean
  /** This reply has already mentioned a call without making it. */
  readonly again: boolean
}

export const TAIL = 160

/** A line that quotes: `> `, `| `, `# `. */
const QUOTING_PREFIX = /^\s*(?:[>|#]|\/\/|--\s)/
/** An item of a list. */
const LIST_PREFIX = /^\s*(?:[-*+•]\s|\d+[.)]\s)/
const OPENING_QUOTE = /["'“‘«]\s*$/
/** Said behind a call by a model that waits for its result. */
const WAITS = /^\W*(?:i|i['’]ll|i['’]m|once|after|then|now|waiting|next|when)\b(?!.*\byour?\b)/i

export function isQuoted({ place, manner, tail, native, again }: Surroundings): boolean {
  if (place.code || QUOTING_PREFIX.test(place.prefix)) return true
  const prose = isProse(tail)
  if (LIST_PREFIX.test(place.prefix) && (manner !== 'marker' || prose)) return true
  if (goesOn(place, tail)) return true
  const lead = judgeLead(place.lead)
  if (manner === 'marker') return isIllustration(lead, prose)
  if (lead.intends) return native && manner === 'fence'
  if (lead.illustrates || lead.colon || lead.addresses || again || isInSentence(place.prefix)) return true
  if (prose) return !lead.isEmpty || !WAITS.test(tail)
  return native && manner === 'fence' && !lead.isEmpty
}

/** Whether what follows must be known before deciding; a marked call that ends a plain reply need not wait. */
export function dependsOnTail(place: CallContext, manner: Manner): boolean {
  if (manner !== 'marker') return true
  const lead = judgeLead(place.lead)
  return !lead.isEmpty && (!lead.intends || isInSentence(place.prefix) || LIST_PREFIX.test(place.prefix))
}

const isIllustration = (
  { illustrates, announces, colon, addresses, intends }: Lead,
  prose: boolean,
): boolean => (illustrates && (prose || announces)) || (prose && !intends && (colon || addresses))

/** The sentence around the call continues after it. */
function goesOn({ prefix, lead }: CallContext, tail: string): boolean {
  if (lead.trim() === '') return false
  const sameLine = (tail.split('\n', 1)[0] ?? '').trim()
  if (/^[.,)]/.test(tail) || (OPENING_QUOTE.test(lead) && /^\s*["'”’»]/.test(tail))) return true
  if (isInSentence(prefix) && /^[\p{L}\d,;).`'"’”—–-]/u.test(sameLine)) return true
  return /,\s*$/.test(lead) || (!/[.!?:;。！？：…>\])"'”’`*]\s*$/.test(lead) && /^\s*\p{Ll}/u.test(tail))
}

/** Text stands before the call on its line, and it is not a finished sentence. */
function isInSentence(prefix: string): boolean {
  const before = prefix.replace(/[*_\s]+$/, '').trimStart()
  return before !== '' && !/[.!?:;。！？：…>\])"'”’]$/.test(before)
}

const isProse = (tail: string): boolean => {
  const visible = tail.trim()
  return (
    /^[*_#>"'“‘(-]*\s*(?:[\p{L}\d]|`(?!``))/u.test(visible) &&
    !/^(?:Observation|Action|TOOL|assistant|user)\b/i.test(visible)
  )
}
