/** Argument values written as bare text between tags: what they are is for the schema to say. */
import type { JsonSchema } from '../../protocol/model.ts'
import { isObject, readJson } from '../../lib/json.ts'
import { coerce, typesOf } from '../../lib/schema.ts'
import { isTooDeep } from './repair.ts'

export type CastRules = {
  readonly schema: JsonSchema | undefined
  /** Attributes of the tag; `string="true"` and `type="number"` say what the schema may not. */
  readonly attributes?: string
  /** A parameter the schema does not know is read as JSON where that is possible. */
  readonly json?: boolean
}

export function castValue(text: string, { schema, attributes = '', json = false }: CastRules): unknown {
  if (/\bstring\s*=\s*["']?true/.test(attributes)) return text
  const types = schema ? typesOf(schema) : []
  if (types.length === 0) return json || saysJson(attributes) ? unwrap(jsonValue(text) ?? text) : text
  if (types.every((type) => type === 'string')) return text
  const value = jsonValue(text)
  if (types.includes('string'))
    return value !== undefined && isOneOf(typeOf(value), types) ? unwrap(value) : text
  if (value !== undefined) return unwrap(value)
  return coerce(looseValue(text), schema ?? {}).value
}

/** A longer list or object that is no JSON is not worth a repair. */
const MAX_LOOSE = 20_000

/** Distinguishes JSON `null` from "no JSON here". */
const NULL = Symbol('null')

function jsonValue(text: string): unknown {
  const trimmed = text.trim()
  if (/^(?:null|None)$/.test(trimmed)) return NULL
  try {
    const value: unknown = JSON.parse(trimmed)
    return isTooDeep(value) ? undefined : value
  } catch {
    return undefined
  }
}

const unwrap = (value: unknown): unknown => (value === NULL ? null : value)

/** Python literals, single quotes and the like, for values that must not be strings. */
function looseValue(text: string): unknown {
  if (text.length > MAX_LOOSE) return text
  const reading = readJson(text)
  return reading.ok && (isObject(reading.value) || Array.isArray(reading.value)) ? reading.value : text
}

const saysJson = (attributes: string): boolean =>
  /\bstring\s*=\s*["']?false/.test(attributes) || /\btype\s*=\s*["']?(?!string)\w/.test(attributes)

const isOneOf = (type: string, types: readonly string[]): boolean =>
  types.includes(type) || (type === 'integer' && types.includes('number'))

function typeOf(value: unknown): string {
  if (value === NULL) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number' && Number.isInteger(value)) return 'integer'
  return typeof value
}
