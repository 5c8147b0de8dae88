/**
 * Texts that go on where the model stopped, or began before where it started: "add ring Anna on Monday to todo.txt" is not about `Monday`.
 * What is left here is what the ranking of texts (`contents/ranking.ts`) does not know better. Each rule takes more of the request, never less. Pure.
 */
import type { ListedLine } from '../weights/format.ts'
import type { NanoCall } from '../steps/run.ts'
import { placesOf, strip, wordsOf } from '../request/spans.ts'
import { stopWords } from '../request/words.ts'

/** The call with its texts as long as the request has them. */
export function withWholeTexts(call: NanoCall, request: string, lines: readonly ListedLine[]): NanoCall {
  const { content, command, new: replacement, old, pattern } = call.input
  if (call.name === 'write_file' && typeof content === 'string') {
    const whole = linesInTurn(request) ?? wholeSentence(content, request)
    return { ...call, input: { ...call.input, content: whole } }
  }
  if (call.name === 'run_command' && typeof command === 'string')
    return { ...call, input: { ...call.input, command: wholeWord(command, request) } }
  if (typeof replacement === 'string' && typeof old === 'string' && wordsOf(old).length > 1)
    return {
      ...call,
      input: { ...call.input, new: furtherWords(quotedWhole(replacement, request), request) },
    }
  if (call.name === 'search_text' && typeof pattern === 'string')
    return { ...call, input: { ...call.input, pattern: wholePhrase(pattern, request, lines) } }
  return call
}

/** No text goes on into the next part of the request: "write a.txt with: open at 10. And add b to c.txt". */
export function withinClause(call: NanoCall, clause: string): NanoCall {
  const { content } = call.input
  if (call.name !== 'write_file' || typeof content !== 'string' || clause.includes(content)) return call
  const kept = endOfClause(content, clause.trimEnd())
  return kept === undefined ? call : { ...call, input: { ...call.input, content: kept.replace(/\.$/, '') } }
}

/** As much of the text as the clause ends with. */
function endOfClause(content: string, clause: string): string | undefined {
  for (let length = Math.min(content.length - 1, clause.length); length >= SHORTEST; length--)
    if (clause.endsWith(content.slice(0, length)) && /^\s/.test(content.slice(length)))
      return content.slice(0, length)
  return undefined
}

/** Less may be a word of both by accident. */
const SHORTEST = 4

/** Where it begins, if that is clear. */
function onlyPlace(text: string, request: string): number | undefined {
  const places = placesOf(text, request)
  return places.length === 1 ? places[0] : undefined
}

const turn = (word: string, digit: number): string =>
  String.raw`(?:the\s+)?(?:${word}(?:\s+one|\s+line)?|line\s+${digit})(?:\s*[:,=]|\s+(?:is|being|with|says))?\s+(?!of\b|from\b|line\b|one\b)`
const LINES_IN_TURN = new RegExp(
  String.raw`\b${turn('first', 1)}(?<one>\S.*?)[\s,;.]+(?:and\s+)?${turn('second', 2)}(?<two>\S.*?)` +
    String.raw`(?:[\s,;.]+(?:and\s+)?${turn('third', 3)}(?<three>\S.*?))?\s*[.!]?$`,
  'i',
)

/** "Two lines, first bring cash, second call Ann". */
function linesInTurn(request: string): string | undefined {
  const { one, two, three } = LINES_IN_TURN.exec(request)?.groups ?? {}
  if (one === undefined || two === undefined || !/\blines?\b/i.test(request)) return undefined
  // "... and add a second line": a step of its own.
  if (/\b(?:add|append|then)\b/i.test(one)) return undefined
  return [one, two, three].flatMap((line) => (line === undefined ? [] : [strip(line, '"“”`')])).join('\n')
}

/** `bin/rails db` of "bin/rails db:migrate". */
function wholeWord(command: string, request: string): string {
  const start = onlyPlace(command, request)
  const rest = start === undefined ? '' : request.slice(start + command.length)
  return command + (/^[:=/][\w:=/.@-]*\w/.exec(rest)?.[0] ?? '')
}

