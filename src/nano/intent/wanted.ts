/**
 * Whether a request that has a sign against its call may want it all the same: "Why is this still here? Delete it", "we don't need
 * the last line any more", "where it says 5 put 6". Then the user is asked; without this the answer would be that nothing was wanted. Pure.
 */
import { around, signIn, signsIn } from './mood.ts'
import { ordersAct } from './order.ts'
import type { NanoCall } from '../steps/run.ts'

export function mayBeWanted(call: NanoCall, request: string): boolean {
  const softened = softenedOf(around(call, request))
  const sign = signIn(softened, call)
  if (sign === undefined) return true
  // A condition or a later time holds for the order behind it, a complaint, a question or a story does not.
  if (sign === 'conditional' || sign === 'postponed') return isOrderedAnew(softened, call)
  const parts = partsOf(softened)
  const last = parts.findLastIndex((part) => signIn(part, call) !== undefined)
  return last >= 0 && parts.slice(last + 1).some(ordersAct)
}

/** Without what looks like a sign and is none. */
const softenedOf = (words: string): string =>
  HARMLESS.reduce((rest, pattern) => rest.replace(pattern, ' … '), words)

/** What speaks against a call and for it, for the trained verdict: each sign, whether it stays when what is harmless is gone, and whether an order follows. */
export function moodSigns(call: NanoCall, request: string): string[] {
  const words = around(call, request)
  const softened = softenedOf(words)
  const left = signsIn(softened, call)
  const signs = signsIn(words, call).map((sign) => `${sign}:${left.includes(sign) ? 'hard' : 'soft'}`)
  if (signs.length === 0) return ['plain']
  return [...signs, `signs:${signs.length}`, `wanted:${mayBeWanted(call, request)}`]
}

/** "We open next year. Copy the list": a sentence of its own behind it, unless that goes on from it. */
function isOrderedAnew(words: string, call: NanoCall): boolean {
  const sentences = words.split(/(?<=[.!])\s+/u)
  const last = sentences.findLastIndex((sentence) => signIn(sentence, call) !== undefined)
  const isBare = !sentences.slice(0, last + 1).some(ordersAct)
  return (
    isBare && sentences.slice(last + 1).some((sentence) => ordersAct(sentence) && !GOES_ON.test(sentence))
  )
}

const GOES_ON = /^\W*(?:then|after|afterwards|once|when|if|until|only|and)\b/u

/** What could be said by itself. */
const partsOf = (words: string): string[] =>
  words
    .split(/(?<=[.!?;:\n])(?=\s|$)|\s[-–—]+\s|,\s+|\s(?:so|but|and|anyway)\s/u)
    .filter((part) => part.trim() !== '')

const STATES = String.raw`(?:need|want|have|use|see|like|love|trust|think|believe|belong|exist|be(?! (?:\w+ly )?\w+(?:ed|en|wn|ut|un|one|id)\b)|list|contain|include|say|show|hold|end|miss|lose|leave|call|ask|stop|apply|recall|know|remember|deal|stock|carry|keep|mention)`

/** Words that look like a sign and say how things are, or are mere politeness. */
const HARMLESS: readonly RegExp[] = [
  // "We don't need it", "should no longer list", "I never liked it"; not "I don't want you to".
  new RegExp(
    String.raw`\b(?:do not|don't|dont|does not|doesn't|doesnt|did not|didn't|never|should not|shouldn't|shouldnt|ought not to|must not|mustn't|need not|not to|can't|cannot|no longer)\s+(?:really\s+|even\s+|just\s+|actually\s+)?${STATES}(?:s|d|ed)?\b(?!\s+(?:to (?!see|have|be\b)|you\b|u\b|it to|that to|them to|anyone|anybody|\S+ (?:to|run|deleted|removed|changed|moved|renamed|touched|built|tested|deployed)\b))`,
    'gu',
  ),
  // "They never pay", "the classics never die": how things are.
  /\b(?:they|he|she|it|nobody|people|customers|classics) never(?= (?!\w+ly\b)[a-z]+(?:s|ed)?\b(?! (?:it|that|this|them|…)))/gu,
  /\b(?:no longer|not any ?more|no more)\b(?=\s+(?:\S+\s+){0,3}(?:true|valid|right|correct|current|used|needed|here|there|…|works?)\b)/gu,
  /\b(?:should not|shouldn't|shouldnt|ought not to)(?=\s*(?:exist|[.,;!?]|$))/gu,
  // "Where it says 5, put 6", "what is a.txt now should be b.txt": no question.
  /^\W*(?:(?:so|and|ok|well|hey|please)[\s,]+)*(?:where|wherever|what(?! (?:we|do|does|did|if|would|happens)\b)|what's|whatever|whoever|which)\b(?=[^?]*\b(?:should|must|let|i'd rather|would you|fill in|has to|have to|put|make|write|use|want|wants|meant|ought|is to|needs?|goes|belongs|instead|lacking|missing)\b[^?]*$)/u,
  // A question as an opener, a complaint with its remedy: "why isn't it 5 yet? it's supposed to be".
  /^\W*(?:(?:so|and|ok|well|hey|hmm|wait)[\s,]+)*(?:why|why's|how come|who|for what)\b[^?!]*[?!]+(?=.*\b(?:should|supposed|must|ought|meant|has to|have to|belongs?|needs?|i want|its place|its?'?s? to be)\b)/u,
  /\?(?=.*\b(?:should|supposed|must|ought|meant|gotta|has to|have to|it's|thats|that's|needs?)\b[^?]*$)/u,
  // "Can the name be x?", "could notes.txt have y?"
  /^\W*(?:(?:so|and|ok|well|hey|please)[\s,]+)*(?:can|could|may|might)\s+(?=[^?]*\b(?:be|have|hav|say|read|go|become|get)\b)/u,
  /\bfor me\?/gu,
  /\b(?:just )?in case\b(?=\s*(?:[.,;!]|$|you(?:'d|'ve|d|ve)? (?:forgot|forget|forgotten|lost|wonder|wondered|missed|miss|ask|care)))/gu,
  /\bif (?:it's|its|it is|that's|that is) (?:not|no|ok|okay|alright|all right|fine|possible)\b[^,.;]*/gu,
  /\bif (?:you|u)(?:'d|'ll|d|ll)? (?:be|have|had|get|got|could|would|can|please|don't|do not|wouldn't|feel|fancy|find|look|open)\b[^,.;]*/gu,
  // "It would be a help if it were 5", "I wonder if we could have 5".
  /\b(?:help|better|love it|lovely|nice|great|good|glad|grateful|obliged|thankful|pleased|delighted|happy|happier|appreciate it|wonder|wondering|kind)\s+(?:if|whether)\b/gu,
  /\b(?:may|might|shall) (?:i|we) (?:ask you|trouble you|have|get)\b/gu,
  // "Run it and see what happens", "I want to see what it gives".
  /\b(?:see|know|show me|tell me)\s+what\s+(?:happens|comes|gives|it|…)/gu,
  /^\W*kill\b/gu,
  /\b(?:is it|would it be) (?:possible|ok|okay|alright|all right)\b(?= (?:to|that|you|u|for you|if you)\b)/gu,
  /\bwhat i(?:'d| would)? (?:like|want|need|wanted|meant)\b/gu,
  /\b(?:why not|how about|what about|you know what|guess what|remember)\b/gu,
  /\bdo(?:n't| not|nt) (?:let me |you )?(?:forget|worry|mind|hesitate|ask|miss|stop|touch the rest|touch anything else|leave)\b/gu,
]
