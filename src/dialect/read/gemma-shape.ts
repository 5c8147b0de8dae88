/** Writing Gemma's notation: bare keys, strings between tokens. What it cannot hold is written as JSON. */
import type { ToolSchema } from '../../protocol/model.ts'
import { isObject } from '../../lib/json.ts'
import { typesOf } from '../../lib/schema.ts'
import type { Rules } from '../grammar/rules.ts'
import type { Shape } from './shape.ts'
import { jsonShape, objectOf } from './shape.ts'
import { propertiesOf, requiredOf } from './tool-book.ts'

export function gemmaShape({ open, close, quote }: { open: string; close: string; quote: string }): Shape {
  const json = jsonShape({ open, close })
  return {
    trigger: open,
    write(call) {
      const values = objectOf(call.input)
      const text = toNotation(values, quote)
      return text === undefined ? json.write(call) : `${open}call:${call.name}${text}${close}`
    },
    grammar(tool, rules) {
      const required = requiredOf(tool)
      const list = Object.entries(propertiesOf(tool)).map(([key, schema]) => {
        const member = `${rules.literal(`${key}:`)} ${valueRule(tool, { key, schema, quote }, rules)}`
        return [required.includes(key), member] as const
      })
      const members = rules.sequence(
        list.filter(([isRequired]) => isRequired).map(([, member]) => member),
        list.filter(([isRequired]) => !isRequired).map(([, member]) => member),
      )
      return [rules.literal(`${open}call:${tool.name}{`), members, rules.literal(`}${close}`)]
        .filter(Boolean)
        .join(' ')
    },
  }
}

function toNotation(value: unknown, quote: string): string | undefined {
  if (typeof value === 'string') return value.includes(quote) ? undefined : `${quote}${value}${quote}`
  if (Array.isArray(value))
    return joined(
      value.map((inner) => toNotation(inner, quote)),
      '[]',
    )
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, inner]) => {
    const text = toNotation(inner, quote)
    return text === undefined || !/^\w+$/.test(key) ? undefined : `${key}:${text}`
  })
  return joined(members, '{}')
}

const joined = (parts: readonly (string | undefined)[], [open, close]: '[]' | '{}'): string | undefined =>
  parts.includes(undefined) ? undefined : `${open}${parts.join(',')}${close}`

function valueRule(
  tool: ToolSchema,
  { key, schema, quote }: { key: string; schema: unknown; quote: string },
  rules: Rules,
): string {
  const isText = isObject(schema) && typesOf(schema).includes('string')
  if (!isText) return rules.json(tool, key)
  const text = rules.known(tool.name, key, 'bare') ?? rules.textUntil(quote)
  return `${rules.literal(quote)} ${text} ${rules.literal(quote)}`
}
