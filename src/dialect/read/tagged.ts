/**
 * Calls whose arguments stand between tags, each value as bare text. Values may hold anything, even something that
 * looks like a tag: a closing tag only counts where the structure goes on behind it.
 */
import type { ToolSchema } from '../../protocol/model.ts'
import type { Draft } from './call.ts'
import { CUT_OFF, TOO_LONG } from './call.ts'
import type { Input, Step, Stretch } from './input.ts'
import { propertyOf } from './tool-book.ts'
import { castValue } from './value.ts'

export type TagShape = {
  /** Opens a call; its name and any attributes follow, up to `end`. Absent where the name stands alone. */
  readonly call?: { readonly open: string; readonly end: string; readonly close: string }
  readonly key: { readonly open: string; readonly end: string }
  readonly value: { readonly open?: string; readonly close: string }
  /** The value stands on lines of its own: one newline on each side is not part of it. */
  readonly padded?: boolean
  /** Values of parameters the schema does not know are read as JSON where possible. */
  readonly json?: boolean
  /** A value may be in `<![CDATA[...]]>`, because it holds what would close its tag. */
  readonly cdata?: boolean
  /** What the tag of a value says about it besides its name. */
  readonly attributes?: 'string' | 'type'
}

export type TagContext = {
  readonly tool: ToolSchema | undefined
  readonly name: string
  /** What ends the section around the call; left for the section to consume. */
  readonly stops: readonly string[]
}

const CDATA = '<![CDATA['
export const MAX_CALL = 1_000_000
const MAX_HEADER = 300
/** Text between two arguments that is neither: skipped up to here. */
const MAX_JUNK = 4000

/** Reads arguments up to the closing tag of the call, which is consumed, or a stop, which is not. */
export function* readTaggedArguments(input: Input, shape: TagShape, context: TagContext): Step<Draft> {
  const values: [string, unknown][] = []
  const close = shape.call ? [shape.call.close] : []
  const structure = [shape.key.open, ...close, ...context.stops]
  for (;;) {
    const next = yield* nextOf(input, structure)
    if (next === undefined) return { name: context.name, problem: CUT_OFF }
    if (next !== shape.key.open) {
      if (close.includes(next)) yield* input.takePast(close)
      return { name: context.name, values: Object.fromEntries(values) }
    }
    yield* input.takePast([shape.key.open])
    const header = yield* input.until([shape.key.end], MAX_HEADER)
    if (header.stop === undefined) return { name: context.name, problem: CUT_OFF }
    input.consume(header.stop.length)
    if (shape.value.open !== undefined) yield* skipTo(input, shape.value.open)
    const value = yield* readValue(input, shape, context.stops)
    if (value.stop === undefined) return { name: context.name, problem: value.long ? TOO_LONG : CUT_OFF }
    const { name, attributes } = parseHeader(header.text)
    const rules = { schema: propertyOf(context.tool, name), attributes, json: shape.json === true }
    values.push([name, castValue(shape.padded ? unpadded(value.text) : value.text, rules)])
  }
}

/** `read_file`, `"read_file" index="1"`: a name, quoted or not, and what follows it. */
export function parseHeader(header: string): { name: string; attributes: string } {
  const text = header.trim()
  const quote = text[0] === '"' || text[0] === "'" ? text[0] : undefined
  const end = quote ? text.indexOf(quote, 1) : text.search(/[\s>/]/)
  const name = end === -1 ? text : text.slice(0, end)
  return { name: name.replace(/^["']/, '').trim(), attributes: end === -1 ? '' : text.slice(end + 1) }
}

function* nextOf(input: Input, structure: readonly string[]): Step<string | undefined> {
  const next = yield* input.anyPast(structure)
  if (next !== undefined) return next
  return (yield* input.until(structure, MAX_JUNK)).stop
}

function* skipTo(input: Input, open: string): Step<void> {
  if ((yield* input.takePast([open])) !== undefined) return
  if ((yield* input.until([open], MAX_HEADER)).stop !== undefined) input.consume(open.length)
}

/** The text of one value. Its closing tag is consumed; `stop` is missing when the reply or the limit ended it. */
function* readValue(input: Input, shape: TagShape, stops: readonly string[]): Step<Stretch> {
  if (shape.cdata && (yield* input.take(CDATA))) return yield* readCharacterData(input, shape.value.close)
  const outer = shape.call ? [shape.call.close] : stops
  const goesOn = [shape.key.open, ...(shape.call ? [shape.call.close] : []), ...stops]
  let text = ''
  for (;;) {
    const piece = yield* input.until([shape.value.close, ...outer], MAX_CALL - text.length)
    text += piece.text
    if (piece.stop === undefined) return { text, long: piece.long }
    if (piece.stop !== shape.value.close) {
      // The closing tag of the value was forgotten, unless this one is part of the text.
      if (yield* isEnd(input, piece.stop, stops)) return { text, stop: piece.stop, long: false }
      text += input.consume(piece.stop.length)
      continue
    }
    const closing = input.consume(piece.stop.length)
    const structural = (yield* input.anyPast(goesOn)) !== undefined || (yield* input.isOver())
    if (structural) return { text, stop: piece.stop, long: false }
    text += closing
  }
}

/** `]]>` cannot stand inside; writers split it over two sections, which are joined again here. */
function* readCharacterData(input: Input, close: string): Step<Stretch> {
  let text = ''
  for (;;) {
    const data = yield* input.until([']]>'], MAX_CALL - text.length)
    text += data.text
    if (data.stop === undefined) return { text, long: data.long }
    input.consume(data.stop.length)
    if (yield* input.take(CDATA)) continue
    yield* input.takePast([close])
    return { text, stop: data.stop, long: false }
  }
}

/** Whether the closing tag ahead really ends the call: the section ends behind it, or the reply does. */
function* isEnd(input: Input, tag: string, stops: readonly string[]): Step<boolean> {
  if (stops.includes(tag)) return true
  const rest = yield* input.peek(tag.length + 256)
  const behind = rest.slice(tag.length).trimStart()
  return behind === '' || stops.some((stop) => behind.startsWith(stop))
}

function unpadded(text: string): string {
  const start = text.startsWith('\r\n') ? 2 : text.startsWith('\n') ? 1 : 0
  const end =
    text.endsWith('\r\n') && text.length - 2 >= start
      ? 2
      : text.endsWith('\n') && text.length - 1 >= start
        ? 1
        : 0
  return text.slice(start, text.length - end)
}
