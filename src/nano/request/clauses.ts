/**
 * A request of several steps in its clauses: "find the invoice, open it and then change the date" are three. Nano is asked for one
 * clause at a time. A cut is made at a word or sign that joins two orders, never inside quotes, and only where an order follows.
 * Must equal nano/clauses.py. Pure.
 */
import { halvesOf, pointsBack } from './backwards.ts'
import { MAX_REQUEST } from '../weights/format.ts'
import { lengthOf } from './spans.ts'

const MAX_CLAUSES = 6

const VERBS =
  'add|append|attach|put|write|save|store|note|create|make|start|set|copy|duplicate|clone|cp|move|mv|rename|retitle|call|delete|remove|' +
  'erase|rm|bin|drop|trash|throw|strike|change|replace|swap|switch|turn|edit|update|modify|bump|raise|lower|increase|decrease|reduce|' +
  'correct|fix|insert|run|execute|launch|exec|build|rebuild|test|retest|lint|format|compile|deploy|install|mkdir|touch|echo|show|list|ls|' +
  'open|read|find|search|grep|look|display|print|view|cat|tell|give|get|fetch|check|take|use|overwrite|fill|mark|tick|cross|clean|count|' +
  'locate|head|tail|(?:let me|lemme) (?:see|have|read|look)|see|bring|pull up|stick|pop|drop|file|archive|rerun|re-run|repeat|do the same|replace|' +
  'push|shift|clear|empty|restore|dump|peek|go|try|enter|record|log|cut|paste|submit|commit|restart|stage|convert|regenerate|generate|verify|' +
  'recompile|recheck|redo|migrate|seed|flash|render|publish|reload|zip|unzip|pull|upload|sync|lose|ditch|chuck|nuke|kill|yank|shove|slap|toss|flip|tack'
const LOOKS =
  'show|list|ls|open|read|display|print|view|cat|tell|(?:let me|lemme) (?:see|have|read|look)|see|run|rerun|re-run|look|search|grep|find|check|verify'
const POLITE =
  'please|pls|plz|kindly|also|then|next|afterwards|finally|lastly|now|just|after that|after this|first|second|third|secondly|thirdly|' +
  "can you|could you|would you|will you|can u|could u|i want you to|i need you to|i would like you to|i'd like you to|i'd like to|i want to|" +
  "let's|lets|go ahead and|go and|and|so|ok|okay|again|once more|maybe|quickly|to finish|at the end|in the end|once done|when done"
const THEN = 'then|thne|thn|tehn|hten|thenn|aftr that|afer that|after taht'
const PLACE = String.raw`(?:(?:in|inside|into|to|at|on|for|under|below|from|there|in there|with)\b(?:[^,;.\n]|\.(?=\w)){0,40}?,?\s+)`
const LEAD = String.raw`(?:(?:${POLITE})[\s,:]+)*`

/** What begins an order, after a cut. */
const ORDER = new RegExp(String.raw`^${LEAD}(?:${VERBS})\b(?!')`, 'i')
const PLACED_ORDER = new RegExp(String.raw`^${LEAD}${PLACE}(?:(?:please|just)\s+)?(?:${VERBS})\b(?!')`, 'i')
const LOOK = new RegExp(String.raw`^${LEAD}(?:${LOOKS})\b(?!')`, 'i')

/** "… saying done, and the same in the log". */
const SAME = /^(?:do )?(?:the )?same (?:in|to|for|with|at|on)\b/i

/** "Copy a to b, in the copy change the year". */
const IN_COPY = /^in (?:the copy|the new (?:one|file)|that (?:one|file)|it|there)\b/i

/** Behind these comes what is to be done, now: not "next week: ...". */
const LABEL =
  /(?:\b(?:so|therefore|thus|assist|help|following|sequence|order|steps|please)|[\w-]*[./][A-Za-z][\w./-]*|\b[A-Z]+-\d+)$/

/** A name and its new value, where the verb stood before. */
const SETTING =
  /^(?:(?:the|also)\s+)?(?!(?:from|it|them|that|this|back|up|down|close|next|due|thanks|and)\b)[\w.-]+(?: (?!to\b)[\w.-]+){0,2} (?:to|=|->) \S+/i
