/**
 * Words that take the task nowhere: the prompt in other words, an apology or a stock refusal, steps that are listed and
 * not taken. Only while something that was asked for is missing; a list of what was done is an answer.
 */
import type { ReplyDetector } from './detector.ts'
import { toSentences } from './sentences.ts'

export const nothingNew: ReplyDetector = ({ text }, { prompt, due, mayAct, demands, usedTools }) => {
  if (!mayAct || due.missing.length === 0 || demands.wordsOnly) return undefined
  const isEmpty = repeats(text, prompt) || onlyApologises(text, usedTools) || onlyLists(text)
  if (!isEmpty) return undefined
  return {
    detector: 'nothing-new',
    note: `Nothing has been done by that. Still missing: ${due.missing[0] ?? 'the task'}. Take the first step now: call one tool.`,
    again: 2,
    notes: 1,
  }
}

const MOST_NEW_WORDS = 0.25

/** Hardly a word that the prompt does not have. */
function repeats(text: string, prompt: string): boolean {
  const asked = new Set(wordsOf(prompt))
  const words = wordsOf(text)
  const fresh = words.filter((word) => !asked.has(word) && !FRAME.has(word))
  const isLong = words.length >= 6 && words.length >= asked.size * 0.4
  return (
    isLong && fresh.length <= words.length * MOST_NEW_WORDS && words.length <= wordsOf(prompt).length * 2 + 12
  )
}

/** What a model puts around a prompt it says again. */
const FRAME = new Set(
  'you want me to the task is so i understand need have should will would like asked request user your that this it be a an of and then in for okay ok sure please'.split(
    ' ',
  ),
)

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []

/** Every sentence is an apology, a stock phrase about itself, or an offer. */
function onlyApologises(text: string, usedTools: boolean): boolean {
  const sentences = toSentences(text)
  if (text.length > 600 || sentences.length === 0) return false
  const stock = usedTools ? [SORRY] : [SORRY, ABOUT_ITSELF]
  return (
    sentences.some((sentence) => stock.some((pattern) => pattern.test(sentence))) &&
    sentences.every(
      (sentence) => SORRY.test(sentence) || ABOUT_ITSELF.test(sentence) || FILLER.test(sentence),
    )
  )
}

const SORRY =
  /^(?:(?:oh|ah|ok|okay)[,!]? )?(?:(?:i'm|i am|we're)? ?(?:so |very |really |deeply |truly )?sorry\b|(?:my )?apolog|i apologi[sz]e|pardon|unfortunately,? i (?:can't|cannot|am unable|am not able)|es tut mir leid|entschuldigung|désolé|je suis désolé|lo siento|perdón|desculpe|извин|простите|прошу прощения|抱歉|对不起)/iu
const ABOUT_ITSELF =
  /\b(?:as an ai|as a (?:large )?language model|i(?:'m| am) (?:just |only )?an? (?:ai|language model|text-based|assistant)|i (?:can't|cannot|am (?:unable|not able) to|don't have (?:the ability|access)|do not have (?:the ability|access)) (?:to )?(?:directly )?(?:access|assist|help|execute|run|modify|interact|browse|open|read|edit|see|view|perform|complete|fulfil|do|with|your|files?|the file))/i
const FILLER =
  /^(?:for (?:the|any|my) (?:confusion|mistake|inconvenience|error|misunderstanding|delay)|let me (?:try|correct|fix)|i(?:'ll| will) (?:try|do better|correct|fix|be more)|thank you|thanks|please (?:try|provide|let me know|give|share)|you(?:'re| are) (?:absolutely )?right|i (?:misunderstood|made a mistake|understand)|if you|feel free|is there|how (?:can|may)|but\b|however\b|you (?:can|could|should|may|will need))/i

/** Two or more items, nearly all of them steps yet to be taken, and little else. */
function onlyLists(text: string): boolean {
  const lines = text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  const items = lines.flatMap((line) => ITEM.exec(line)?.[1] ?? CELL.exec(line)?.[1] ?? [])
  const steps = items.filter((item) => STEP.test(item.replaceAll(/[*_`#]/g, '').replace(LABEL, '')))
  const inline = text.match(
    /(?:^|[,.;:]\s|\band )(?:first|second|third|then|next|after that|finally|lastly|zuerst|danach|ensuite|enfin|primero|luego)\b,? (?:i(?:'ll| will| need to)|we|you)\b/gi,
  )
  if (items.length < 2) return (inline?.length ?? 0) >= 2
  return steps.length >= items.length * 0.6 && lines.length <= items.length * 2 + 3
}

const ITEM =
  /^(?:[-*+•]|\(?\d{1,2}[.):]|\[[ x]?\]|step \d+[.:)]?|schritt \d+[.:)]?|étape \d+[.:)]?)\s*(?:\[[ x]?\]\s*)?(.+)/i
/** A row of a table whose first cell numbers it. */
const CELL = /^\|\s*(?:step )?\d{1,2}\s*\|\s*([^|]+)/i
const LABEL = /^(?:step \d+[.:)]?|[A-Z][\w ]{2,30}:)\s*/
const STEP =
  /^(?:(?:first|then|next|finally|now|lastly|after that)[,:]? )?(?:(?:i|we|you)(?:'ll| will| shall| should| need to| must| can| have to|'m going to)? )?(?:re-?)?(?:read|open|view|look|check|examine|inspect|explore|search|find|locate|identify|grep|list|edit|change|modify|update|fix|replace|rename|write|create|add|append|delete|remove|move|apply|implement|run|execute|test|verify|validate|confirm|review|analy[sz]e|understand|determine|make|set|save|install|navigate|go to|use|ensure|reading|opening|editing|changing|updating|fixing|running|writing|creating|checking|lies|lese|öffne|ändere|prüfe|suche|schreibe|führe|lire|ouvrir|modifier|vérifier|exécuter|leer|abrir|cambiar|verificar|ejecutar|读取|打开|修改|运行|检查|прочитать|открыть|изменить|запустить)(?![\p{L}])/iu
