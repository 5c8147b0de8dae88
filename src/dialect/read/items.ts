/** Calls that carry a marker of their own: tagged arguments behind a tag with the name, or JSON behind a header. */
import type { Draft } from './call.ts'
import { CUT_OFF, isProblem } from './call.ts'
import type { Input, Step } from './input.ts'
import type { ItemReader, ReadContext } from './section.ts'
import { readArgumentsJson } from './section.ts'
import type { TagShape } from './tagged.ts'
import { parseHeader, readTaggedArguments } from './tagged.ts'

export const MAX_HEADER = 300

/** `<function=name>`, `<invoke name="x">`: tagged arguments behind a tag with the name, or JSON in their place. */
export const taggedItem = (shape: TagShape & { readonly call: NonNullable<TagShape['call']> }): ItemReader =>
  function* (input, context) {
    const header = yield* input.until([shape.call.end, '\n'], MAX_HEADER)
    if (header.stop !== shape.call.end) return cutOrNothing(input, header.text)
    const { name } = parseHeader(header.text)
    if (!isName(name)) return undefined
    input.consume(header.stop.length)
    if (header.text.trimEnd().endsWith('/')) return [{ name, json: '{}' }]
    if ((yield* input.anyPast(['{'])) !== undefined) {
      yield* input.skipSpace()
      const stops = [shape.call.close, ...context.stops]
      const draft = yield* readArgumentsJson(input, name, { ...context, stops })
      yield* input.takePast([shape.call.close])
      return [draft]
    }
    const tool = context.tools.find(name)
    const draft = yield* readTaggedArguments(input, shape, { tool, name, stops: context.stops })
    const empty = isProblem(draft) || ('values' in draft && Object.keys(draft.values).length === 0)
    // An ordinary tag in the middle of prose, with a name no tool has and nothing in it.
    return !tool && empty && context.depth === 0 ? undefined : [draft]
  }

/**
 * A header with the name, a separator, JSON, a closing marker: `functions.x:0<sep>{...}<end>`. Where the header names
 * the kind of call, the name stands behind the separator.
 */
export const headedItem = (shape: Headed): ItemReader =>
  function* (input, context) {
    const header = yield* input.until([...shape.separators, '{', ...shape.close], MAX_HEADER)
    if (header.stop === undefined) return cutOrNothing(input, header.text)
    if (shape.separators.includes(header.stop)) input.consume(header.stop.length)
    const named = yield* nameOf(input, header.text.trim(), { shape, context })
    if (typeof named !== 'string') return named
    if (!isName(named)) return undefined
    yield* input.takePast(['```json', '```'])
    yield* input.skipSpace()
    const draft = yield* readArgumentsJson(input, named, {
      ...context,
      stops: [...shape.close, ...context.stops],
    })
    yield* input.takePast(['```'])
    yield* input.takePast(shape.close)
    return ['json' in draft ? withId(draft, header.text.trim()) : draft]
  }

type Headed = { readonly separators: readonly string[]; readonly close: readonly string[] }

/** The name is the header, unless something other than JSON follows: then that is the name, or a tagged call. */
function* nameOf(
  input: Input,
  header: string,
  { shape, context }: { shape: Headed; context: ReadContext },
): Step<string | readonly Draft[]> {
  const space = yield* input.space()
  const tagged = yield* context.opening(input, space)
  if (tagged?.read) {
    input.consume(space + tagged.open.length)
    const drafts =
      (yield* tagged.read(input, { ...context, stops: [...shape.close, ...context.stops] })) ?? []
    yield* input.takePast(shape.close)
    return drafts
  }
  if ((yield* input.anyPast(['{', '```', ...shape.close])) !== undefined) return bareName(header)
  const line = yield* input.until(['\n', '{', '```', ...shape.separators], MAX_HEADER)
  if (line.stop === undefined) return cutOrNothing(input, line.text) ?? []
  if (shape.separators.includes(line.stop)) input.consume(line.stop.length)
  return bareName(line.text)
}

/** Kimi writes `functions.read_file:0`: a namespace, the name, the number of the call. */
const bareName = (text: string): string =>
  text
    .trim()
    .replace(/^functions?\./, '')
    .replace(/:\d+$/, '')

const withId = (draft: { name: string; json: string }, header: string): Draft =>
  /:\d+$/.test(header) ? { ...draft, id: header } : draft

export const isName = (name: string): boolean => /^[A-Za-z_][\w.:/ -]{0,127}$/.test(name)

/** The reply ended in the middle of a header: it was a call. A header that never ends is none. */
export const cutOrNothing = (input: Input, text: string): readonly Draft[] | undefined =>
  input.ended && text.length < MAX_HEADER && input.at >= input.text.length
    ? [{ problem: CUT_OFF }]
    : undefined
