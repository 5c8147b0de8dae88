/**
 * JSON schemas of tools: made small for the wire, and used to bend nearly right arguments into shape. Coercion only
 * changes how a value is written (a number in a string, one value for a list), never what it says.
 */
import { z } from 'zod'
import type { JsonSchema, ToolSchema } from '../protocol/model.ts'
import type { Tool } from '../protocol/tool.ts'
import { isObject, readJson } from './json.ts'
import { resolveName } from './nearest.ts'

/** What the model is told about a tool: no `$schema`, no `additionalProperties`, no limits of integers. */
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
    const result = isObject(property) ? coerce(inner, property) : { value: inner, changed: false }
    if (name !== key || result.changed) changed = true
    return [[name, result.value] as const]
  })
  return { value: changed ? Object.fromEntries(entries) : value, changed }
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
