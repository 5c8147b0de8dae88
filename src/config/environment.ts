/**
 * Configuration from the environment and from flags: texts that the schema turns into numbers, booleans and, for tables
 * and lists, JSON. `COVEY_ENGINE__MAX_TURNS=5` sets `engine.max_turns`: two underscores are one level.
 */
import { isObject } from '../lib/json.ts'
import { nearest } from '../lib/nearest.ts'
import { typesOf } from '../lib/schema.ts'
import type { JsonSchema } from '../protocol/model.ts'
import { childOf, configJsonSchema, findSchema, isOpen, listKeys, propertiesOf } from './keys.ts'
import { checkLayer, type Layer, type LayerReading } from './layer.ts'
import { formatKey, mergeTables, tableOf, valueAt, type KeyPath, type Table } from './tree.ts'

const PREFIX = 'COVEY_'

/** Read by the command line on its own; not keys of the configuration. */
const RESERVED = ['BASE_URL', 'API_KEY', 'PROFILE', 'TOKEN']

/** `lower` are the values of the layers before: an arm that exists is found whatever its capitals and dashes. */
export function readEnvironment(env: NodeJS.ProcessEnv, lower: Table): LayerReading {
  const found = settings(env).map(({ name, text }) => ({ name, text, path: pathOf(name, lower) }))
  const known = found.flatMap(({ name, text, path }) => (path ? [{ name, text, path }] : []))
  const variables = new Map(known.map(({ name, path }) => [formatKey(path), PREFIX + name]))
  const layer: Layer = {
    values: known.map(({ text, path }) => tableOf(path, readText(text, path))).reduce(mergeTables, {}),
    originOf: (path) => ({ layer: 'environment', ...variableOf(path, variables) }),
  }
  const unknown = found.flatMap(({ name, path }) => (path ? [] : unknownVariable(name)))
  return { layers: [layer], problems: [...unknown, ...checkLayer(layer)] }
}

/** Flags by dotted key; a flag that was not given is `undefined`. */
export function readFlags(flags: Readonly<Record<string, unknown>>): LayerReading {
  const tables = Object.entries(flags).flatMap(([key, value]) => {
    const path = key.split('.')
    if (value === undefined) return []
    return [tableOf(path, typeof value === 'string' ? readText(value, path) : value)]
  })
  const layer: Layer = { values: tables.reduce(mergeTables, {}), originOf: () => ({ layer: 'flags' }) }
  return { layers: [layer], problems: checkLayer(layer) }
}

/** Sorted, so that a whole table given as JSON comes before its single keys, which then win. */
function settings(env: NodeJS.ProcessEnv): { name: string; text: string }[] {
  return Object.entries(env)
    .filter(([variable, text]) => variable.startsWith(PREFIX) && text)
    .map(([variable, text = '']) => ({ name: variable.slice(PREFIX.length), text }))
    .filter(({ name }) => !RESERVED.includes(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** A value inside a table given as JSON comes from the variable of the table. */
function variableOf(path: KeyPath, variables: ReadonlyMap<string, string>): { variable?: string } {
  for (let length = path.length; length > 0; length--) {
    const variable = variables.get(formatKey(path.slice(0, length)))
    if (variable) return { variable }
  }
  return {}
}

function pathOf(name: string, lower: Table): KeyPath | undefined {
  const path: string[] = []
  let schema: JsonSchema = configJsonSchema()
  for (const word of name.split('__').map((part) => part.toLowerCase())) {
    const key = isOpen(schema) ? existingName(word, valueAt(lower, path)) : word
    const child = childOf(schema, key)
    if (!child || key === '') return undefined
    path.push(key)
    schema = child
  }
  return path
}

/** Variables cannot hold dashes, dots and capitals; `QWEN_7B` means the arm `Qwen-7b` where there is one. */
function existingName(word: string, table: unknown): string {
  const names = isObject(table) ? Object.keys(table) : []
  return names.find((name) => name.toLowerCase().replace(/[^a-z0-9]/g, '_') === word) ?? word
}

/** A single word that is not a key may belong to another program, unless it looks like a typo. */
function unknownVariable(name: string): string[] {
  const guess = nearest(name, [...knownVariables(name.split('__')), ...RESERVED])
  if (guess && guess !== name) return [`${PREFIX}${name}: no such setting; did you mean ${PREFIX}${guess}?`]
  return name.includes('__')
    ? [`${PREFIX}${name}: no such setting; \`covey config explain\` lists them.`]
    : []
}

/**
 * Names of a user's choice are taken from the variable itself, so that only the rest is compared; a key that ends in
 * one would resemble anything.
 */
function knownVariables(words: readonly string[]): string[] {
  const tables = Object.keys(propertiesOf(configJsonSchema())).map((key) => [key])
  const keys = listKeys().filter(({ path }) => !path.at(-1)?.startsWith('<'))
  return [...tables, ...keys.map(({ path }) => path)].map((path) =>
    path
      .map((part, index) => (part.startsWith('<') ? (words[index] ?? part) : part.toUpperCase()))
      .join('__'),
  )
}

/**
 * Bends a text towards the schema. What does not fit stays a text, and the check of the layer says what is expected.
 */
function readText(text: string, path: KeyPath): unknown {
  const types = typesOf(findSchema(path) ?? {})
  if (types.includes('string')) return text
  if (types.includes('boolean')) return booleans.get(text.trim().toLowerCase()) ?? text
  if (types.includes('integer') || types.includes('number')) return readNumber(text)
  return readJsonText(text)
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'no', 'off', '0'].map((word) => [word, false] as const),
])

function readNumber(text: string): unknown {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : text
}

function readJsonText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
