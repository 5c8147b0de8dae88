/** Calls in an XML-like tag with the name as attribute or element, and JSON, elements or attributes for arguments. */
import type { ToolSchema } from '../../protocol/model.ts'
import { isObject, readJson } from '../../lib/json.ts'
import type { Draft } from './call.ts'
import { CUT_OFF, TOO_LONG } from './call.ts'
import type { Input, Step } from './input.ts'
import { MAX_HEADER } from './items.ts'
import { scanJson } from './json-scan.ts'
import type { ItemReader, ReadContext } from './section.ts'
import { MAX_CALL } from './tagged.ts'
import { propertyOf } from './tool-book.ts'
import { castValue } from './value.ts'

const NAME_ELEMENTS = ['tool_name', 'name', 'function_name']
const ARGUMENT_ELEMENTS = ['arguments', 'parameters', 'args', 'input']

/** Behind `<tag ` or `<tag name=`. Only tools that exist: a tag like this may occur in any document. */
export const tagItem = (tag: string): ItemReader =>
  function* (input, context) {
    const header =
      tag === 'use_mcp_tool' ? { text: '', stop: '' } : yield* input.until(['>', '\n\n'], MAX_HEADER)
    if (header.stop === undefined || header.stop === '\n\n') return undefined
    input.consume(header.stop.length)
    const attributes = attributesOf(header.text)
    const named = context.tools.meant(attributes['name'] ?? '')
    if (named && header.text.trimEnd().endsWith('/')) return [fromValues(attributes, named)]
    if (!named && tag !== 'use_mcp_tool') return undefined
    return yield* readContent(input, { tag, named, attributes }, context)
  }

type Opened = { tag: string; named: ToolSchema | undefined; attributes: Record<string, string> }

function* readContent(
  input: Input,
  { tag, named, attributes }: Opened,
  context: ReadContext,
): Step<Draft[] | undefined> {
  const close = `</${tag}>`
  if (named && (yield* input.anyPast(['{'])) !== undefined) {
    yield* input.skipSpace()
    const extent = yield* scanJson(input, { stops: [close], limit: MAX_CALL })
    const closed = yield* input.takePast([close])
    if (extent.end === 'long') return [{ name: named.name, problem: TOO_LONG }]
    if (extent.end === 'cut' && closed === undefined) return [{ name: named.name, problem: CUT_OFF }]
    return [{ name: named.name, json: extent.text }]
  }
  const body = yield* input.until([close], MAX_CALL)
  if (body.stop === undefined)
    return [{ ...(named && { name: named.name }), problem: body.long ? TOO_LONG : CUT_OFF }]
  input.consume(close.length)
  const elements = elementsOf(body.text)
  const tool = named ?? context.tools.meant(first(elements, NAME_ELEMENTS)?.trim() ?? '')
  return tool ? [fromElements(elements, attributes, tool)] : undefined
}

export function fromElements(
  elements: Map<string, string>,
  attributes: Record<string, string>,
  tool: ToolSchema,
): Draft {
  const json = first(elements, ARGUMENT_ELEMENTS)
  if (json !== undefined && !ARGUMENT_ELEMENTS.some((key) => propertyOf(tool, key)))
    return { name: tool.name, json }
  const given = [...elements].filter(([key]) => !NAME_ELEMENTS.includes(key) || propertyOf(tool, key))
  return fromValues({ ...attributes, ...Object.fromEntries(given) }, tool)
}

function fromValues(texts: Record<string, string>, tool: ToolSchema): Draft {
  const entries = Object.entries(texts).filter(([key]) => key !== 'name' || propertyOf(tool, 'name'))
  const values = entries.map(
    ([key, text]) => [key, castValue(text, { schema: propertyOf(tool, key) })] as const,
  )
  return { name: tool.name, values: Object.fromEntries(values) }
}

const first = (elements: ReadonlyMap<string, string>, names: readonly string[]): string | undefined =>
  names.map((name) => elements.get(name)).find((text) => text !== undefined)

/** `name="x" path="a"`, `"x"` or just `x`: the first bare word is the name. */
export function attributesOf(text: string): Record<string, string> {
  const attributes: Record<string, string> = {}
  for (const match of text.matchAll(
    /([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>/]+))|["']?([\w.-]+)["']?/g,
  )) {
    const [, key, double, single, bare, word] = match
    if (key !== undefined) attributes[key] = double ?? single ?? bare ?? ''
    else if (word !== undefined) attributes['name'] ??= word
  }
  return attributes
}

/** The elements of a text, one after the other. */
export function elementsOf(text: string): Map<string, string> {
  const elements = new Map<string, string>()
  let at = text.indexOf('<')
  while (at !== -1) {
    const end = text.indexOf('>', at)
    const name = end === -1 ? '' : text.slice(at + 1, end).trim()
    const close = /^[\w-]+$/.test(name) ? text.indexOf(`</${name}>`, end) : -1
    if (close === -1) break
    const value = text.slice(end + 1, close)
    elements.set(name, isJson(value) ? value.trim() : value.replace(/^\n|\n$/g, ''))
    at = text.indexOf('<', close + name.length + 3)
  }
  return elements
}

const isJson = (text: string): boolean => {
  const trimmed = text.trim()
  if (!trimmed.startsWith('{')) return false
  const reading = readJson(trimmed)
  return reading.ok && isObject(reading.value)
}
