/**
 * JSON schemas of tools: made small for the wire, and used to bend nearly right arguments into shape. Coercion only
 * changes how a value is written (a number in a string, one value for a list), never what it says.
 */
import { z } from 'zod'
import type { JsonSchema, ToolSchema } from '../protocol/model.ts'
import type { Tool } from '../protocol/tool.ts'
import { isObject, readJson } from './json.ts'
import { resolveName } from './nearest.ts'

/**
 * The description of a tool that the model receives: no `$schema`, no `additionalProperties`, no limits of integers.
 */
export function toToolSchema(tool: Pick<Tool, 'name' | 'description' | 'input'>): ToolSchema {
  const known = schemas.get(tool)
  if (known) return known
  const made = makeToolSchema(tool)
  schemas.set(tool, made)
  return made
}

/** A tool's schema is asked for in every turn and never changes. */
const schemas = new WeakMap<object, ToolSchema>()

function makeToolSchema(tool: Pick<Tool, 'name' | 'description' | 'input'>): ToolSchema {
  const schema = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' })
  return { name: tool.name, description: tool.description, parameters: compact(schema) as JsonSchema }
}

const NOISE = new Set([
  '$schema',
  'additionalProperties',
  'default',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'minLength',
])

function compact(value: unknown, isPropertyMap = false): unknown {
  if (Array.isArray(value)) return value.map((item) => compact(item))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => isPropertyMap || !NOISE.has(key))
  return Object.fromEntries(
    kept.map(([key, inner]) => [key, compact(inner, !isPropertyMap && key === 'properties')]),
  )
}

export type Coercion = { readonly value: unknown; readonly changed: boolean }

/** Bends `value` towards `schema`. What does not fit stays as it is; the caller validates afterwards. */
export function coerce(value: unknown, schema: JsonSchema): Coercion {
  const types = typesOf(schema)
  if (types.includes('object') || isObject(schema['properties'])) return coerceObject(value, schema)
  if (types.includes('array')) return coerceArray(value, schema)
  if (typeof value === 'string' && !types.includes('string')) return coerceString(value, types)
  const toText =
    types.length === 1 && types[0] === 'string' && (typeof value === 'number' || typeof value === 'boolean')
  return toText ? { value: String(value), changed: true } : { value, changed: false }
}

function coerceObject(value: unknown, schema: JsonSchema): Coercion {
  const parsed = typeof value === 'string' ? parsedIf(value, isObject) : value
  if (!isObject(parsed)) return { value, changed: false }
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  let changed = parsed !== value
  const entries = Object.entries(parsed).flatMap(([key, inner]) => {
    const name = key in properties ? key : (resolveName(key, Object.keys(properties)) ?? key)
    const property = properties[name]
    if (isOmitted(inner, property)) {
      changed = true
      return []
    }
    const result = isObject(property) ? coerceMember(name, inner, property) : { value: inner, changed: false }
    if (name !== key || result.changed) changed = true
    return [[name, result.value] as const]
  })
  return { value: changed ? Object.fromEntries(entries) : value, changed }
}

/** A list for a text says what it is by the name of the parameter: lines of a file, words or lines of a command. */
function coerceMember(name: string, value: unknown, schema: JsonSchema): Coercion {
  const types = typesOf(schema)
  if (!types.includes('string') || types.includes('array') || types.includes('object'))
    return coerce(value, schema)
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    const text = fromList(name, value)
    return text === undefined ? { value, changed: false } : { value: text, changed: true }
  }
  const inner = typeof value === 'string' ? (innerText(name, value) ?? plainCommand(name, value)) : undefined
  return inner === undefined ? coerce(value, schema) : { value: inner, changed: true }
}

/** What a file or a change is made of; its lines may come as a list. */
const TEXTS = new Set(['content', 'contents', 'text', 'old', 'new', 'code', 'patch', 'diff', 'body'])
const COMMANDS = new Set(['command', 'cmd', 'script'])

function fromList(name: string, items: readonly string[]): string | undefined {
  const [first = ''] = items
  if (TEXTS.has(name)) return items.map((item) => item.replace(/\n$/, '')).join('\n')
  if (items.length === 1) return first
  if (!COMMANDS.has(name) || items.length === 0) return undefined
  // Whole commands, one after the other, or the words of one.
  return /\s/.test(first) ? items.join(' && ') : items.map(quoteWord).join(' ')
}

const quoteWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/**
 * `{"command": "{\"command\": \"ls\"}"}`: the arguments written into their own text. What goes into a file is left
 * alone.
 */
function innerText(name: string, text: string): string | undefined {
  if (TEXTS.has(name) || !/^\s*\{/.test(text)) return undefined
  const reading = readJson(text)
  const inner = reading.ok && isObject(reading.value) ? reading.value[name] : undefined
  return typeof inner === 'string' ? inner : undefined
}

/** Without the fence or the prompt sign that stands around a command in a manual. */
function plainCommand(name: string, text: string): string | undefined {
  if (!COMMANDS.has(name)) return undefined
  const [, fenced] = /^\s*```(?:\w+)?\n([\s\S]*?)\n?```\s*$/.exec(text) ?? []
  const lines = (fenced ?? text).split('\n')
  const isTyped = lines.every((line) => line.trim() === '' || /^\s*[$❯] \S/.test(line))
  const command = (isTyped ? lines.map((line) => line.replace(/^\s*[$❯] /, '')) : lines).join('\n')
  return command === text || command.trim() === '' ? undefined : command
}

/** Models write `null` for "not given". */
const isOmitted = (value: unknown, property: unknown): boolean =>
  value === null && isObject(property) && !typesOf(property).includes('null')

function coerceArray(value: unknown, schema: JsonSchema): Coercion {
  const parsed = typeof value === 'string' ? parsedIf(value, Array.isArray) : value
  if (parsed === undefined) return { value, changed: false }
  const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  const items = isObject(schema['items']) ? schema['items'] : {}
  const results = list.map((item) => coerce(item, items))
  const changed = parsed !== value || list !== parsed || results.some((result) => result.changed)
  return { value: changed ? results.map((result) => result.value) : value, changed }
}

function coerceString(text: string, types: readonly string[]): Coercion {
  const word = text.trim()
  const isNumber = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(word)
  if (isNumber && types.includes('integer') && Number.isSafeInteger(Number(word)))
    return { value: Number(word), changed: true }
  if (isNumber && types.includes('number')) return { value: Number(word), changed: true }
  if (types.includes('boolean') && /^(?:true|yes)$/i.test(word)) return { value: true, changed: true }
  if (types.includes('boolean') && /^(?:false|no)$/i.test(word)) return { value: false, changed: true }
  if (types.includes('null') && /^(?:null|none|)$/i.test(word)) return { value: null, changed: true }
  return { value: text, changed: false }
}

function parsedIf<T>(text: string, accept: (value: unknown) => value is T): T | string {
  if (!/^\s*[[{]/.test(text)) return text
  const reading = readJson(text)
  return reading.ok && accept(reading.value) ? reading.value : text
}

/** Said about a call rather than to the tool. */
export const DESCRIPTIVE: ReadonlySet<string> = new Set([
  'description',
  'explanation',
  'reason',
  'purpose',
  'summary',
  'thought',
])

/** A text that is required but only describes the call is written for a model that left it out. */
export function describeCall(
  value: Record<string, unknown>,
  schema: JsonSchema,
  name: string,
): Record<string, unknown> {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  const missing = required.filter((key): key is string => {
    if (typeof key !== 'string' || key in value || !DESCRIPTIVE.has(key)) return false
    const property = properties[key]
    return isObject(property) && !('enum' in property) && typesOf(property).includes('string')
  })
  // A tool with nothing else to give it acts on the text itself.
  if (missing.length === 0 || Object.keys(value).length === 0) return value
  const about = Object.values(value).find((given) => typeof given === 'string') ?? ''
  const text = [name, about.split('\n', 1)[0]?.slice(0, 60)].filter(Boolean).join(' ')
  return { ...value, ...Object.fromEntries(missing.map((key) => [key, text])) }
}

/** The JSON types a schema allows, `anyOf`/`oneOf` included; empty = anything. */
export function typesOf(schema: JsonSchema): string[] {
  const type = schema['type']
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type.filter((item) => typeof item === 'string')
  const alternatives = [schema['anyOf'], schema['oneOf']].flatMap((list) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  )
  return alternatives.flatMap((item) => (isObject(item) ? typesOf(item) : []))
}
