/**
 * Reads a reply while it arrives: text, thinking and calls, in whatever format. One generator walks through the reply;
 * the markers of all families are looked for at once, and what stands behind one is read by its section. Text that can
 * be no part of a call is released at once. Any cut into chunks gives the same events; nothing makes it throw.
 */
import type { ReplyReader } from '../protocol/dialect.ts'
import type { ToolSchema } from '../protocol/model.ts'
import { dialectFor, families } from './all.ts'
import { mayBeCall } from './bare.ts'
import { isToken, readBareCalls, readCalls } from './calls.ts'
import type { Control, Family } from './family.ts'
import { readFence } from './fence.ts'
import type { Step } from './input.ts'
import { readLineCalls } from './line-calls.ts'
import type { MarkerTable, Owned } from './marker-table.ts'
import { toMarkerTable } from './marker-table.ts'
import { proposalIn } from './proposal.ts'
import { Reading } from './reading.ts'
import { readRecipient, readStart } from './start.ts'
import { ToolBook } from './tool-book.ts'

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
      const entry = entries[found]
      const start = index + 1 - length
      if (length === 1 && !mayBeCall(text, index)) continue
      reading.say(input.consume(start - input.at))
      return yield* longest(reading, state, entry)
    }
    held = finder.held(state)
    reading.say(input.consume(text.length - input.at - held))
    if (!(yield* input.more())) {
      reading.say(input.consume(held))
      return undefined
    }
  }
}

/** A marker may be the beginning of a longer one. */
function* longest(reading: Reading, state: number, entry: Owned | undefined): Step<Owned | undefined> {
  const { input, options } = reading
  const { finder, entries } = options.table
  let found = entry
  let length = finder.held(state)
  for (let at: number = state; at !== -1; length++) {
    if ((yield* input.peek(length + 1)).length <= length) break
    at = finder.grow(at, input.text.charCodeAt(input.at + length))
    if (at !== -1) found = entries[finder.ending(at)] ?? found
  }
  // Brackets are read by what they open; everything else is done with.
  const isBracket = found?.open === '{' || found?.open === '['
  if (found && !isBracket) input.consume(found.open.length)
  return found
}

function* follow(reading: Reading, marker: Owned): Step<void> {
  const { sink } = reading
  switch (marker.kind) {
    case 'section':
    case 'item':
      return yield* readCalls(reading, marker)
    case 'weak':
      return yield* followWeak(reading, marker.open)
    case 'control':
      if (sink.place.code) return reading.say(marker.open)
      return yield* followControl(reading, yield* marker.read(reading.input, reading.context))
    default:
      return yield* followMark(reading, marker)
  }
}

function* followWeak(reading: Reading, open: string): Step<void> {
  if (open === '{' || open === '[') return yield* readBareCalls(reading)
  if (open === '```') return yield* readFence(reading)
  if (open === '>>>') return yield* readRecipient(reading)
  return yield* readLineCalls(reading, open)
}

function* followControl(reading: Reading, { text, drafts, channel }: Control): Step<void> {
  if (text !== undefined) reading.say(text)
  if (channel) {
    reading.channel = channel
    reading.thinkEnds = undefined
    reading.sink.breakLine()
  }
  if (drafts) reading.emit(drafts)
}

/** Markers that are nothing but themselves: they switch between thinking and answer, or are dropped. */
function* followMark(reading: Reading, marker: Owned): Step<void> {
  const { sink } = reading
  const thinking = reading.channel === 'reasoning'
  if (sink.place.code && !thinking) return reading.say(marker.open)
  if (marker.kind === 'think-open') {
    const opens = thinking ? !sink.hasReasoning : !marker.strict || sink.atLineStart
    if (!opens) return reading.say(marker.open)
    reading.channel = 'reasoning'
    reading.thinkEnds = marker.close
  } else if (marker.kind === 'answer') {
    const ends = !thinking || (reading.thinkEnds?.includes(marker.open) ?? true)
    if (!ends) return reading.say(marker.open)
    reading.channel = 'text'
    sink.breakLine()
  } else if (marker.kind === 'frame-open') {
    if (sink.hasText || thinking) return reading.say(marker.open)
    reading.frame = marker.close
  } else if (marker.kind === 'frame-close') {
    if (reading.frame !== marker.open) return reading.say(marker.open)
    reading.frame = ''
  } else if (marker.kind === 'token' && marker.last && !(yield* reading.input.isOver())) reading.say(marker.open)
  else if (marker.kind === 'close' && !sink.afterCall && !isToken(marker.open)) reading.say(marker.open)
}
