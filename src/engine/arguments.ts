/**
 * From the JSON text a model wrote to arguments a tool accepts. Typing errors are repaired (JSON, types, one wrapper
 * too many, the names other agents use); what is left is explained with the argument that failed and a call that would
 * work.
 */
import { z } from 'zod'
import type { ToolCall } from '../protocol/message.ts'
import type { JsonSchema } from '../protocol/model.ts'
import type { Tool } from '../protocol/tool.ts'
import { foldName, meansParameter } from '../lib/argument-names.ts'
import { canonicalJson, isObject, type JsonReading, readJson } from '../lib/json.ts'
import { coerce, toToolSchema, typesOf } from '../lib/schema.ts'
import { clip } from '../lib/text.ts'
import { readNotation } from './argument-text.ts'

export type ParsedArguments =
  /** `written`: the arguments as they were meant, where the model wrote them otherwise. */
  | {
      readonly ok: true
      readonly input: unknown
      readonly written?: string
      /** What the tool takes no notice of. */
      readonly ignored?: string
    }
  | { readonly ok: false; readonly text: string }

export function parseArguments(call: ToolCall, tool: Tool): ParsedArguments {
  const schema = toToolSchema(tool).parameters
  const reading = readArguments(call.input, tool, schema)
  if (!reading.ok) return { ok: false, text: explainText(tool.name, reading.reason, schema) }

  const meant = repair(reading.value, schema)
  const bent = coerce(meant, schema)
  const parsed = parse(tool.input, bent.value)
  const repaired = reading.repaired || meant !== reading.value || bent.changed
  if (parsed.success) {
    const ignored = ignoredText(tool.name, { given: bent.value, taken: parsed.data }, schema)
    return {
      ok: true,
      input: parsed.data,
      ...(repaired && { written: JSON.stringify(bent.value) }),
      ...(ignored && { ignored }),
    }
  }
  return { ok: false, text: explainIssues(tool.name, parsed.error, schema) }
}

function readArguments(text: string, tool: Tool, schema: JsonSchema): JsonReading {
  if (text.trim() === '') return { ok: true, value: {}, repaired: false }
  const noted = readNotation(text, Object.keys(propertiesOf(schema)))
  if (noted) return { ok: true, value: noted, repaired: true }
  return readJson(once(text), { closeStrings: tool.category !== 'write' })
}

/** The same arguments written twice, one behind the other. */
function once(text: string): string {
  const trimmed = text.trim()
  const half = trimmed.slice(0, Math.ceil(trimmed.length / 2)).trim()
  return half.endsWith('}') && trimmed.slice(half.length).trim() === half ? half : text
}

function repair(value: unknown, schema: JsonSchema): unknown {
  const properties = propertiesOf(schema)
  const unwrapped = unwrap(fromText(value, properties), properties)
  if (isObject(unwrapped)) {
    return withoutBlanks(plainValues(renameAliases(unwrapped, properties), properties), schema)
  }
  const [only] = requiredOf(schema)
  const isOnlyText = requiredOf(schema).length === 1 && typeof unwrapped === 'string' && unwrapped !== ''
  return isOnlyText && only !== undefined ? { [only]: unwrapped } : unwrapped
}

