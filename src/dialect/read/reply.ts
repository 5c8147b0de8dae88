/**
 * Reads a reply while it arrives: text, thinking and calls, in whatever format. One generator walks through the reply;
 * the markers of all families are looked for at once, and what stands behind one is read by its section. Text that can
 * be no part of a call is released at once. Any cut into chunks gives the same events; nothing makes it throw.
 */
import type { ReplyReader } from '../../protocol/dialect.ts'
import type { ToolSchema } from '../../protocol/model.ts'
import { dialectFor, families } from '../all.ts'
import { opensCall } from './bare.ts'
import { opensLine, readPythonLines } from './bare-python.ts'
import { CUT_OFF } from './call.ts'
import { applyControl, isToken, readBareCalls, readCalls } from './calls.ts'
import type { Family } from '../families/family.ts'
import { readFence } from './fence.ts'
import type { Step } from './input.ts'
import { readLineCalls } from './line-calls.ts'
import type { MarkerTable, Owned } from './marker-table.ts'
import { toMarkerTable } from './marker-table.ts'
import { proposalIn } from './proposal.ts'
import { Reading } from './state.ts'
import { NOWHERE } from './sink.ts'
import { readRecipient, readStart } from './start.ts'
import { ToolBook } from './tool-book.ts'
import { opensElement, readToolElements } from './tool-elements.ts'

export type ReplyReaderOptions = {
  readonly tools: readonly ToolSchema[]
  /** A hint: file or repository name, such as "Qwen3-Coder". */
  readonly model?: string
  /** A family by name, or one derived from a chat template. */
  readonly dialect?: string | Family
  /** The prompt already opened the thinking tag. */
  readonly thinking?: boolean
  /** Whether a call's text occurs word for word in an earlier user message or result. */
  readonly earlier?: (text: string) => boolean
  /** Native calls work on this arm: a call in a fence is an illustration. */
  readonly native?: boolean
}

export function createReplyReader(options: ReplyReaderOptions): ReplyReader {
  const hint = hintFrom(options)
  const reading = new Reading({
    tools: new ToolBook(options.tools),
    table: tableFor(hint),
    hint,
    earlier: options.earlier ?? (() => false),
    native: options.native ?? false,
  })
  if (options.thinking) {
    reading.channel = 'reasoning'
    reading.thinkEnds = thinkEndsOf(hint)
  }
  const steps = readReply(reading)
  return {
    push(chunk) {
      reading.input.feed(chunk)
      steps.next()
      return reading.sink.drain()
    },
    end() {
      if (reading.input.ended) return []
      reading.input.ended = true
      while (!steps.next().done) continue
      reading.sink.end()
      const command = options.native ? undefined : proposalIn(reading.sink)
      if (command !== undefined) reading.sink.event({ type: 'proposal', command })
      return reading.sink.drain()
    },
  }
}

function hintFrom({ dialect, model }: ReplyReaderOptions): Family | undefined {
  if (typeof dialect === 'object') return dialect
  const name = dialect ?? (model === undefined ? undefined : dialectFor(model))
  return families.find((family) => family.name === name)
}

/** What ends the thinking a family's prompt opens; undefined when the family has no thinking of its own. */
function thinkEndsOf(hint: Family | undefined): readonly string[] | undefined {
  const ends = hint?.markers.flatMap((marker) => {
    if (marker.kind === 'think') return marker.close
    return marker.kind === 'answer' ? [marker.open] : []
  })
  return ends && ends.length > 0 ? [...ends, '</think>'] : undefined
}

const tables = new WeakMap<object, MarkerTable>()

/** All families at once; one derived from a template goes before them. */
function tableFor(hint: Family | undefined): MarkerTable {
  const derived = hint && !families.includes(hint) ? hint : undefined
  const key = derived ?? families
  const table = tables.get(key) ?? toMarkerTable(derived ? [derived, ...families] : families)
  tables.set(key, table)
  return table
}

function* readReply(reading: Reading): Step<void> {
  yield* readStart(reading)
  for (;;) {
    const marker = yield* nextMarker(reading)
    if (!marker) return
    yield* follow(reading, marker)
  }
}

/** Releases text up to the next marker and consumes that; undefined at the end of the reply. */
function* nextMarker(reading: Reading): Step<Owned | undefined> {
  const { input, options } = reading
  const { finder, entries } = options.table
  let state = finder.start
  let held = 0
  for (;;) {
    const { text } = input
    for (let index = input.at + held; index < text.length; index++) {
      state = finder.step(state, text.charCodeAt(index))
      const found = finder.ending(state)
      if (found === -1) continue
      const length = finder.held(state)
      if (length === 1 && opens(reading, text, index) === false) continue
      if (isPassed(reading, entries[found])) continue
      reading.say(input.consume(index + 1 - length - input.at))
      const marker = finder.canGrow(state) ? yield* longest(reading, state) : entries[found]
      if (marker && !isBracket(marker)) input.consume(marker.open.length)
      return marker
    }
    held = finder.held(state)
    reading.say(input.consume(text.length - input.at - held))
    if (!(yield* input.more())) {
      endInMarker(reading, input.consume(held))
      return undefined
    }
  }
}

