/** Fenced blocks: code to be shown, unless a block holds calls and nothing else. */
import type { Draft } from './call.ts'
import { opensCall, readBare } from './bare.ts'
import { settle } from './calls.ts'
import type { Step } from './input.ts'
import { isSpace } from './input.ts'
import { LINE_OPENERS, readLineCall } from './line-calls.ts'
import { pythonName, readPythonCall } from './python-calls.ts'
import type { Reading } from './state.ts'
import { readOpening } from './section.ts'

export type Fence = '```' | '~~~'

const MAX_INFO = 80
const NEWLINE = 10
/** Languages a call may be dressed up in; a block of anything else is code. */
const CALL_LANGUAGES =
  /^(?:json[5c]?|xml|tool[_-]?(?:call|calls|code|use)?|function[_-]?(?:call)?|action|python|py|javascript|js|ts|typescript|text|plaintext|txt|)$/i

/** Behind three backticks or tildes, already consumed. */
export function* readFence(reading: Reading, opener: Fence): Step<void> {
  const { input, sink } = reading
  reading.fences++
  let count = opener.length
  const mark = opener.charCodeAt(0)
  for (let code = input.code(0); code === undefined || code === mark; code = input.code(0)) {
    if (code === undefined) yield* input.more()
    else count += input.consume(1).length
  }
  const fence = opener.charAt(0).repeat(count)
  const length = yield* lengthOfLine(reading)
  const line = length === undefined ? undefined : input.text.slice(input.at, input.at + length).trim()
  if (sink.fence !== '' && fence.startsWith(sink.fence) && line === '' && sink.atLineStart) {
    reading.say(fence)
    sink.fence = ''
    sink.breakLine()
    return
  }
  if (sink.fence !== '' || !sink.atBlockStart || reading.channel === 'reasoning') {
    reading.say(fence)
    return
  }
  const mayCall = line !== undefined && CALL_LANGUAGES.test(line) && !reading.isExhausted
  if (mayCall && length !== undefined && (yield* mayHoldCall(reading, length))) {
    yield* readBlock(reading, fence)
    return
  }
  reading.say(fence)
  sink.fence = fence
}

/** How far the line goes on; undefined when it is too long to be a fence's. */
function* lengthOfLine({ input }: Reading): Step<number | undefined> {
  for (let length = 0; length <= MAX_INFO;) {
    const code = input.code(length)
    if (code === -1 || code === NEWLINE) return length
    if (code === undefined) yield* input.more()
    else length++
  }
  return undefined
}

/** Whether the first thing in a block can open a call; the first character decides for most blocks. */
function* mayHoldCall(reading: Reading, offset: number): Step<boolean> {
  const { input, options } = reading
  let at = offset
  for (let code = input.code(at); at < offset + MAX_INFO; code = input.code(at)) {
    if (code === undefined) yield* input.more()
    else if (isSpace(code)) at++
    else break
  }
  const first = input.text[input.at + at] ?? ''
  if (first === '`' || first === '~' || first === '') return false
  if (first === '{' || first === '[') return opensCall(input.text, input.at + at) !== false
  if (options.tools.names.some((name) => name.startsWith(first))) return true
  if (first === 'p') return yield* input.starts('print(', at)
  if (first === 'T' || first === 'A') return (yield* input.anyOf(LINE_OPENERS, at)) !== undefined
  return (yield* reading.context.opening(input, at)) !== undefined
}

function* readBlock(reading: Reading, opening: string): Step<void> {
  const { input, sink } = reading
  const place = sink.place
  input.mark(opening)
  const drafts = yield* readCallsOnly(reading, opening)
  const raw = input.unmark()
  if (drafts) yield* settle(reading, { drafts, raw, place, manner: 'fence' })
  else {
    reading.say(raw)
    sink.fence = opening
  }
}

function* readCallsOnly(reading: Reading, opening: string): Step<readonly Draft[] | undefined> {
  const { input } = reading
  const closing = opening.slice(0, 3)
  const drafts: Draft[] = []
  yield* input.until(['\n'], MAX_INFO + 1)
  for (;;) {
    if (drafts.length > 0 && ((yield* input.takePast([closing])) !== undefined || (yield* input.isOver()))) {
      while (yield* input.take(closing.charAt(0))) continue
      return drafts
    }
    yield* input.skipSpace()
    const found = yield* readCall(reading)
    if (!found) return undefined
    drafts.push(...found)
    yield* input.takePast([';', ','])
  }
}

function* readCall(reading: Reading): Step<readonly Draft[] | undefined> {
  const { input, context } = reading
  const [first] = yield* input.peek(1)
  if (first === '{' || first === '[') return yield* readBare(reading)
  const line = yield* input.anyOf(LINE_OPENERS)
  if (line !== undefined) {
    input.consume(line.length)
    return yield* readLineCall(reading, line)
  }
  const opening = yield* context.opening(input, 0)
  if (!opening || opening.inner) return yield* readPython(reading)
  input.consume(opening.open.length)
  return yield* readOpening(input, opening, context)
}

/** `read_file("a")`, or `print(read_file("a"))` as Gemma was taught to write it. */
function* readPython({ input, options }: Reading): Step<readonly Draft[] | undefined> {
  const outer = (yield* pythonName(input)) === 'print' ? input.consume('print('.length) : ''
  const name = yield* pythonName(input)
  if (name === undefined || !options.tools.find(name.replace(/\.call$/, ''))) return undefined
  const draft = yield* readPythonCall(input, options.tools)
  if (outer !== '') yield* input.takePast([')'])
  return [draft]
}