/** The whole arguments once more as a JSON text. Any other text stands for the one argument a tool must have. */
function fromText(value: unknown, properties: Properties): unknown {
  if (typeof value !== 'string') return value
  const reading = /^\s*[[{"]/.test(value) ? readJson(value) : undefined
  if (!reading?.ok) return value
  const inner = fromText(reading.value, properties)
  const isMeant = isObject(unwrap(inner, properties)) || Array.isArray(inner)
  return isMeant ? inner : value
}

const WRAPPERS = ['arguments', 'parameters', 'input', 'args', 'params', 'properties', 'kwargs', 'tool_input']

/**
 * `{"arguments": {...}}`, the same as text, or a list of one, however often. A parameter of that name is no wrapper.
 */
function unwrap(value: unknown, properties: Properties): unknown {
  if (Array.isArray(value) && isObject(value[0]) && new Set(value.map(canonicalJson)).size === 1) {
    return unwrap(value[0], properties)
  }
  if (!isObject(value) || Object.keys(value).some((key) => key in properties)) return value
  const wrapper = WRAPPERS.find((key) => key in value)
  const inner = wrapper === undefined ? undefined : value[wrapper]
  if (isObject(inner)) return inner
  const reading = typeof inner === 'string' ? readJson(inner) : undefined
  return reading?.ok && isObject(reading.value) ? reading.value : value
}

/** Only into a parameter that was not given, only from a name that is no parameter itself. */
function renameAliases(value: Record<string, unknown>, properties: Properties): Record<string, unknown> {
  const taken = new Map<string, string>()
  for (const parameter of Object.keys(properties)) {
    if (parameter in value) continue
    const alias = Object.keys(value).find(
      (key) => !(key in properties) && !taken.has(key) && isNameOf(parameter, key),
    )
    if (alias !== undefined) taken.set(alias, parameter)
  }
  if (taken.size === 0) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [taken.get(key) ?? key, inner]))
}

/** `{"path": {"type": "string", "value": "a"}}`: a value in the form of its description. */
function plainValues(value: Record<string, unknown>, properties: Properties): Record<string, unknown> {
  const inner = (key: string, given: unknown): unknown => {
    const property = properties[key]
    if (!isObject(given) || !isObject(property) || typesOf(property).includes('object')) return given
    return given['value'] ?? given[key] ?? given
  }
  const entries = Object.entries(value).map(([key, given]) => [key, inner(key, given)] as const)
  return entries.some(([key, given]) => given !== value[key]) ? Object.fromEntries(entries) : value
}

/** An optional argument that is no text and was left blank was not given. */
function withoutBlanks(value: Record<string, unknown>, schema: JsonSchema): Record<string, unknown> {
  const isBlank = ([key, inner]: [string, unknown]): boolean => {
    const property = propertiesOf(schema)[key]
    if (inner !== '' || !isObject(property) || requiredOf(schema).includes(key)) return false
    const types = typesOf(property)
    return types.length > 0 && !types.includes('string')
  }
  const entries = Object.entries(value)
  return entries.some(isBlank) ? Object.fromEntries(entries.filter((entry) => !isBlank(entry))) : value
}

/** Another name for it, or its own with what a signature writes around it: `path:string`, `--path`, `path?`. */
function isNameOf(parameter: string, key: string): boolean {
  const name = key.replace(/(?<=\w)\s*[:(?=].*$/s, '').replace(/[^\p{L}\p{N}_.-]/gu, '')
  return meansParameter(name, parameter) || foldName(name) === foldName(parameter)
}

/** Unknown arguments are dropped, even where a tool's schema is strict about them. */
function parse(schema: z.ZodType, value: unknown): z.ZodSafeParseResult<unknown> {
  const parsed = schema.safeParse(value)
  const extra = parsed.error?.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : [],
  )
  if (!extra?.length || !isObject(value)) return parsed
  return schema.safeParse(Object.fromEntries(Object.entries(value).filter(([key]) => !extra.includes(key))))
}

const MOST_KEYS = 8

/** A model that is not told goes on to rely on what had no effect. */
function ignoredText(
  name: string,
  { given, taken }: { readonly given: unknown; readonly taken: unknown },
  schema: JsonSchema,
): string | undefined {
  if (!isObject(given) || !isObject(taken)) return undefined
  const known = Object.keys(propertiesOf(schema))
  const unknown = Object.keys(given).filter(
    (key) => !(key in taken) && !known.includes(key) && given[key] !== null && given[key] !== undefined,
  )
  if (unknown.length === 0) return undefined
  const keys = unknown.slice(0, MOST_KEYS).map((key) => clip(key, 40))
  return `[ignored: ${keys.join(', ')}; ${name} takes ${known.join(', ') || 'no arguments'}]`
}

const explainText = (name: string, reason: string, schema: JsonSchema): string =>
  `${name}: the arguments cannot be read (${reason}). Send one JSON object, for example ${exampleOf(schema)}`

const MOST_ISSUES = 3

function explainIssues(name: string, error: z.ZodError, schema: JsonSchema): string {
  const issues = error.issues.slice(0, MOST_ISSUES).map((issue) => explainIssue(issue, schema))
  return `${name}: ${issues.join('; ')}. For example ${exampleOf(schema)}`
}

function explainIssue({ path, message }: z.core.$ZodIssue, schema: JsonSchema): string {
  const [name] = path
  if (name === undefined) return `the arguments must be one JSON object (${message})`
  const property = propertiesOf(schema)[String(name)]
  const about = isObject(property) ? ` (${describe(property)})` : ''
  return `argument "${path.map(String).join('.')}"${about}: ${message}`
}

function describe(property: JsonSchema): string {
  const { enum: words, description } = property
  const type = Array.isArray(words)
    ? `one of ${words.join(', ')}`
    : typesOf(property).join(' or ') || 'any value'
  return typeof description === 'string' ? `${type}: ${description}` : type
}

/** A call that would work: every required argument with a likely value. */
const exampleOf = (schema: JsonSchema): string =>
  JSON.stringify(
    Object.fromEntries(
      requiredOf(schema).map((name) => [name, samples[name] ?? sampleOf(propertiesOf(schema)[name])]),
    ),
  )

const samples: { readonly [parameter: string]: unknown } = {
  path: 'src/app.ts',
  content: 'first line\nsecond line\n',
  old: 'the exact text as it is in the file',
  new: 'the text to put there',
  command: 'npm test',
  pattern: 'TODO',
  query: 'where is the port read',
  url: 'https://example.org',
  code: 'print(1 + 1)',
}

function sampleOf(property: unknown): unknown {
  if (!isObject(property)) return 'text'
  const { enum: words, items } = property
  if (Array.isArray(words)) return words[0] as unknown
  const [type] = typesOf(property)
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  if (type === 'array') return [sampleOf(items)]
  return type === 'object' ? JSON.parse(exampleOf(property)) : 'text'
}

type Properties = Record<string, unknown>

const propertiesOf = (schema: JsonSchema): Properties =>
  isObject(schema['properties']) ? schema['properties'] : {}

const requiredOf = (schema: JsonSchema): readonly string[] =>
  Array.isArray(schema['required'])
    ? schema['required'].filter((name): name is string => typeof name === 'string')
    : []
