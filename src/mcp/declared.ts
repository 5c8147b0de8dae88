/**
 * What a server says about its tools, made into something a small model can be shown and a call can be held against.
 * Everything in it is a claim of a stranger: sizes are bounded, words are clipped, and a schema is only used to catch
 * plain mistakes. No pattern of theirs is ever run, no reference followed; the server checks the rest itself.
 */
import { z } from 'zod'
import { isObject } from '../lib/json.ts'
import { typesOf } from '../lib/schema.ts'
import type { JsonSchema } from '../protocol/model.ts'
import { clipCost, toOneLine } from './words.ts'

const MAX_SCHEMA = 64 * 1024
const MAX_NESTING = 64

/** One tool as `tools/list` reports it, and as it is kept. Hints about what it does are not believed, so not read. */
export const declaredToolSchema = z.object({
  name: z.string().min(1).max(200),
  description: z.string().max(20_000).catch(''),
  inputSchema: z.record(z.string(), z.unknown()).refine(isSmall, 'is too large'),
})
export type DeclaredTool = z.output<typeof declaredToolSchema>

/** Nesting is bounded too: code that walks it later recurses once per level. */
function isSmall(schema: unknown): boolean {
  return isShallow(schema, MAX_NESTING) && JSON.stringify(schema).length <= MAX_SCHEMA
}

const isShallow = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1)))

/** About forty tokens. */
const DESCRIPTION_COST = 140

export const toDescription = ({ name, description }: Pick<DeclaredTool, 'name' | 'description'>): string =>
  clipCost(toOneLine(description) || toOneLine(name), DESCRIPTION_COST)

/** Takes what has the required arguments with the right types; all arguments are passed on as they were given. */
export function toInput({ inputSchema }: DeclaredTool): z.ZodType {
  const shown = simplify(inputSchema, 0)
  const properties = isObject(shown['properties']) ? shown['properties'] : {}
  const required = namesIn(shown['required'])
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
  const types = knownTypes(schema)
  const { description, enum: choices, items } = schema
  const isDeep = depth >= MAX_DEPTH
  const properties = isObject(schema['properties']) && !isDeep ? simplifyAll(schema['properties'], depth) : {}
  const required = namesIn(schema['required']).filter((name) => Object.hasOwn(properties, name))
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(typeof description === 'string' && { description: clipCost(toOneLine(description), 80) }),
    ...(isChoice(choices) && { enum: choices }),
    ...(isObject(items) && !isDeep && { items: simplify(items, depth + 1) }),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  }
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])
const MAX_DEPTH = 3
const MAX_CHOICES = 50
const MAX_CHOICE_LETTERS = 2_000
const MAX_PROPERTIES = 50

/** All it may be, or nothing: an alternative behind a reference may be anything. */
function knownTypes(schema: JsonSchema): readonly string[] {
  const alternatives = [schema['anyOf'], schema['oneOf']].flatMap((list) =>
    Array.isArray(list) ? (list as readonly unknown[]) : [],
  )
  const isOpen = alternatives.some((one) => !isObject(one) || typesOf(one).length === 0)
  const types = typesOf(schema)
  if ((schema['type'] === undefined && isOpen) || types.some((type) => !TYPES.has(type))) return []
  return [...new Set(types)]
}

/** A list that is not shown whole is not shown: half of it would make the other half wrong. */
const isChoice = (choices: unknown): choices is readonly unknown[] =>
  Array.isArray(choices) &&
  choices.length > 0 &&
  choices.length <= MAX_CHOICES &&
  choices.every((choice) => isPlain(choice) && isShowable(String(choice))) &&
  choices.join('').length <= MAX_CHOICE_LETTERS

const simplifyAll = (properties: Record<string, unknown>, depth: number): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => name.length <= MAX_PROPERTY_NAME && isShowable(name))
      .slice(0, MAX_PROPERTIES)
      .map(([name, inner]) => [name, isObject(inner) ? simplify(inner, depth + 1) : {}]),
  )

const MAX_PROPERTY_NAME = 64

/** Contains nothing that a terminal would interpret or not show. */
const isShowable = (text: string): boolean => !/[\p{C}\p{Zl}\p{Zp}]/u.test(text)

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
