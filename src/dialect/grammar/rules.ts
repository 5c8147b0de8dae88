/**
 * JSON schemas as GBNF rules. A subset on purpose: what llama.cpp refuses or blows up on (pattern, format, long length
 * limits, recursive references) is made simpler, never wrong: the grammar may allow more than the schema. The result is
 * validated afterwards all the same.
 */
import type { KnownValues } from '../../protocol/known-values.ts'
import type { JsonSchema, ToolSchema } from '../../protocol/model.ts'
import { isObject } from '../../lib/json.ts'
import { typesOf } from '../../lib/schema.ts'
import { type FreeText, trieRule } from './value-trie.ts'

const MAX_DEPTH = 12
/** Repetitions are expanded; beyond these the limit is left to validation. */
const MAX_LENGTH = 64
const MAX_ITEMS = 16

const BASE: Readonly<Record<string, string>> = {
  space: '[ \\t\\n]{0,20}',
  boolean: '"true" | "false"',
  null: '"null"',
  integer: '"-"? ("0" | [1-9] [0-9]{0,15})',
  number: '"-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,3})?',
  char: '[^"\\\\\\x7F\\x00-\\x1F] | "\\\\" (["\\\\/bfnrt] | "u" [0-9a-fA-F]{4})',
  string: '"\\"" char* "\\""',
  value: 'object | array | string | number | boolean | null',
  object:
    '"{" space (string space ":" space value (space "," space string space ":" space value)*)? space "}"',
  array: '"[" space (value (space "," space value)*)? space "]"',
}

const USED: Readonly<Record<string, readonly string[]>> = {
  string: ['char'],
  value: ['object', 'array', 'string', 'number', 'boolean', 'null'],
  object: ['space', 'string', 'value'],
  array: ['space', 'value'],
}

const FREE: Readonly<Record<'json' | 'bare', FreeText>> = {
  json: { name: '[^"\\\\/\\x7F\\x00-\\x1F]{1,100}', rest: '[^"\\\\\\x7F\\x00-\\x1F]{1,200}' },
  bare: { name: '[^<>|"/\\x7F\\x00-\\x1F]{1,100}', rest: '[^<>|"\\x7F\\x00-\\x1F]{1,200}' },
}

export const isString = (schema: unknown): boolean => {
  const types = isObject(schema) ? typesOf(schema) : []
  return types.length === 0 || types.includes('string')
}

export class Rules {
  readonly #rules = new Map<string, string>()
  readonly #values: KnownValues | undefined

  constructor(values?: KnownValues) {
    this.#values = values
  }

