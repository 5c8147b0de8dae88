/**
 * Whether a request is an order, read by rules: it begins with a verb in the imperative, a polite question for one, or the command
 * itself. "They copied a.txt", "no more appending" and "ejecuta npm test" are none. Only an order is carried out unasked. Pure.
 */
import type { NanoCall } from '../steps/run.ts'

const POLITE =
  "please|pls|plz|kindly|hey|hi|hello|ok|okay|now|then|next|first|just|quickly|also|and|so|yo|covey|can you|could you|would you|will you|can u|could u|you can|would you mind|i want you to|i need you to|i would like you to|i'd like you to|let's|lets|go ahead and|go and|be so kind as to|be so good as to"

const VERBS =
  'add append attach put write save store note create make start set start copy duplicate clone cp move mv rename retitle call delete remove erase rm bin drop trash change replace swap switch turn edit update modify set bump raise lower increase decrease correct fix insert run execute launch call exec build test lint format compile deploy install mkdir touch echo show list open read find search grep look display print view cat tell give get fetch check take use overwrite fill mark tick clean stop remember back enable disable activate deactivate reset restore rebuild rerun restart regenerate generate verify ensure increment decrement shorten extend convert toggle uncheck untick tick cross strike cut stick pop chuck throw toss shove tack ditch lose nuke scrap wipe flip slap jot stash pull bring'

/** Up to three words, none of which opens a sentence about a person: "in the cover letter", not "in the meeting they said". */
const PLACE = String.raw`(?:in|inside|into|to|at|on|for|under|from)\s+(?:the\s+|my\s+|our\s+)?(?:(?!(?:i|we|you|he|she|it|they|who|that|was|were|is|are|has|have|had|did|do|said|says?|told|asked|wants?|if|when)\b)\S+\s+){1,3}`

const ORDER = new RegExp(
  String.raw`^[\s\W]*(?:(?:${POLITE})[\s,:!.-]+)*(?:${PLACE})?(?:(?:please|kindly|just)\s+)?(?:${VERBS.split(' ').join('|')})\b`,
  'i',
)

const ACTS = new RegExp(
  String.raw`^[\s\W]*(?:(?:${POLITE}|well|yeah|yes|oh|ok so|go on|you may|you should|i want to|i'd like to|we need to|we should|need to|gotta)[\s,:!.-]+)*(?:${PLACE})?(?:(?:please|kindly|just|only)\s+)?(?:add|append|attach|put|write|save|create|make|set|copy|duplicate|clone|move|rename|delete|remove|erase|bin|drop|trash|change|replace|swap|switch|turn|edit|update|modify|amend|bump|correct|fix|repair|insert|run|execute|launch|mark|tick|cross|clean|strike|cut|get rid|get (?:it|that|them|this) (?:out|off|gone|done|corrected|fixed)|have (?:it|that|this|them) (?:\w+ )?(?:removed|deleted|changed|corrected|moved|fixed|done)|throw|take|kill|scrap|ditch|wipe|chuck|toss|pop|stick|do (?:it|that|so)|sort (?:it|that) out)\b`,
  'i',
)

/** A part of a request that orders something to be changed or run: "delete it" behind "we don't need it any more". */
export const ordersAct = (part: string): boolean => ACTS.test(part)

const ASKED = new RegExp(
  String.raw`(?:[.!?;,\n]|\b(?:so|and|then))\s+(?:(?:so|then|and|now)\s+)?(?:please|pls|plz|kindly|(?:can|could|would|will) you(?: please)?)\s+(?:${VERBS.split(' ').join('|')})\b`,
  'i',
)

export function isOrder({ name, input }: NanoCall, request: string): boolean {
  const { command } = input
  const bare = request.trim().replace(/^[`"'$>\s]+/, '')
  if (name === 'run_command' && typeof command === 'string' && bare.startsWith(command)) return true
  return isImperative(request) || (name === 'edit_file' && MUST.test(request))
}

/** Of a text in a file it is an order: "the severity must be Critical". */
const MUST = /\bmust (?:now )?(?:be|say|read|become) /i

/** "New folder notes/lists": nothing else can be meant. */
const NEW =
  /^\W*(?:(?:please|pls|ok|okay|and|then|also|a|one|another)[\s,]+)*new (?:empty )?(?:file|folder|directory|dir|note) [\w./"'`-]/i

/** Also behind what leads up to it: "we hand it over tomorrow, so please make a folder". */
export const isImperative = (request: string): boolean =>
  NEW.test(request) || ORDER.test(request) || ASKED.test(request) || ORDER.test(lastSentence(request))

/** "The id is now x. Change it in the selectors". */
const lastSentence = (request: string): string => request.split(/(?<=\w[.!])\s+(?=[A-Z])/).at(-1) ?? request