/** What is said behind a colon or `saying` goes on to the end, or to where the next order begins. */
function wholeSentence(content: string, request: string): string {
  const start = onlyPlace(content, request)
  if (start === undefined || content === '' || content.includes('\n') || !isSpoken(request.slice(0, start)))
    return content
  const rest = request.slice(start + content.length)
  const [more = ''] =
    /^[^\n]*?(?=[.,;!]?(?:\s+-)?\s+(?:and|then|after|finally|also|next,)\b|$)/i.exec(rest) ?? []
  const isOver = /^[.!?\s]*$/.test(more) || NEXT_ORDER.test(more)
  // Behind a bare colon the place may follow the text: "append a row: x,y to a.txt".
  const before = request.slice(0, start)
  const isPlaced = !SAYS.test(before) && !NAMES_PLACE.test(before) && PLACED.test(more)
  return isOver || isPlaced ? content : content + more
}

const isSpoken = (before: string): boolean => SAYS.test(before) || LABEL.test(before)

/** An order to write something down, up to its colon. */
const LABEL =
  /\b(?:add|append|put|write|note|jot|line|bottom|end|entry|row)\b[^\n:"“]{0,80}:\s+$|(?:^|\s)[\w./-]+\.[a-z]\w{0,4}:\s+$/i
/** The label says where it goes: "end of the changelog:". */
const NAMES_PLACE =
  /(?:\b(?:end|bottom) of|\b(?:to|in|into|under)) (?:(?:the|my|our|a|an) )?[\w./-]+(?: [\w./-]+){0,2}:\s+$/i
const PLACED = /(?:^|\s)(?:to|in|into|at|under)\s/i

const SAYS =
  /\b(?:with the (?:following )?(?:text|words?|line|content|note)|with the following|with(?=\s*:)|that says|which says|saying|reading|containing)\s*:?\s+$/i
const NEXT_ORDER =
  /(?:^|[.,;!?]\s+)(?:please |and |then |also )*(?:add|append|copy|delete|list|make|move|open|put|read|rename|run|show|in|to|at|under|into|for|as)\b/i

/** The new text is the whole quotation after `to` or `with`. */
function quotedWhole(text: string, request: string): string {
  const quotes = request.matchAll(
    /\b(?:with|by|to|into)\s+(?:"([^"\n]+)"|'([^'\n]+)'|`([^`\n]+)`|“([^”\n]+)”)/gi,
  )
  const found = Array.from(quotes, (match) => match.slice(1).find((one) => one !== undefined) ?? '')
  return found.find((quote) => text !== '' && quote.startsWith(text)) ?? text
}

/** `wed` of "replace wed 8.00 with wed closed". */
function furtherWords(text: string, request: string): string {
  if (wordsOf(text).length !== 1 || !/[a-z]/i.test(text)) return text
  const isNew = (at: number): boolean => /\b(?:with|by|to|into)\s+["'“‘`]?$/i.test(request.slice(0, at))
  const [start, ...others] = placesOf(text, request).filter(isNew)
  if (start === undefined || others.length > 0) return text
  const rest = request.slice(start + text.length)
  const [more = ''] = /^(?:[^\S\n]+[\w'’-]+){1,3}?(?=[.,;!?]?\s*$|[.,;]\s|\s+(?:and|then)\s)/.exec(rest) ?? []
  return more !== '' && wordsOf(more).every(isTelling) ? text + more : text
}

/** More of the words, where a line of the project has them in this order: `clutch` of "which files say clutch kit". */
function wholePhrase(pattern: string, request: string, lines: readonly ListedLine[]): string {
  const start = onlyPlace(pattern, request)
  if (start === undefined || !/^[\w'’-]+$/.test(pattern)) return pattern
  const isThere = (phrase: string): boolean =>
    lines.some(({ text }) => text.toLowerCase().includes(phrase.toLowerCase()))
  let phrase = pattern
  for (;;) {
    const [next] = /^[^\S\n]+[\w'’-]+/.exec(request.slice(start + phrase.length)) ?? []
    if (next === undefined || !isTelling(next.trim()) || !isThere(phrase + next)) return phrase
    phrase += next
  }
}

const isTelling = (word: string): boolean => {
  const bare = strip(word.toLowerCase(), '"\'`“”‘’.,;:!?()')
  return /[\p{L}\p{N}]/u.test(bare) && !stopWords.has(bare) && !NO_TEXT.has(bare)
}

const NO_TEXT = new Set(
  (
    'everywhere throughout instead across wherever always today tonight tomorrow lol plz thanks thx cheers mate asap first next ok okay ' +
    'because since while until within via using should must really quickly quick real right only too already still yet later earlier'
  ).split(' '),
)