  toGrammar(root: string): string {
    return (
      [`root ::= ${root}`, ...[...this.#rules].map(([name, body]) => `${name} ::= ${body}`)].join('\n') + '\n'
    )
  }

  literal(text: string): string {
    if (text === '') return ''
    const escaped = text
      .replaceAll('\\', '\\\\')
      .replaceAll('"', '\\"')
      .replaceAll('\n', '\\n')
      .replaceAll('\r', '\\r')
    return `"${escaped.replaceAll('\t', '\\t')}"`
  }

  /** The arguments of a tool, or one of them, as JSON. */
  json(tool: ToolSchema, key?: string): string {
    const known = key === undefined ? undefined : this.known(tool.name, key, 'json')
    if (known !== undefined) return known
    const root = tool.parameters
    const properties = isObject(root['properties']) ? root['properties'] : {}
    const property = key === undefined ? undefined : properties[key]
    const schema = key === undefined ? { type: 'object', ...root } : isObject(property) ? property : {}
    const name = this.#name(key === undefined ? tool.name : `${tool.name}-${key}`)
    return this.define(name, this.#schema(schema, { root, name, depth: 0, tool: tool.name }))
  }

  /** What an argument may be where the world says so; undefined where only its schema does. */
  known(tool: string, key: string, form: 'json' | 'bare'): string | undefined {
    const use = this.#values?.uses[`${tool}.${key}`]
    const rule = use === undefined ? undefined : this.#set(use, form)
    if (rule === undefined || form === 'bare') return rule
    return this.define(`known-${use}`, `"\\"" ${rule} "\\""`)
  }

  /** The rule of a set, made once; undefined where nothing is in it. */
  #set(set: string, form: 'json' | 'bare'): string | undefined {
    const values = this.#values?.sets[set]
    const name = `values-${form}-${set}`
    if (!values || this.#rules.has(name)) return values && name
    let count = 0
    const own = trieRule(values, {
      // Rules of their own: a repetition is expanded wherever it is written out.
      free: {
        name: this.define(`free-name-${form}`, FREE[form].name),
        rest: this.define(`free-rest-${form}`, FREE[form].rest),
      },
      write: (text) => (form === 'json' ? JSON.stringify(text).slice(1, -1) : text),
      literal: (text) => this.literal(text),
      define: (body) => this.define(`${name}-${count++}`, body),
    })
    const ways = [own, ...(values.also ?? []).map((other) => this.#set(other, form))].filter(Boolean)
    return ways.length === 0 ? undefined : this.define(name, ways.join(' | '))
  }

  /** Any text without `stop` in it: one rule for every part of `stop` that may just have been seen. */
  textUntil(stop: string): string {
    const name = this.#name(`text-until-${stop}`)
    if (this.#rules.has(name)) return name
    const rule = (seen: number): string => (seen === 0 ? name : `${name}-${seen}`)
    for (let seen = 0; seen < stop.length; seen++) {
      const ways = waysOn(stop, seen)
      const on = ways.flatMap(([char, next]) =>
        next === stop.length ? [] : [`${this.literal(char)} ${rule(next)}`],
      )
      const other = `[^${ways.map(([char]) => escapeClass(char)).join('')}] ${name}`
      this.define(rule(seen), `(${[...on, other].join(' | ')})?`)
    }
    return name
  }

  /** All of `required`, any of `optional` in their order, separated by commas. */
  sequence(required: readonly string[], optional: readonly string[]): string {
    const comma = this.literal(', ')
    const tail = optional.map((item) => `(${comma} ${item})?`).join(' ')
    if (required.length > 0) return [required.join(` ${comma} `), tail].filter(Boolean).join(' ')
    const starts = optional.map((item, index) =>
      [item, ...optional.slice(index + 1).map((next) => `(${comma} ${next})?`)].join(' '),
    )
    return starts.length === 0 ? '' : `(${starts.join(' | ')})?`
  }

  define(name: string, body: string): string {
    this.#rules.set(name, body)
    return name
  }

  #base(name: string): string {
    if (this.#rules.has(name)) return name
    this.#rules.set(name, BASE[name] ?? '')
    for (const used of USED[name] ?? []) this.#base(used)
    return name
  }

  #name(text: string): string {
    const clean = text.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-+|-+$/g, '')
    return `r-${clean}${clean === text ? '' : `-${checksum(text)}`}`
  }

  #schema(schema: JsonSchema, at: Position): string {
    if (at.depth > MAX_DEPTH) return this.#base('value')
    const reference = schema['$ref']
    if (typeof reference === 'string') return this.#reference(reference, at)
    const values = 'const' in schema ? [schema['const']] : schema['enum']
    if (Array.isArray(values) && values.length > 0) {
      return `(${values.map((value) => this.literal(JSON.stringify(value) ?? 'null')).join(' | ')})`
    }
    const alternatives = [schema['anyOf'], schema['oneOf']].flat().filter(isObject)
    if (alternatives.length > 0) return this.#either(alternatives, at)
    const types = typesOf(schema)
    if (types.length > 1)
      return this.#either(
        types.map((type) => ({ ...schema, type })),
        at,
      )
    return this.#typed(types[0] ?? (isObject(schema['properties']) ? 'object' : ''), schema, at)
  }

  #either(schemas: readonly JsonSchema[], at: Position): string {
    const list = schemas.map((schema, index) => this.#schema(schema, deeper(at, String(index))))
    return `(${list.join(' | ')})`
  }

  #typed(type: string, schema: JsonSchema, at: Position): string {
    if (type === 'object') return this.#object(schema, at)
    if (type === 'array') return this.#array(schema, at)
    if (type === 'string') return this.#string(schema)
    return this.#base(type in BASE ? type : 'value')
  }

  #object(schema: JsonSchema, at: Position): string {
    const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : []
    if (properties.length === 0) return 'properties' in schema ? this.literal('{}') : this.#base('object')
    const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []
    const member = ([key, inner]: [string, unknown]): string => {
      const known = at.tool === undefined ? undefined : this.known(at.tool, key, 'json')
      const value = known ?? this.#schema(isObject(inner) ? inner : {}, deeper(at, key))
      return `${this.literal(`${JSON.stringify(key)}: `)} ${value}`
    }
    const members = this.sequence(
      properties.filter(([key]) => required.includes(key)).map(member),
      properties.filter(([key]) => !required.includes(key)).map(member),
    )
    return this.define(`${at.name}-o`, `"{" ${members} "}"`)
  }

