/** A type of TypeScript as a JSON schema; `undefined` for what JSON cannot carry. */
import type { JsonSchema } from '../../protocol/model.ts'
import type { SyntaxNode } from '../../lib/syntax.ts'

export function toJsonSchema(type: SyntaxNode): JsonSchema | undefined {
  const [first] = type.namedChildren
  switch (type.type) {
    case 'predefined_type':
      return PLAIN[type.text]
    case 'literal_type':
      return literal(type.text)
    case 'parenthesized_type':
    case 'readonly_type':
      return first ? toJsonSchema(first) : undefined
    case 'array_type':
      return first ? arrayOf(first) : undefined
    case 'generic_type':
      return generic(type)
    case 'union_type':
      return union(type)
    case 'object_type':
      return objectOf(type)
    default:
      return undefined
  }
}

const PLAIN: Readonly<Record<string, JsonSchema>> = {
  string: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  any: {},
  unknown: {},
  object: { type: 'object', additionalProperties: {} },
}

function literal(text: string): JsonSchema | undefined {
  if (text === 'null') return { type: 'null' }
  if (text === 'undefined') return undefined
  const quoted = /^'(.*)'$/s.exec(text)?.[1]
  try {
    return { enum: [quoted === undefined ? (JSON.parse(text) as unknown) : quoted] }
  } catch {
    return undefined
  }
}

function arrayOf(item: SyntaxNode): JsonSchema | undefined {
  const items = toJsonSchema(item)
  return items && { type: 'array', items }
}

function generic(type: SyntaxNode): JsonSchema | undefined {
  const name = type.childForFieldName('name')?.text ?? ''
  const inner = type.childForFieldName('type_arguments')?.namedChildren ?? []
  const [first, second] = inner
  if (/^(?:Readonly)?Array$/.test(name) && first) return arrayOf(first)
  if (name === 'Readonly' && first) return toJsonSchema(first)
  if (name !== 'Record' || first?.text !== 'string' || !second) return undefined
  const values = toJsonSchema(second)
  return values && { type: 'object', additionalProperties: values }
}

/** The grammar nests unions to the left. */
function union(type: SyntaxNode): JsonSchema | undefined {
  const members: JsonSchema[] = []
  for (const node of type.namedChildren) {
    const schema = node ? toJsonSchema(node) : undefined
    if (!schema) return undefined
    members.push(...(Array.isArray(schema['anyOf']) ? (schema['anyOf'] as JsonSchema[]) : [schema]))
  }
  const isEnum = members.every((member) => Array.isArray(member['enum']))
  return isEnum ? { enum: members.flatMap((member) => member['enum']) } : { anyOf: members }
}

function objectOf(type: SyntaxNode): JsonSchema | undefined {
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  for (const member of type.namedChildren) {
    if (!member || member.type === 'comment') continue
    const name = member.childForFieldName('name')?.text
    const annotation = member.childForFieldName('type')?.namedChildren[0]
    const schema = member.type === 'property_signature' && annotation ? toJsonSchema(annotation) : undefined
    if (!schema || name === undefined) return undefined
    properties[name] = schema
    if (!member.children.some((child) => child?.type === '?')) required.push(name)
  }
  return { type: 'object', properties, required }
}
