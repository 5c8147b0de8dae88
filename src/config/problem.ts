/** What is wrong with a value, in words that name what is expected instead. What may hold a secret is never quoted. */
import type { z } from 'zod'
import { nearest } from '../lib/nearest.ts'
import { typesOf } from '../lib/schema.ts'
import { expectedOf, findSchema, isSecret, listKeys, propertiesOf } from './keys.ts'
import { holdsSecret } from './mask.ts'
import { formatKey, valueAt, type KeyPath, type Table } from './tree.ts'

/** `message` goes on after the key: "must be true or false, not 3". */
type Problem = { readonly path: KeyPath; readonly message: string }

export function describeIssue(issue: z.core.$ZodIssue, values: Table): Problem[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey([...path, key]))
  const schema = findSchema(path)
  if (!schema) return [{ path, message: issue.message }]
  const value = valueAt(values, path)
  if (value === undefined) return [{ path, message: `is missing; it must be ${expectedOf(schema)}` }]
  // Where the schema has words of its own, they know better what is wrong with a text.
  const rule = issue.message.startsWith('must be ') ? issue.message : `must be ${expectedOf(schema)}`
  const expected = `${rule}, not ${shown(value, path)}`
  const guess = typeof value === 'string' ? nearest(value, choicesOf(schema['enum'])) : undefined
  return [{ path, message: guess ? `${expected}; did you mean ${guess}?` : expected }]
}

/** The nearest neighbour, else the same name in another table, else all neighbours. */
function unknownKey(path: KeyPath): Problem {
  const parent = path.slice(0, -1)
  const name = path.at(-1) ?? ''
  const neighbours = Object.keys(propertiesOf(findSchema(parent) ?? {}))
  const close = nearest(name, neighbours)
  const elsewhere = listKeys().find((key) => key.path.at(-1) === name)?.path
  const guess = close === undefined ? elsewhere : [...parent, close]
  const hint = guess ? `did you mean ${formatKey(guess)}?` : `known here: ${neighbours.join(', ')}`
  return { path, message: `is not a key; ${hint}` }
}

const choicesOf = (choices: unknown): string[] =>
  Array.isArray(choices) ? choices.filter((choice) => typeof choice === 'string') : []

const LONGEST_SHOWN = 60

function shown(value: unknown, path: KeyPath): string {
  const kind = kindOf(value)
  if (typeof value === 'object' || isSecret(path) || mayHoldSecret(path)) return kind
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > LONGEST_SHOWN || holdsSecret(text) ? kind : text
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (value instanceof Date) return 'a date'
  return `a ${typeof value === 'object' ? 'table' : typeof value}`
}

/** An address, or a table or list that was written as a text: its content is unknown. */
function mayHoldSecret(path: KeyPath): boolean {
  const schema = findSchema(path) ?? {}
  const [type] = typesOf(schema)
  return schema['format'] === 'uri' || type === 'object' || type === 'array'
}
