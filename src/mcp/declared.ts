/**
 * What a server says about its tools, made into something a small model can be shown and a call can be held against.
 * Everything in it is a claim of a stranger: sizes are bounded, words are clipped, and a schema is only used to catch
 * plain mistakes. No pattern of theirs is ever run, no reference followed; the server checks the rest itself.
 */
import { z } from 'zod'
import { isObject } from '../lib/json.ts'
import { typesOf } from '../lib/schema.ts'
import { clip } from '../lib/text.ts'
import type { JsonSchema } from '../protocol/model.ts'

const MAX_SCHEMA = 64 * 1024

/** One tool as `tools/list` tells it, and as it is kept. Hints about what it does are not believed, so not read. */
export const declaredToolSchema = z.object({
  name: z.string().min(1).max(200),
  description: z.string().max(20_000).catch(''),
  inputSchema: z
    .record(z.string(), z.unknown())
    .refine((schema) => JSON.stringify(schema).length <= MAX_SCHEMA, 'the schema is too large'),
})
export type DeclaredTool = z.output<typeof declaredToolSchema>

/** About forty tokens; scripts without spaces take more of them for each letter. */
const DESCRIPTION_COST = 140

export function toDescription({ name, description }: DeclaredTool): string {
  const line = description.replace(/[\p{C}\s]+/gu, ' ').trim()
  return clipCost(line === '' ? name : line, DESCRIPTION_COST)
}

function clipCost(text: string, most: number): string {
  let cost = 0
  for (let index = 0; index < text.length; index++) {
    cost += costOf(text.charCodeAt(index))
    if (cost > most) return clip(text, Math.max(2, index))
  }
  return text
}

/** Halves of emoji cost most. */
const costOf = (code: number): number => (code < 128 ? 1 : code >= 0xd800 && code < 0xe000 ? 6 : 4)

/** Takes what has the required arguments with the right types; all arguments are passed on as they were given. */
export function toInput({ inputSchema }: DeclaredTool): z.ZodType {
  const shown = simplify(inputSchema, 0)
  const properties = isObject(shown['properties']) ? shown['properties'] : {}
  const required = namesIn(inputSchema['required']).filter((name) => Object.hasOwn(properties, name))
  return z
    .record(z.string(), z.unknown())
    .superRefine((input, context) => {
      for (const name of required) {
        if (input[name] === undefined)
          context.addIssue({ code: 'custom', path: [name], message: 'is missing' })
      }
      for (const [name, value] of Object.entries(input)) {
        const property = Object.hasOwn(properties, name) ? properties[name] : undefined
        const problem = isObject(property) ? problemOf(value, property) : undefined
        if (problem) context.addIssue({ code: 'custom', path: [name], message: problem })
      }
    })
    .meta({ type: 'object', properties, ...(required.length > 0 && { required }) })
}

/** Words and types that a model needs to write a call; what is left out may be anything. */
function simplify(schema: JsonSchema, depth: number): JsonSchema {
  const types = typesOf(schema).filter((type) => TYPES.has(type))
  const { description, enum: choices, items, properties } = schema
  const isDeep = depth >= MAX_DEPTH
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : [...new Set(types)] }),
    ...(typeof description === 'string' && { description: clipCost(description.replace(/\s+/g, ' '), 80) }),
    ...(Array.isArray(choices) && choices.length <= MAX_CHOICES && { enum: choices.filter(isPlain) }),
    ...(isObject(items) && !isDeep && { items: simplify(items, depth + 1) }),
    ...(isObject(properties) && !isDeep && { properties: simplifyAll(properties, depth) }),
    ...(depth > 0 && namesIn(schema['required']).length > 0 && { required: namesIn(schema['required']) }),
  }
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])
const MAX_DEPTH = 3
const MAX_CHOICES = 50
const MAX_PROPERTIES = 50

const simplifyAll = (properties: Record<string, unknown>, depth: number): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(properties)
      .slice(0, MAX_PROPERTIES)
      .map(([name, inner]) => [name, isObject(inner) ? simplify(inner, depth + 1) : {}]),
  )

const isPlain = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

const namesIn = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.filter((name): name is string => typeof name === 'string') : []

function problemOf(value: unknown, property: JsonSchema): string | undefined {
  const types = typesOf(property)
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return `must be ${types.join(' or ')}`
  const { enum: choices } = property
  if (Array.isArray(choices) && isPlain(value) && !choices.includes(value)) {
    return `must be one of ${choices.map(String).join(', ')}`
  }
  return undefined
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}