  #array(schema: JsonSchema, at: Position): string {
    const item = this.#schema(isObject(schema['items']) ? schema['items'] : {}, deeper(at, 'item'))
    const least = limit(schema['minItems'], 0)
    const most = limit(schema['maxItems'], Number.POSITIVE_INFINITY)
    const rest = repeat(`(", " ${item})`, Math.max(0, least - 1), most - 1)
    const list = most === 0 ? '' : least > 0 ? `${item} ${rest}` : `(${item} ${rest})?`
    return this.define(`${at.name}-a`, `"[" ${list} "]"`)
  }

  #string(schema: JsonSchema): string {
    const least = limit(schema['minLength'], 0)
    const most = limit(schema['maxLength'], Number.POSITIVE_INFINITY)
    if (most > MAX_LENGTH && least === 0) return this.#base('string')
    const char = this.#base('char')
    return `"\\"" ${char}${most > MAX_LENGTH ? `{${Math.min(least, MAX_LENGTH)},}` : `{${Math.min(least, most)},${most}}`} "\\""`
  }

  /** Only references into the same schema; one that leads back to itself is any value. */
  #reference(reference: string, at: Position): string {
    const path = reference.startsWith('#/') ? reference.slice(2).split('/') : ['']
    const target = path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), at.root)
    if (!isObject(target) || at.seen?.includes(reference)) return this.#base('value')
    return this.#schema(target, { ...deeper(at, path.at(-1) ?? ''), seen: [...(at.seen ?? []), reference] })
  }
}

/** The characters that go on in `stop` after its first `seen` characters, and how many of it are seen then. */
function waysOn(stop: string, seen: number): [string, number][] {
  const ways = new Map<string, number>()
  for (const char of new Set(stop)) {
    const text = stop.slice(0, seen) + char
    let next = Math.min(text.length, stop.length)
    while (next > 0 && !text.endsWith(stop.slice(0, next))) next--
    if (next > 0) ways.set(char, next)
  }
  return [...ways]
}

type Position = {
  /** Only at the arguments themselves. */
  readonly tool?: string
  readonly root: JsonSchema
  readonly name: string
  readonly depth: number
  readonly seen?: readonly string[]
}

const deeper = (at: Position, key: string): Position => ({
  root: at.root,
  ...(at.seen && { seen: at.seen }),
  name: `${at.name}-${key.replace(/[^A-Za-z0-9]+/g, '') || 'x'}`,
  depth: at.depth + 1,
})

const limit = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : otherwise

function repeat(item: string, least: number, most: number): string {
  if (most > MAX_ITEMS) return `${item}${least > 0 ? `{${Math.min(least, MAX_ITEMS)},}` : '*'}`
  return most <= 0 ? '' : `${item}{${Math.min(least, most)},${most}}`
}

const escapeClass = (char: string): string => char.replace(/[\]\\^-]/, '\\$&').replace('\n', '\\n')

function checksum(text: string): string {
  let sum = 0
  for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) >>> 0
  return sum.toString(36)
}
