/**
 * A small model that has lost the thread starts the conversation anew: "Hello! How can I help you today?" in the middle
 * of its work, or as its first reply to a task. Only a short reply that is nothing but greeting and offer counts.
 */
import { toSentences } from './sentences.ts'
import type { ReplyDetector } from './detector.ts'

const LONGEST = 400

export const greeting: ReplyDetector = ({ text, calls }, { prompt, usedTools }) => {
  if (calls.length > 0 || text.length > LONGEST || ABOUT_GREETINGS.test(prompt)) return undefined
  const sentences = toSentences(text)
  if (!sentences.every(isIdle) || !sentences.some(isOpening)) return undefined
  if (!usedTools && !isTask(prompt)) return undefined
  return {
    detector: 'greeting',
    note: 'You are in the middle of a task. Go on with it: call the next tool, or give the result.',
    otherwise: 'This is not a chat. Read the task again and call the tool that does its next step.',
    isVoid: true,
  }
}

const isIdle = (sentence: string): boolean => isOpening(sentence) || FILLER.test(sentence)

/** "Anything else" comes after work that is done; that is a goodbye. */
const isOpening = (sentence: string): boolean => {
  const rest = sentence.replace(SALUTE, '')
  const isOffer = openings.some((opening) => opening.test(rest))
  return rest.trim() === '' || (isOffer && !GOODBYE.test(rest))
}

const HELLO =
  '(?:hello|hi|hey|greetings|welcome|good (?:morning|afternoon|evening)|hallo|guten (?:tag|morgen|abend)|bonjour|salut|¡?hola|buenos días|ciao|olá|你好|您好)'
const SALUTE = new RegExp(
  `^${HELLO}(?:[\\s,]+(?:there|again|everyone|user|friend|world)\\b)?\\s*(?:[!.,，！。]+\\s*|$)`,
  'i',
)
const GOODBYE = /\b(?:else|further|more|again|sonst|weiter\w*|autre|encore|más)\b/i

const openings: readonly RegExp[] = [
  /^(?:(?:so|and|now|well)[, ]+)?how (?:can|may|could|might|do) i (?:help|assist|be of|support)\b/i,
  /^what (?:can|may|could) i (?:do|help)\b/i,
  /^what (?:would you like|do you want|do you need)(?: me)?(?: to (?:do|work on|know|ask|achieve)| help with)?(?: today| now)?\W*$/i,
  /^what (?:would you like|do you want|do you need) (?:me to )?(?:help|assist)\b/i,
  /^(?:is there|do you have) (?:something|anything|any (?:task|question)s?)\b.*\byou\b/i,
  /^(?:please )?(?:feel free to|go ahead and) (?:ask|tell|share|describe|let me know)\b/i,
  /^(?:please )?(?:let me know|tell me) (?:what you(?:'d like| would like| need| want)(?: me)?(?: to do| help with)?\W*$|how i can\b)/i,
  /^(?:please )?(?:describe|share|provide|tell me) (?:your|the) (?:task|question|request|problem)\W*$/i,
  /^(?:i am|i'm) (?:here|ready|happy|glad|available|able)\b.*\b(?:help|assist|support)\b/i,
  /^(?:i am|i'm) (?:an? |your )?.*\b(?:assistant|language model|ai model|ai)\b/i,
  /^(?:nice|great|good|pleased) to (?:meet|see|hear from) you\b/i,
  /^wie kann ich (?:ihnen|dir|euch)\b.*\b(?:helfen|behilflich|unterstützen)\b/i,
  /^(?:womit|wobei) kann ich\b/i,
  /^(?:comment|en quoi) (?:puis-je|est-ce que je peux)\b/i,
  /^¿?(?:en qué|cómo) (?:puedo|te puedo|le puedo)\b/i,
  /(?:可以|能)(?:帮助|帮|为)(?:你|您)/,
]

/** Says nothing by itself and does not make a greeting an answer. */
const FILLER =
  /^(?:sure|of course|certainly|okay|ok|great|alright|absolutely|thanks?(?: you)?|thank you for .*|let me know|i am|i'm) ?(?:thing|covey|qwen\w*|llama\w*|gemma\w*|claude|[^ ]*, (?:created|made|developed|trained) by .*)?[!.,]*$/i

/** Where the words asked for are a greeting, one is an answer. */
const ABOUT_GREETINGS =
  /\b(?:write|compose|draft|say|suggest|translate|(?:reply|answer) with)\b.{0,40}\b(?:greetings?|welcome|hello|hi|good (?:morning|day|evening|night))\b/i

/** Small talk is answered by small talk. */
const isTask = (prompt: string): boolean => {
  const words = prompt.replace(SALUTE, '').match(/[\p{L}\p{N}_./-]+/gu)
  return (words ?? []).length >= 3 && !SMALL_TALK.test(prompt.trim())
}

const SMALL_TALK =
  /^(?:.{0,20}[,!.] *)?(?:how are you|how's it|what's up|who are you|what are you|what can you do\b|can you help(?: me)?\W*$|are you there|do you understand|(?:thanks|thank you)(?: \w+){0,4}\W*$|tell me about yourself|introduce yourself|help me\W*$|i (?:need|want|have)(?: some)? (?:help|a question)\W*$)/i
