/**
 * What the person's own words ask for, as far as it can be checked against what a run did: a change, commands to run,
 * files that are named. Read sentence by sentence, so that a question beside a request does not hide it. Where the
 * words leave it open, nothing is demanded: a detector that stays silent costs less than one that nags.
 */
import { commandsIn, namesRun, pathsIn, type PathDemand } from './demanded.ts'
import { isChangeRequest } from './request.ts'
import { toSentences } from './sentences.ts'

export type Demands = {
  /** Files are to be different afterwards. */
  readonly change: boolean
  /** Commands to run, as they are written. */
  readonly commands: readonly string[]
  /** Something is to be run that is not named word for word: "run the tests". */
  readonly run: boolean
  readonly paths: readonly PathDemand[]
  /** A text is to be shown or quoted: repeating it is the answer. */
  readonly show: boolean
  /** Words are wanted and no deed: a plan, an opinion, an explanation. */
  readonly wordsOnly: boolean
  /** An order to do it now, and nothing else: no condition, no other time, no words of others. */
  readonly plain: boolean
}

export function readDemands(prompt: string): Demands {
  const text = withoutPastes(prompt)
  const sentences = toSentences(text)
  const requests = sentences.filter((sentence) => !isQuestion(sentence))
  const wordsOnly = FORBIDS.test(text) || (WORDS_WANTED.test(text) && !requests.some(namesNewFile))
  const wanted = wordsOnly ? [] : requests
  return {
    change: wanted.some(isChangeRequest),
    commands: wanted.flatMap(commandsIn),
    run: wanted.some(namesRun),
    // What a question names may be answered from what is known.
    paths: pathsIn(wanted.join('\n')),
    show: SHOW.test(text) || sentences.some(isQuestion),
    wordsOnly,
    plain: !wordsOnly && ORDER.test(text.trim()) && !HEDGED.test(text),
  }
}

/** Stricter than `isChangeRequest`: on 6,545 requests that ask for no change or run it was never wrong, in English only. */
const ORDER =
  /^(?:(?:ok(?:ay)?|hey|hi|so|now|then|please|pls|plz|and|also)[,:!.]? )*(?:(?:can|could|would|will) (?:you|u) )?(?:please )?(?:add|append|change|set|replace|rename|move|delete|remove|fix|edit|update|insert|put|bump|write|create|rewrite|correct|increase|decrease|raise|lower|swap|comment out|uncomment|copy|refactor|implement|make|re-?run|run|execute)\b/i

const HEDGED =
  /\b(?:if|when|whenever|once|unless|until|after|before|provided|supposing|should|would(?! you\b)|in case|tomorrow|later|next|monday|tuesday|wednesday|thursday|friday|saturday|sunday|someday|maybe|not|don't|dont|never|no(?:body)|said|says|told|wrote|instead|what(?:ever)|or)\b|\?(?=.*\S)/is

/** Text pasted below the request is material; it names commands and files that are not requested. */
const withoutPastes = (prompt: string): string =>
  prompt.replaceAll(/```[\s\S]*?(?:```|$)/g, ' ').replaceAll(/^(?:>|\$ |\s{4}|\t).*$/gm, ' ')

/** "Can you fix it?" is a request; "Can it fail?" and "Why does it fail?" are questions. */
function isQuestion(sentence: string): boolean {
  if (POLITE.test(sentence)) return false
  return /[?？]\W*$/.test(sentence) || QUESTION_START.test(sentence)
}

const POLITE =
  /^(?:(?:hi|hey|hello|ok|okay|so|and|now|then|please|pls|plz)[,!.]? )*(?:(?:can|could|would|will|may) (?:you|u|ya|we)\b(?! (?:explain|tell|describe|show|say|see|think|summari[sz]e|list|find out|help me understand))|(?:kannst|könntest|würdest) du\b|können sie\b|(?:peux-tu|pouvez-vous|pourrais-tu|pourriez-vous)|(?:puedes|podrías|puede usted)\b|(?:você )?pode\b|(?:можешь|могли бы)|(?:你能|能不能|可以|请))/iu

const QUESTION_START =
  /^(?:(?:hi|hey|hello|ok|okay|so|and|but|please|pls|plz)[,!.]? )*(?:what|what's|whats|why|how|how's|where|where's|which|who|whose|when|is|are|was|were|does|do (?!not\b)|did|has|have|had|am|explain|describe|tell me|summari[sz]e|compare|review|was|warum|wieso|wie|wo|welche\w*|wer|wann|ist|sind|erkläre|beschreibe|que|qué|por qué|cómo|dónde|cuál\w*|quién|explica|pourquoi|comment|où|quel\w*|qui|qu'est-ce|explique|что|почему|как|где|какой|какая|кто|объясни|什么|为什么|怎么|哪|解释|说明)(?![\p{L}\p{N}_])/iu

const FORBIDS = new RegExp(
  [
    String.raw`\b(?:don't|do not|dont|never|without) (?:\w+ )?(?:chang(?:e|ing)|edit(?:ing)?|modify(?:ing)?|touch(?:ing)?|writ(?:e|ing)|fix(?:ing)?|run(?:ning)?|do(?:ing)?) (?:any|the (?:code|files?)|it\b|them\b|code\b|files?\b)`,
    String.raw`\bno (?:code )?(?:changes|edits)\b`,
    String.raw`\b(?:just|only) (?:a plan|plan\b|explain|tell|describe|answer|review|show|list|suggest|think|discuss|read)`,
    String.raw`\bdry[- ]run\b|\bread[- ]only\b`,
    String.raw`\b(?:nichts|keine \w+) (?:ändern|anfassen|bearbeiten)\b|\bnur (?:erklären|einen plan|anschauen)\b`,
    String.raw`\bne (?:change|modifie|touche)\w* rien\b|\bno (?:cambies|modifiques|toques) nada\b|不要(?:修改|更改|改)|只(?:解释|分析|说明)`,
  ].join('|'),
  'iu',
)

const WORDS_WANTED = new RegExp(
  [
    String.raw`\b(?:a|an|the|your) (?:\w+ )?(?:plan|outline|roadmap|proposal|opinion|summary|overview|explanation|review|estimate)\b(?! (?:file|page|table|view|\.))`,
    String.raw`\bplan (?:it |this |the |out |how )|\bhow would you\b|\bwhat would you\b`,
  ].join('|'),
  'iu',
)

/** "Write a summary into notes.md": the words are wanted in a file. */
const namesNewFile = (sentence: string): boolean =>
  isChangeRequest(sentence) && pathsIn(sentence).some(({ isNew }) => isNew)

const SHOW =
  /\b(?:show|print|display|output|dump|cat|quote|cite|copy|paste|list|read (?:me|out|it|aloud)|give me|tell me|say what|what it (?:says|prints)|report|return|repeat|verbatim|word for word|zeig\w*|nenn\w*|gib .{0,20}aus|montre\w*|affiche\w*|muestra\w*|imprime\w*)\b|显示|列出|打印|告诉我/iu
