/**
 * What stands between the markers of a call. Families differ in the markers; inside there are few shapes: JSON, a name
 * with JSON behind it, a name with tagged arguments, Python, or an item with a marker of its own. A section accepts
 * any of them, so that a model which mixes two families' habits is still understood.
 */
import type { Draft } from './call.ts'
import { brokenJson, CUT_OFF, TOO_LONG } from './call.ts'
import type { Input, Step } from './input.ts'
import { callsInJson, isPlaceholder } from './json-calls.ts'
import type { JsonExtent } from './json-scan.ts'
import { scanJson, wholeObjects } from './json-scan.ts'
import { pythonName, readPythonCall } from './python-calls.ts'
import type { TagShape } from './tagged.ts'
import { MAX_CALL, readTaggedArguments } from './tagged.ts'
import type { ToolBook } from './tool-book.ts'

type Body = 'json' | 'named' | 'tagged' | 'python' | 'items'

export type Section = {
  readonly open: string
  /** Any of these ends it; none where the calls end by themselves. */
  readonly close: readonly string[]
  /** How arguments are tagged where the call is a bare name. */
  readonly tags?: TagShape
  /** What may stand between name and JSON. */
  readonly separators?: readonly string[]
  readonly accepts?: readonly Body[]
  /** The tag may occur in any text: a call in it counts only for tools that exist. */
  readonly known?: boolean
}

export type ReadContext = {
  readonly tools: ToolBook
  /** What ends the section this is read in. */
  readonly stops: readonly string[]
  /** What opens a call `offset` characters ahead. */
  readonly opening: (input: Input, offset: number) => Step<Opening | undefined>
  /** How many sections enclose this one. */
  readonly depth: number
  readonly effort: Effort
}

/** A section, or an item with a marker of its own; an inner one only counts in a section. */
export type Opening = {
  readonly open: string
  readonly section?: Section
  readonly read?: ItemReader
  readonly inner?: boolean
}

/** Reads one item behind its opener. Undefined: this is no call; nothing but a few characters was consumed. */
export type ItemReader = (input: Input, context: ReadContext) => Step<readonly Draft[] | undefined>

const MAX_NAME = 128
const MAX_NESTED = 3
/** Calls, and what stands between them, in the sections of one reply; more than any honest one has. */
const MAX_PIECES = 2000

/** What may still be spent on the sections of a reply, however they are nested. */
export const createEffort = (): Effort => ({ left: MAX_PIECES })

type Effort = { left: number }
const FENCES = ['```json', '```xml', '```']

/** The calls of a section, the cursor behind its opener; undefined when there is no call in it. */
function* readSection(input: Input, section: Section, context: ReadContext): Step<Draft[] | undefined> {
  const inner = { ...context, stops: section.close }
  const drafts: Draft[] = []
  let count = 0
  while (context.effort.left-- > 0) {
    if ((yield* input.takePast(section.close)) !== undefined) return count > 0 ? drafts : undefined
    const found = yield* readItem(input, section, { ...inner, isFirst: count === 0 })
    if (found && !(section.known && !areKnown(found, context.tools))) {
      drafts.push(...found)
      count++
    } else if (found || !(yield* skipNoise(input, section, count > 0))) break
  }
  return drafts.length > 0 ? drafts : undefined
}

/** Fences inside a section, separators and stray closing brackets between its items. */
function* skipNoise(input: Input, section: Section, between: boolean): Step<boolean> {
  if (section.close.length === 0) return false
  return (yield* input.takePast(between ? [',', ';', '}', ']', ...FENCES] : FENCES)) !== undefined
}

const areKnown = (drafts: readonly Draft[], tools: ToolBook): boolean =>
  drafts.every(({ name }) => name !== undefined && tools.find(name) !== undefined)

