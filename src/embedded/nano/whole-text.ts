/**
 * Texts that go on where the model stopped, or began before where it started: "add ring Anna on Monday to todo.txt" is not about `Monday`.
 * Each rule takes more of the request, never less. Pure.
 */
import type { ListedLine } from './format.ts'
import { isNamed } from './naming.ts'
import type { NanoCall } from './run.ts'
import { placesOf, strip, wordsOf } from './spans.ts'
import { stopWords } from './words.ts'

/** The call with its texts as long as the request has them. */
export function withWholeTexts(call: NanoCall, request: string, lines: readonly ListedLine[]): NanoCall {
  const { content, command, path, new: replacement, old, pattern } = call.input
  if (call.name === 'write_file' && typeof content === 'string') {
    const listed = linesInTurn(request)
    if (listed !== undefined) return { ...call, input: { ...call.input, content: listed } }
    const quote = quotedBehind(content, request)
    if (quote !== undefined) return { ...call, input: { ...call.input, content: quote } }
    const begun = fromVerb(wholeBlock(behindColon(content, request), request), request)
    const whole = wholeSentence(upToTarget(wholeRow(begun, request), String(path), request), request)
    return { ...call, input: { ...call.input, content: withoutPlace(withoutStop(whole, request), request) } }
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

/** "A single line, namely "out/"": the text is what is quoted right behind what is said of it. */
function quotedBehind(content: string, request: string): string | undefined {
  const start = onlyPlace(content, request)
  if (start === undefined || content === '') return undefined
  const rest = request.slice(start + content.length)
  return /^[\s,:]+(?:(?:namely|saying|reading|that says|with)[\s,:]*)?"([^"\n]+)"/i.exec(rest)?.[1]
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

/** Lines behind "the following:" are wanted to the last. */
function wholeBlock(content: string, request: string): string {
  const start = onlyPlace(content, request)
  if (start === undefined || !/:[^\S\n]*\n\s*$/.test(request.slice(0, start))) return content
  const block = request.slice(start).trimEnd()
  return block.includes('\n\n') ? content : block
}

/** `check-up` of "2025-06-10,Mabel Frith,check-up,yes": a row ends with its last field. */
function wholeRow(content: string, request: string): string {
  const start = onlyPlace(content, request)
  if (start === undefined || !content.includes(',')) return content
  const [more = ''] =
    /^(?:,[^\s,][^,\n]*?(?=,|[.;!?]?\s|[.;!?]?$))+/.exec(request.slice(start + content.length)) ?? []
  return content + more
}

/** `bin/rails db` of "bin/rails db:migrate". */
function wholeWord(command: string, request: string): string {
  const start = onlyPlace(command, request)
  const rest = start === undefined ? '' : request.slice(start + command.length)
  return command + (/^[:=/][\w:=/.@-]*\w/.exec(rest)?.[0] ?? '')
}

/** "Add - video attached to PT-45": all that stands between the verb and where it goes. */
function upToTarget(content: string, path: string, request: string): string {
  const start = onlyPlace(content, request)
  if (start === undefined || content === '' || !ADDS.test(request.slice(0, start))) return content
  const rest = request.slice(start + content.length)
  for (const { index, 1: target = '' } of rest.matchAll(TO)) {
    if (/[.;!?:]\s|["'“”`]|\b(?:and|then)\b/i.test(rest.slice(0, index))) return content
    if (path.split('/').some((part) => isNamed(part, target)))
      return (content + rest.slice(0, index)).trimEnd()
  }
  return content
}

const ADDS = /\b(?:add|append|put|write|note|jot down)\s+(?:the (?:line|text|words?|row|entry|item)\s+)?$/i
/** A place, and the few words that may name it. */
const TO =
  /\s(?=(?:to|in|into|onto|on|under|at)\s+((?:(?:the|my|our|end|bottom|of|list)\s+){0,5}[\w./-]+(?:\s+[\w./-]+){0,2}))/gi

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

/** "Append one line to the notes of 2024-12: - licence expired": what stands before the colon says where it goes. */
function behindColon(content: string, request: string): string {
  const [label = ''] = LABELLED.exec(request) ?? []
  const start = onlyPlace(content, request)
  const between = start === undefined ? '' : label.slice(start + content.length)
  // In a step of its own the label is for another text: "make a.txt with b. then add a line: c".
  const isBefore = between !== '' && !/[.;!?]\s|\b(?:and|then)\b/i.test(between)
  return isBefore && request.length - label.length > 2 ? request.slice(label.length).trim() : content
}

/** An order to write something down, up to its colon. */
const LABEL =
  /\b(?:add|append|put|write|note|jot|line|bottom|end|entry|row)\b[^\n:"“]{0,80}:\s+$|(?:^|\s)[\w./-]+\.[a-z]\w{0,4}:\s+$/i
const LABELLED =
  /^[^\n:"“]*\b(?:add|append|put|write|note|jot|line|bottom|end|entry|row)\b[^\n:"“]{0,80}:\s+(?=[^\n]+$)/i

/** The label says where it goes: "end of the changelog:". */
const NAMES_PLACE =
  /(?:\b(?:end|bottom) of|\b(?:to|in|into|under)) (?:(?:the|my|our|a|an) )?[\w./-]+(?: [\w./-]+){0,2}:\s+$/i
const PLACED = /(?:^|\s)(?:to|in|into|at|under)\s/i

const SAYS =
  /\b(?:with the (?:following )?(?:text|words?|line|content|note)|with the following|with(?=\s*:)|that says|which says|saying|reading|containing)\s*:?\s+$/i
const NEXT_ORDER =
  /(?:^|[.,;!?]\s+)(?:please |and |then |also )*(?:add|append|copy|delete|list|make|move|open|put|read|rename|run|show|in|to|at|under|into|for|as)\b/i

/** The full stop of the sentence: "add this: see the wiki. and show it". */
function withoutStop(content: string, request: string): string {
  const start = onlyPlace(content, request)
  const isStop = /[^.]\.$/.test(content) && start !== undefined
  return isStop && /^\s+(?:and|then)\b/.test(request.slice(start + content.length))
    ? content.slice(0, -1)
    : content
}

/** "Put 5,Ann as the last line in a.csv"; behind a colon or in quotes all of it is the text. */
function withoutPlace(content: string, request: string): string {
  const start = onlyPlace(content, request) ?? request.length
  return /[:"'“`]\s*$/.test(request.slice(0, start))
    ? content
    : content.replace(
        /(?<=\S)\s+as (?:the |a |its )?(?:last|new|final|first|next) (?:line|row|entry|item|point)$/i,
        '',
      )
}

/** What is added begins behind the verb, unless the words between say that it is a line or where it goes. */
function fromVerb(content: string, request: string): string {
  const start = onlyPlace(content, request)
  if (start === undefined) return content
  const [, between] =
    /^\W*(?:please |pls |also |then |and )*(?:add|append|note|jot down)\s+((?:[^\s"'“‘`:]+\s+){1,6})$/i.exec(
      request
        .slice(0, start)
        .split(/(?:[.;!?]|\band|\bthen)\s+/)
        .at(-1) ?? '',
    ) ?? []
  if (between === undefined || DESCRIBES.test(between)) return content
  return request.slice(start - between.length, start) + content
}

const DESCRIBES =
  /^(?:the|a|an|my|our|this|that|these|those|another|one|new|some|me|it|two|three|to|in|into|at|on|under|below|onto|for)\b|\b(?:line|lines|text|words?|row|entry|item|following|saying|says|note|comment|heading|bullet|task|todo|sentence)\b/i

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