const SET = /\b[\w.-]+ (?:to|=|->) [\w."“'-]+/i
const NO_SETTING =
  /\b(?:copy|copies|duplicate|clone|cp|move|mv|rename|add|append|put|write|save|attach|note|go|goes|want|wants|like|need|needs|have|has|read|show|list|open|send|give|delete|remove|run|make|create|insert|stick|pop|import)\b/i

/** Such words may take back what was ordered before them, too. */
const IN_DOUBT =
  /\?|\b(?:not|never|don'?t|later|tomorrow|if|unless|once|when|after|before|until|till|next|would|should|could|might|may|maybe|i'll|we'll|window|release)\b/i

/** An order, or a question to be looked up: something is asked for before the cut. */
const ASKED = new RegExp(
  String.raw`(?:^|[,;:.!?(–-]\s*|\b(?:please|you|and|to|so|then|first|just|kindly|also|now|i want|is)\s+)(?:${LEAD})(?:${PLACE})?(?:${VERBS})\b(?!')` +
    String.raw`|^\W*(?:\w+,?\s+)?(?:what|whats|where|wheres|which|who|how|is|are|do|does|did|has|have)\b|\b(?:should (?:be|read|say|become)|becomes|from \S+ to)\b|->|=>|→`,
  'i',
)

/** "Timeout to 30 in app.ini", "WAIT 5 in ping.sh": no word orders it, but what comes after does. */
const STATED =
  /^[^?:;]{0,60}?(?:\b(?:to|at|becomes?) |= ?)["“']?[\w.%/-]+["”']?(?: (?:in|for|on) (?:\S+ ?){1,4})?$|^[\w.-]+(?: (?!(?:for|of|in|on|at|from|by|week|day)\b)[\w.-]+){0,2} \d[\d.,]*[a-z%]{0,2}(?: (?:in|for|on) (?:\S+ ?){1,4})?$/i
const NOT_STATED =
  /\?|\b(?:i|we|they|someone|somebody|anyone|nobody|why|has|have|was|were|did|does|seems?|would|could|might|may|if|when|unless|until|compare|review|explain)\b/i
const TOLD = /\b(?:is|are) now\b|\bnow (?:is|are)\b|\b(?:gets?|goes|must|becomes?)\b/i
const ALSO = /^(?:and|also|then|please also)\b/i
const BARE = /^(?:show|list|open|read|see|print|view)(?: (?:please|pls|plz))?[.!]*$/i

/** "Take the captions and put them in old", "make a copy and call it b": one step in two halves. */
const TAKES = /(?:^|[,.;]\s*|\b(?:please|then|and|you)\s+)(?:take|grab|get|pick)\b[^,.;]*$/i
const PUTS = /^(?:then )?(?:put|move|copy|stick|shove|throw|drop|place|rename|turn|make)\b/i
const CALLS = /^(?:call|name|title) (?:it|that|this|the (?:copy|new one|file|folder))\b/i

/** "What is then in it?", "it should then say". */
const HANGING =
  /\b(?:to|with|by|into|as|say|says|saying|reads?|is|are|was|were|what|which|should|must|would|will|i|we)$/i

/** A question that is looked up: "what drafts are there? And open the first". */
const LOOKED_UP =
  /^\W*(?:(?:so|and|ok|hey|now),? )?(?:what|whats|what's|which|where|wheres|where's|who|whos|who's|how many|how much|is there|are there|do we have|any)\b/i
const LATE = /\b(?:finally|lastly)\b/i

/** Where a clause may end. A strong one joins steps; a weak one may also join words. */
const JOIN = new RegExp(
  String.raw`(?<strong>\s*;\s+|\s+&&\s+|\s*\n+\s*|\s+\d{1,2}[.)]\s+|[,.;:!]?\s+(?:and\s+|but\s+)?(?:${THEN}|afterwards|after ?that|after this|after it(?=,? (?:${LOOKS}|give)\b)|after which|thereafter|thereupon|finally|lastly|after(?=,? (?:${LOOKS})\b)|` +
    String.raw`(?:once|when|as soon as) (?:that|it|this|you|they|the (?:file|folder|copy|new one))(?:'s|’s|s| is| has| have|'re| are)(?: been)? (?:done|finished|there|ready|through|over|complete|completed|in|in place|made|set|saved|sorted|settled|good|ok)|followed by)\b[,:]?\s+|(?:[,.;]\s+|\s+and\s+)next,?\s+)` +
    String.raw`|(?<full>[.!?]+\)?\s+)` +
    String.raw`|(?<weak>\s*,\s+(?:and|also|plus|&|n)\s+|\s+(?:and|also|plus|&|\+|n|'n|'n'|an)\s+|\s*,\s+|\s+[-–>]+\s+)`,
  'gi',
)
const QUOTED =
  /"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|`[^`]*`|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])‘[^’\n]*’(?![\p{L}\p{N}])/gu

/** Behind these comes text that is to be written, up to a strong join or a look. */
const PAYLOAD =
  /:\s|\b(?:saying|says|say|reading|containing|contains|with the (?:text|line|lines|content|contents|words|following|note)|the (?:text|line|words|row|entry|sentence)|a line|another line|one line|the following|this line|these lines|content)\b/i

/** "A.txt with one line, b.txt with another": each file is a step of its own. */
const FILE_WITH = /^["'`]?[\w./-]+\.\w{1,5}["'`]? (?:with|saying|containing|that says|reading)\b/i
const WITH_FILE = /[\w./-]+\.\w{1,5}["'`]? (?:with|saying|containing|that says|reading)\b/i

/** "The port is 8443 now. Change it in both configs": what it becomes is said before. */
const PLACES = new RegExp(
  String.raw`^(?:(?:please|pls|so|and|kindly|also|now|just|can you|could you)[\s,]+)*(?:change|fix|correct|update|set|adjust|put|swap|replace|adapt|make)\s+` +
    String.raw`(?:(?:it|that|this|them|both|the same|(?:the|its|their|my|our) [\w-]+(?: (?!in\b|on\b|for\b|at\b)[\w-]+)?)\s+)?(?:(?:too|also)\s+)?(?:in|on|for|at)\b`,
  'i',
)
/** "It's 5 now, put it in both configs". */
const IT_PLACES =
  /^(?:(?:please|pls|so|kindly|now|just|can you|could you)[\s,]+)*(?:change|fix|correct|update|set|adjust|put|swap|replace)\s+(?:(?:it|that|this|them|both|the same)\s+)?(?:(?:too|also|everywhere)\s+)?(?:in|on|for|at)\b(?! there)/i
const PLACES_END = /[.!?;\n](?:\s|$)|,?\s(?:and )?then\b/i
const SAYS_VALUE = /\b(?:to|with|by|as|from|be|becomes?)\b|[=“"]|->|(?<![\w.-])\d+(?:\.\d+)?(?![\w.-])/i
const IS_VALUE = /\d|“|\b(?:now|instead|becomes|anymore|any more)\b/i

/** The clauses in the order in which they are to be done; one where nothing joins two orders. */
export function clausesOf(request: string): string[] {
  if (lengthOf(request) > MAX_REQUEST) return [request]
  const halves = halvesOf(request)
  if (!halves) return cutUp(request)
  const first = cutUp(halves.first)
  return pointsBack(first[0] ?? '') ? [request] : [...first, ...cutUp(halves.last)]
}

function cutUp(request: string): string[] {
  const masked = request.replaceAll(QUOTED, (quoted) => `“${'_'.repeat(quoted.length - 2)}”`)
  const pieces: string[] = []
  let from = 0
  let start = 0
  for (const { 0: text, index, groups } of masked.matchAll(JOIN)) {
    const join: Join = { text, kind: kindOf(groups) }
    if (index <= start || pieces.length >= MAX_CLAUSES - 1) continue
    const after = masked.slice(index + text.length)
    if (!divides(masked.slice(start, index), join, after)) continue
    pieces.push(request.slice(from, index + (join.kind === 'full' ? text.trimEnd().length : 0)).trim())
    from = index + beginOf(join)
    start = index + text.length
  }
  return [...pieces, request.slice(from).trim()].filter((piece) => piece !== '')
}

type Join = { readonly text: string; readonly kind: 'strong' | 'full' | 'weak' }

function kindOf(groups: Readonly<Record<string, string | undefined>> | undefined): Join['kind'] {
  if (groups?.['strong'] !== undefined) return 'strong'
  return groups?.['full'] === undefined ? 'weak' : 'full'
}

function divides(before: string, join: Join, after: string): boolean {
  if (join.kind === 'weak' && !join.text.includes('>') && isSetting(before, after)) return true
  if (join.kind === 'weak' && FILE_WITH.test(after) && WITH_FILE.test(before)) return true
  const isWord = join.kind === 'strong' && /[a-z]/i.test(join.text)
  const isPart = before.trim().split(/\s+/).length > 1 || startsOrder(before.trim())
  const isAsked = isWord
    ? isPart
    : ASKED.test(before) || isStated(before.trim(), after) || isTold(before, join.kind, after)
  if (after.trim() === '' || !isAsked || (join.kind !== 'strong' && saysWhere(before, join.kind, after)))
    return false
  if (join.kind === 'strong') return dividesStrongly(before, join.text, after)
  if (join.kind === 'full') {
    return (!join.text.includes('?') || LOOKED_UP.test(before)) && startsOrder(after)
  }
  if (CALLS.test(after) || (TAKES.test(before) && PUTS.test(after))) return false
  if (PAYLOAD.test(unlabelled(before)) && !isAfterQuote(before))
    return (
      (LOOK.test(after) || SAME.test(after)) &&
      !join.text.replace(', and', '').replace(', also', '').includes(',')
    )
  return ORDER.test(after) || SAME.test(after) || isPlaced(before, join.text, after)
}

function isPlaced(before: string, text: string, after: string): boolean {
  const isJoined = /and/i.test(text) || (IN_COPY.test(after) && !/\band$/i.test(before))
  return isJoined && PLACED_ORDER.test(after)
}

/** "The address is a@b.de now. Also add it to the runbook": a second order says that the first was one. */
const isTold = (before: string, kind: Join['kind'], after: string): boolean =>
  kind === 'full' && TOLD.test(before) && ALSO.test(after) && startsOrder(after)

const isStated = (before: string, after: string): boolean =>
  STATED.test(before) &&
  !NOT_STATED.test(before) &&
  LOOK.test(after) &&
  !BARE.test(after.trim()) &&
  !after.includes('?')

/** A sentence that only says where the one before it is to become true. */
function saysWhere(before: string, kind: Join['kind'], after: string): boolean {
  const [sentence = ''] = after.split(PLACES_END, 1)
  const isTold = !startsOrder(before.trim()) && IS_VALUE.test(before)
  return isTold && (kind === 'weak' ? IT_PLACES : PLACES).test(sentence) && !SAYS_VALUE.test(sentence)
}

/** "Retries to 3 and timeout to 30": each is a change of its own. */
function isSetting(before: string, after: string): boolean {
  const plain = before.trimStart().replace(/^[^:]{1,30}: /, '')
  if (!(SETTING.test(plain) || startsOrder(plain)) || NO_SETTING.test(before) || IN_DOUBT.test(after))
    return false
  return SETTING.test(after) && SET.test(before)
}

/** Without what leads up to an order: "kindly assist: find the invoice", "hosts.txt: add". */
function unlabelled(before: string): string {
  const at = before.indexOf(': ')
  const label = before.slice(0, Math.max(0, at))
  const rest = before.slice(at + 2)
  return at > 0 && LABEL.test(label) && !ASKED.test(label) && startsOrder(rest) ? rest : before
}

function dividesStrongly(before: string, text: string, after: string): boolean {
  if (text.includes('\n') && PAYLOAD.test(before)) return false
  const isSign = ['', ';', '&&'].includes(text.trim()) || /^\s+\d/.test(text)
  if (isSign && !startsOrder(after)) return false
  if (HANGING.test(before.trimEnd()) || (LATE.test(text) && !startsOrder(after))) return false
  const isCommand = /^\s*(?:run|execute)\b/i.test(before) && !/^then\b/i.test(after)
  return !text.includes('&&') || !isCommand
}

/** Without the mark of a list: `2. `, `- `. */
export function startsOrder(text: string): boolean {
  const plain = text.replace(/^\s*(?:\d+[.)]|[-*•])\s+/, '')
  return ORDER.test(plain) || PLACED_ORDER.test(plain)
}

/** The text to be written was quoted, so it is over. */
const isAfterQuote = (before: string): boolean => /”[ ,.)]*$/.test(before)

/** A word that joins belongs to the clause it opens: "then show it". */
function beginOf({ text, kind }: Join): number {
  const word = text.search(/[A-Za-z+&>]/)
  return kind === 'full' || word < 0 ? text.length : word
}