function* readItem(
  input: Input,
  section: Section,
  context: ReadContext & { readonly isFirst: boolean },
): Step<readonly Draft[] | undefined> {
  const accepts = (body: Body): boolean => section.accepts?.includes(body) ?? true
  const space = yield* input.space()
  const opening = yield* context.opening(input, space)
  // The same opener twice in a row opens nothing; behind a call it opens the next.
  if (opening?.open === section.open && context.isFirst) return undefined
  if (opening && (opening.section || accepts('items'))) {
    input.consume(space + opening.open.length)
    return yield* readOpening(input, opening, context)
  }
  const first = (yield* input.peek(space + 1))[space]
  if (first === '[' && accepts('python') && (yield* isPythonList(input, space))) {
    input.consume(space)
    return yield* readPythonList(input, context)
  }
  if ((first === '{' || first === '[') && accepts('json')) {
    input.consume(space)
    return yield* readJsonCalls(input, context)
  }
  if (accepts('python') && (yield* pythonName(input, space)) !== undefined) {
    input.consume(space)
    return [yield* readPythonCall(input, context.tools)]
  }
  return yield* readNamed(input, section, { ...context, space })
}

/** What stands behind an opener, the opener consumed. */
export function* readOpening(
  input: Input,
  opening: Opening,
  context: ReadContext,
): Step<readonly Draft[] | undefined> {
  if (opening.read) return yield* opening.read(input, context)
  if (!opening.section || context.depth >= MAX_NESTED) return undefined
  return yield* readSection(input, opening.section, { ...context, depth: context.depth + 1 })
}

function* readJsonCalls(input: Input, context: ReadContext): Step<Draft[] | undefined> {
  const extent = yield* scanJson(input, { stops: context.stops, limit: MAX_CALL })
  if (extent.end === 'long') return [{ problem: TOO_LONG }]
  if (extent.end === 'cut' && !onlyWrapperOpen(extent)) return callsBeforeCut(extent.text, context.tools)
  if (isPlaceholder(extent.text)) return undefined
  const drafts = callsInJson(extent.text, { tools: context.tools, known: false })
  return drafts ?? (isEmptyList(extent.text) ? [] : [brokenJson(extent.text, context.tools)])
}

/**
 * The reply ended with brackets open. Only where all that is missing are the brackets around complete arguments is the
 * call whole; anything else may have lost arguments.
 */
export function onlyWrapperOpen({ text, open }: JsonExtent): boolean {
  const wrapper = text.startsWith('[') ? 2 : 1
  return text.trimEnd().endsWith('}') && open <= wrapper
}

/** Of a list of calls those that are whole; the one that was cut off says so. */
function callsBeforeCut(text: string, tools: ToolBook): Draft[] {
  const whole = wholeObjects(text)
  const drafts = whole && callsInJson(whole.list, { tools, known: false })
  return whole && drafts ? [...drafts, cutOff(whole.rest, tools)] : [cutOff(text, tools)]
}

function cutOff(text: string, tools: ToolBook): Draft {
  const { name } = brokenJson(text, tools)
  return { ...(name !== undefined && { name }), problem: CUT_OFF }
}

const isEmptyList = (text: string): boolean => /^\[\s*\]$/.test(text)

function* isPythonList(input: Input, offset: number): Step<boolean> {
  let at = offset + 1
  while (at < offset + 64 && /\s/.test((yield* input.peek(at + 1))[at] ?? 'x')) at++
  return (yield* pythonName(input, at)) !== undefined
}

export function* readPythonList(input: Input, context: ReadContext): Step<Draft[] | undefined> {
  const drafts: Draft[] = []
  input.consume(1)
  for (;;) {
    if ((yield* input.takePast([']'])) !== undefined) return drafts.length > 0 ? drafts : undefined
    yield* input.skipSpace()
    if ((yield* pythonName(input)) === undefined) {
      if (yield* input.isOver()) drafts.push({ problem: CUT_OFF })
      return drafts.length > 0 ? drafts : undefined
    }
    const draft = yield* readPythonCall(input, context.tools)
    drafts.push(draft)
    if ('problem' in draft && input.at >= input.text.length && input.ended) return drafts
    yield* input.takePast([','])
  }
}

