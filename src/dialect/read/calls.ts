/** Reads a run of neighbouring calls and settles whether they are calls or the mention of some. */
import { isObject, readJson } from '../../lib/json.ts'
import { readBare } from './bare.ts'
import type { Draft } from './call.ts'
import { CUT_OFF, isProblem } from './call.ts'
import type { Control } from '../families/family.ts'
import type { Step } from './input.ts'
import type { Owned } from './marker-table.ts'
import type { Manner } from './quoted.ts'
import { dependsOnTail, isQuoted, TAIL } from './quoted.ts'
import type { Reading } from './state.ts'
import type { Opening } from './section.ts'
import { readOpening } from './section.ts'
import type { CallContext } from './sink.ts'

export type Found = {
  readonly drafts: readonly Draft[]
  /** Exactly what was read, to be given back as text if it is no call. */
  readonly raw: string
  readonly place: CallContext
  readonly manner: Manner
}

/** More calls in a row than this are settled in parts. */
export const MAX_RUN = 100

/** Everything from a marker, already consumed, to the end of the last of the calls in a row. */
export function* readCalls(reading: Reading, marker: Owned & Opening): Step<void> {
  const { input, sink } = reading
  if (
    sink.inCode ||
    reading.isExhausted ||
    (reading.channel === 'reasoning' && !reading.endsThinking(marker))
  ) {
    reading.say(marker.open)
    return
  }
  const place = sink.place
  input.mark(marker.open)
  const first = yield* readOpening(input, marker, reading.context)
  if (!first) {
    reading.failures++
    giveBack(reading, marker, input.unmark())
    return
  }
  const { drafts, rest } = yield* readNeighbours(reading, first)
  const raw = input.unmark()
  yield* settle(reading, { drafts, raw: raw.slice(0, raw.length - rest.length), place, manner: 'marker' })
  reading.say(rest)
}

/** A special token that opens no call is dropped; an ordinary tag is a word of the answer. */
function giveBack(reading: Reading, marker: Owned, raw: string): void {
  reading.say(isToken(marker.open) ? raw.slice(marker.open.length) : raw)
}

export const isToken = (text: string): boolean => /^(?:<[|｜]|\[[A-Z_]+\]|\]<\])/.test(text)

/** Calls that follow with nothing but white space between: they stand or fall together. */
function* readNeighbours(
  reading: Reading,
  first: readonly Draft[],
): Step<{ drafts: readonly Draft[]; rest: string }> {
  const { input } = reading
  const drafts = [...first]
  for (;;) {
    const space = yield* input.space()
    const next = drafts.length < MAX_RUN ? yield* reading.context.opening(input, space) : undefined
    if (!next || next.inner) return { drafts, rest: '' }
    const length = input.raw.length
    input.consume(space + next.open.length)
    const more = yield* readOpening(input, next, reading.context)
    if (!more) return { drafts, rest: input.raw.slice(length) }
    drafts.push(...more)
  }
}

/** Bare JSON or Python at a bracket: the cursor stands on it. */
export function* readBareCalls(reading: Reading): Step<void> {
  const { input, sink } = reading
  if (sink.inCode || reading.channel === 'reasoning') {
    reading.say(input.consume(1))
    return
  }
  const place = sink.place
  input.mark()
  const first = yield* readBare(reading)
  // Something broken in the middle of a line is code or prose.
  if (!first || (first.some(isProblem) && place.prefix.trim() !== '')) {
    reading.say(input.unmark())
    return
  }
  const drafts = [...first]
  let length = input.raw.length
  while (drafts.length < MAX_RUN && (yield* bareFollows(reading))) {
    const more = yield* readBare(reading)
    if (!more) break
    drafts.push(...more)
    length = input.raw.length
  }
  const raw = input.unmark()
  yield* settle(reading, { drafts, raw: raw.slice(0, length), place, manner: 'bare' })
  reading.say(raw.slice(length))
}

/** Llama separates several calls by `;`. Consumes up to the bracket of the next one. */
function* bareFollows({ input }: Reading): Step<boolean> {
  const space = yield* input.space()
  const ahead = yield* input.peek(space + 80)
  const separator = /^[;,]?\s*(?=[{[])/.exec(ahead.slice(space))
  if (!separator) return false
  input.consume(space + separator[0].length)
  return true
}

/** What a control marker said. A call in it is settled like any other: the format may be quoted or documented too. */
export function* applyControl(
  reading: Reading,
  { text, channel, drafts }: Control,
  { raw, place }: Pick<Found, 'raw' | 'place'>,
): Step<void> {
  if (text !== undefined) reading.say(text)
  else if (!drafts) reading.sink.atMarker()
  if (channel) reading.switchTo(channel)
  if (drafts) yield* settle(reading, { drafts, raw, place, manner: 'marker' })
}

/** Tells calls from mentions: events for the one, the text as it was for the other. True when they are calls. */
export function* settle(reading: Reading, found: Found): Step<boolean> {
  if (reading.channel === 'reasoning') return yield* settleThought(reading, found)
  const tail = dependsOnTail(found.place, found.manner) ? yield* reading.input.peek(TAIL) : ''
  const { native, earlier } = reading.options
  const repeated = earlier(found.raw.trim())
  if (!repeated && !isQuoted({ ...found, tail, native, again: reading.hasQuoted })) {
    reading.emit(found.drafts)
    return true
  }
  reading.hasQuoted = true
  reading.failures += found.drafts.length
  reading.say(found.raw)
  reading.sink.breakLine()
  if (repeated || (native && found.manner === 'fence')) propose(reading, found.drafts)
  return false
}

/** A call ends thinking only where nothing but the end of the reply follows; otherwise it was a thought. */
function* settleThought(reading: Reading, { drafts, raw }: Found): Step<boolean> {
  const cut = drafts.some((draft) => isProblem(draft) && draft.problem === CUT_OFF)
  const sound = cut || !drafts.some(isProblem)
  if (!sound || !(yield* endsReply(reading))) {
    reading.say(raw)
    return false
  }
  reading.channel = 'text'
  reading.emit(drafts)
  return true
}

function* endsReply({ input, options }: Reading): Step<boolean> {
  const tokens = options.table.entries.flatMap((entry) =>
    entry.kind === 'token' || entry.kind === 'close' ? [entry.open] : [],
  )
  if (yield* input.isOver()) return true
  return (yield* input.anyPast(tokens)) !== undefined
}

/** A call that was only shown may still be a command worth offering to the person. */
function propose({ sink }: Reading, drafts: readonly Draft[]): void {
  for (const draft of drafts) {
    const reading = 'json' in draft ? readJson(draft.json) : undefined
    const values = 'values' in draft ? draft.values : reading?.ok ? reading.value : undefined
    const command = isObject(values) ? values['command'] : undefined
    if (typeof command === 'string') sink.event({ type: 'proposal', command })
  }
}
