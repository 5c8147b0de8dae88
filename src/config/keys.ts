/**
 * The schema seen from outside: which keys there are, what each expects, which are secret. Read from its JSON schema,
 * which is documented and stable, rather than from the insides of zod. Keys of a user's choice show as `<id>`.
 */
import { z } from 'zod'
import { isObject } from '../lib/json.ts'
import { once } from '../lib/once.ts'
import { typesOf } from '../lib/schema.ts'
import type { JsonSchema } from '../protocol/model.ts'
import { Config } from './schema.ts'
import type { KeyPath } from './tree.ts'

export const configJsonSchema = once((): JsonSchema =>
  z.toJSONSchema(Config, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  }),
)

type Key = { readonly path: KeyPath; readonly schema: JsonSchema }

/** Every key that can hold a value, in the order of the schema. */
export function listKeys(schema: JsonSchema = configJsonSchema(), path: KeyPath = []): Key[] {
  const below = [...Object.entries(propertiesOf(schema)), ...openEntry(schema)]
  if (below.length === 0) return [{ path, schema }]
  return below.flatMap(([name, inner]) => listKeys(inner, [...path, name]))
}

/** The schema of one key. Where users choose names, any name is found, and in a list any number. */
export function findSchema(path: KeyPath): JsonSchema | undefined {
  return path.reduce<JsonSchema | undefined>(
    (schema, name) => schema && childOf(schema, name),
    configJsonSchema(),
  )
}

export function childOf(schema: JsonSchema, name: string): JsonSchema | undefined {
  const properties = propertiesOf(schema)
  if (Object.hasOwn(properties, name)) return properties[name]
  const { items } = schema
  return isObject(items) && /^\d+$/.test(name) ? items : openEntry(schema)[0]?.[1]
}

export const propertiesOf = (schema: JsonSchema): Record<string, JsonSchema> =>
  isObject(schema['properties']) ? (schema['properties'] as Record<string, JsonSchema>) : {}

/** Whether users choose the names in this table. */
export const isOpen = (schema: JsonSchema): boolean => openEntry(schema).length > 0

function openEntry(schema: JsonSchema): [string, JsonSchema][] {
  const { additionalProperties: inner, propertyNames: names } = schema
  if (!isObject(inner)) return []
  const word = isObject(names) && typeof names['description'] === 'string' ? names['description'] : 'name'
  return [[`<${word}>`, inner]]
}

export const isSecret = (path: KeyPath): boolean => findSchema(path)?.['writeOnly'] === true

/** What a key is for; an entry with a name of the user's choice is explained by its table. */
export function meaningOf(path: KeyPath): string {
  const description = findSchema(path)?.['description'] ?? findSchema(path.slice(0, -1))?.['description']
  return typeof description === 'string' ? description : ''
}

/** What a value must be, in words that complete "must be". */
export function expectedOf(schema: JsonSchema): string {
  const { enum: choices, format } = schema
  if (Array.isArray(choices)) return `one of ${choices.join(', ')}`
  if (format === 'uri') return 'an http or https address'
  if (format === 'path') return 'a path'
  const [type = 'anything'] = typesOf(schema)
  return `${words[type] ?? type}${limitsOf(schema)}`
}

function limitsOf({ minimum, maximum, exclusiveMinimum, minLength, minItems }: JsonSchema): string {
  if (minLength !== undefined || minItems !== undefined) return ' that is not empty'
  const above = exclusiveMinimum === undefined ? '' : ` above ${exclusiveMinimum}`
  if (maximum === undefined) return minimum === undefined ? above : ` of at least ${minimum}`
  return minimum === undefined ? `${above} up to ${maximum}` : ` from ${minimum} to ${maximum}`
}

const words: Readonly<Record<string, string>> = {
  string: 'text in quotes',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'a table',
  array: 'a list',
}