/** Whether the single character at `index` may open a call; undefined while too little stands behind it. */
function opens({ options: { tools } }: Reading, text: string, index: number): boolean | undefined {
  if (text[index] === '<') return opensElement(text, index, tools)
  return text[index] === '\n' ? opensLine(text, index, tools.names) : opensCall(text, index)
}

/** Markers that mean nothing here. */
const isPassed = (reading: Reading, marker: Owned | undefined): boolean =>
  (marker?.kind === 'item' && marker.inner === true) || (marker?.kind === 'weak' && reading.isTired)

/** The reply ended in the middle of what may be a marker. Behind a call that is the next one, cut off. */
function endInMarker(reading: Reading, held: string): void {
  if (!reading.sink.afterCall || held.length < 2) return reading.say(held)
  const isOpening = reading.options.table.entries.some(
    ({ kind, open }) => (kind === 'section' || kind === 'item') && open.startsWith(held),
  )
  if (isOpening) reading.emit([{ problem: CUT_OFF }])
}

/** Brackets are read by what they open; every other marker is done with once it is found. */
const isBracket = (marker: Owned): boolean => ['{', '[', '<'].includes(marker.open)

/** A marker may be the beginning of a longer one. */
function* longest(reading: Reading, state: number): Step<Owned | undefined> {
  const { input, options } = reading
  const { finder, entries } = options.table
  let found = entries[finder.ending(state)]
  let at = state
  for (let length = finder.held(state); ; length++) {
    let code = input.code(length)
    while (code === undefined) {
      yield* input.more()
      code = input.code(length)
    }
    at = code === -1 ? -1 : finder.grow(at, code)
    if (at === -1) return found
    found = entries[finder.ending(at)] ?? found
  }
}

function follow(reading: Reading, marker: Owned): Step<void> {
  switch (marker.kind) {
    case 'section':
    case 'item':
      return readCalls(reading, marker)
    case 'weak':
      return followWeak(reading, marker.open)
    case 'control':
      return followControl(reading, marker)
    default:
      return followMark(reading, marker)
  }
}

function followWeak(reading: Reading, open: string): Step<void> {
  if (open === '{' || open === '[') return readBareCalls(reading)
  if (open === '<') return readToolElements(reading)
  if (open === '\n') return readLine(reading)
  if (open === '```' || open === '~~~') return readFence(reading, open)
  return open === '>>>' ? readRecipient(reading) : readLineCalls(reading, open)
}

/** Behind a line break, which is text whatever follows. */
function* readLine(reading: Reading): Step<void> {
  reading.say('\n')
  yield* readPythonLines(reading)
}

function* followControl(reading: Reading, marker: Extract<Owned, { kind: 'control' }>): Step<void> {
  const { input, sink, context, options } = reading
  if (sink.inCode) {
    reading.say(marker.open)
    return
  }
  // In a family's own protocol what was said before a marker is another message, and no lead to this one.
  const isOwn = sink.isSilent && options.hint !== undefined && marker.owners.has(options.hint.name)
  const place = isOwn ? NOWHERE : sink.place
  input.mark(marker.open)
  const said = yield* marker.read(input, context)
  yield* applyControl(reading, said, { raw: input.unmark(), place })
}

/** Markers that are nothing but themselves: they switch between thinking and answer, or are dropped. */
function* followMark(reading: Reading, marker: Owned): Step<void> {
  const isLast = marker.kind !== 'token' || !marker.last || (yield* reading.input.isOver())
  if (isLast && isTaken(reading, marker)) reading.sink.atMarker()
  else reading.say(marker.open)
}

/** Whether the marker does something here; if not it is a word of the answer. */
function isTaken(reading: Reading, marker: Owned): boolean {
  const { sink } = reading
  const thinking = reading.channel === 'reasoning'
  if (sink.inCode && !thinking) return false
  switch (marker.kind) {
    case 'think-open':
      return opensThinking(reading, marker)
    case 'answer':
      return opensAnswer(reading, marker.open)
    case 'frame-open':
      if (sink.hasText || thinking) return false
      reading.frame = marker.close
      return true
    case 'frame-close':
      return reading.frame === marker.open
    case 'close':
      return sink.afterCall || isToken(marker.open)
    default:
      return true
  }
}

function opensThinking(reading: Reading, marker: Extract<Owned, { kind: 'think-open' }>): boolean {
  const { sink } = reading
  const opens = reading.channel === 'reasoning' ? !sink.hasReasoning : !marker.strict || sink.atLineStart
  if (!opens) return false
  reading.channel = 'reasoning'
  reading.thinkEnds = marker.close
  return true
}

function opensAnswer(reading: Reading, open: string): boolean {
  const ends = reading.channel === 'text' || (reading.thinkEnds?.includes(open) ?? true)
  if (!ends) return false
  reading.channel = 'text'
  return true
}
