/** Fenced blocks: code to be shown, unless a block holds calls and nothing else. */
import type { Draft } from './call.ts'
import { readBare } from './bare.ts'
import { settle } from './calls.ts'
import type { Step } from './input.ts'
import { pythonName, readPythonCall } from './python-calls.ts'
import type { Reading } from './reading.ts'
import { readSection } from './section.ts'

const MAX_INFO = 80
/** Languages a call may be dressed up in; a block of anything else is code. */
const CALL_LANGUAGES =
  /^(?:json[5c]?|xml|html|tool[_-]?(?:call|calls|code|use)?|function[_-]?(?:call)?|action|python|py|javascript|js|ts|typescript|text|plaintext|txt|)$/i

/** Behind three backticks, already consumed. */
export function* readFence(reading: Reading): Step<void> {
  const { input, sink } = reading
  let ticks = 3
  while (yield* input.take('`')) ticks++
  const fence = '`'.repeat(ticks)
  const line = yield* restOfLine(reading)
  const closes = sink.fence > 0 && ticks >= sink.fence && line?.trim() === '' && sink.atLineStart
  if (closes) {
    sink.fence = 0
    reading.say(fence)
    sink.breakLine()
    return
  }
  if (sink.fence > 0 || !sink.atLineStart || reading.channel === 'reasoning') {
    reading.say(fence)
    return
  }
  if (line === undefined || !CALL_LANGUAGES.test(line.trim()) || reading.isExhausted) {
    reading.say(fence)
    sink.fence = ticks
    return
  }
  yield* readBlock(reading, fence + input.consume(line.length))
}

/** Up to the end of the line, which is not consumed; undefined when the line is too long to be a fence's. */
function* restOfLine({ input }: Reading): Step<string | undefined> {
  for (let length = 0; length <= MAX_INFO; length++) {
    const char = (yield* input.peek(length + 1))[length]
    if (char === undefined || char === '\n') return input.text.slice(input.at, input.at + length)
  }
  return undefined
}

function* readBlock(reading: Reading, opening: string): Step<void> {
  const { input, sink } = reading
  const place = sink.place
  input.mark(opening)
  const drafts = yield* readCallsOnly(reading)
  const raw = input.unmark()
  if (drafts) yield* settle(reading, { drafts, raw, place, manner: 'fence' })
  else {
    reading.say(raw)
    sink.fence = opening.length - opening.replace(/^`+/, '').length
  }
}

function* readCallsOnly(reading: Reading): Step<readonly Draft[] | undefined> {
  const { input } = reading
  const drafts: Draft[] = []
  for (;;) {
    if (drafts.length > 0 && ((yield* input.takePast(['```'])) !== undefined || (yield* input.isOver()))) {
      while (yield* input.take('`')) continue
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
  const { input, options } = reading
  const [first] = yield* input.peek(1)
  if (first === '{' || first === '[') return yield* readBare(reading)
  const openers = options.table.entries.filter((entry) => entry.kind === 'section' || entry.kind === 'item')
  const open = yield* input.anyOf(openers.map((entry) => entry.open))
  const marker = openers.find((entry) => entry.open === open)
  if (marker) {
    input.consume(marker.open.length)
    if (marker.kind === 'section') return yield* readSection(input, marker.section, reading.context)
    return yield* marker.read(input, reading.context)
  }
  return yield* readPython(reading)
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