/** A bare name, and behind it JSON, tagged arguments, or nothing but the end of the section. */
function* readNamed(
  input: Input,
  section: Section,
  context: ReadContext & { readonly space: number },
): Step<readonly Draft[] | undefined> {
  const accepts = (body: Body): boolean => section.accepts?.includes(body) ?? true
  const length = yield* nameLength(input, context.space)
  if (length === 0) return undefined
  const end = context.space + length
  const name = input.text.slice(input.at + context.space, input.at + end)
  const separator = yield* input.anyOf(section.separators ?? [], end)
  if (accepts('named') && (separator !== undefined || (yield* input.starts('{', end)))) {
    input.consume(end + (separator?.length ?? 0))
    return yield* readNamedJson(input, { name, section, context })
  }
  if (!accepts('tagged') || !section.tags || !(yield* endsName(input, section, end))) return undefined
  input.consume(end)
  return [
    yield* readTaggedArguments(input, section.tags, {
      tool: context.tools.find(name),
      name,
      stops: section.close,
    }),
  ]
}

type NamedJson = { readonly name: string; readonly section: Section; readonly context: ReadContext }

function* readNamedJson(input: Input, { name, section, context }: NamedJson): Step<readonly Draft[]> {
  let id: string | undefined
  const separators = section.separators ?? []
  // `name[CALL_ID]abc[ARGS]{...}`: whatever stands between two separators is the id.
  if (!(yield* input.starts('{', yield* input.space()))) {
    const between = yield* input.until([...separators, '{', '['], MAX_NAME)
    if (between.stop === undefined) return [{ name, problem: CUT_OFF }]
    id = between.text.trim()
    if (separators.includes(between.stop)) input.consume(between.stop.length)
  }
  yield* input.skipSpace()
  const json = yield* readArgumentsJson(input, name, { ...context, stops: [...context.stops, section.open] })
  return ['json' in json && id ? { ...json, id } : json]
}

/** The arguments of a named call, the cursor on their opening bracket. */
export function* readArgumentsJson(input: Input, name: string, context: ReadContext): Step<Draft> {
  const [first] = yield* input.peek(1)
  // A text is read too: some models put the object into a string.
  if (first === '"') return { name, json: (yield* input.until(['\n', ...context.stops], MAX_CALL)).text }
  if (first !== '{' && first !== '[')
    return (yield* endsEarly(input, context)) ? { name, problem: CUT_OFF } : { name, json: '{}' }
  const extent = yield* scanJson(input, { stops: context.stops, limit: MAX_CALL })
  if (extent.end === 'long') return { name, problem: TOO_LONG }
  if (extent.end === 'cut') return { name, problem: CUT_OFF }
  return { name, json: extent.text }
}

/** The reply is over but for a few characters, none of which ends the call. */
function* endsEarly(input: Input, { stops }: ReadContext): Step<boolean> {
  const rest = yield* input.peek(16)
  return rest.length < 16 && (yield* input.anyPast(stops)) === undefined
}

function* nameLength(input: Input, offset: number): Step<number> {
  let length = 0
  while (length < MAX_NAME) {
    const char = (yield* input.peek(offset + length + 1))[offset + length]
    if (char === undefined || !(length === 0 ? /[A-Za-z_]/ : /[\w.:/-]/).test(char)) break
    length++
  }
  return length
}

/** Prose follows a word with a blank and another word; a name is followed by its line's end, a tag or the section's. */
function* endsName(input: Input, section: Section, offset: number): Step<boolean> {
  const tags = section.tags ? [section.tags.key.open] : []
  const [next] = (yield* input.peek(offset + 1)).slice(offset)
  if (next === '\n' || next === '\r') return true
  if (next === undefined) return false
  return (yield* input.anyOf([...tags, ...section.close, '<tool_sep>'], offset)) !== undefined
}
