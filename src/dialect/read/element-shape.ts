/** Writing nested elements behind a prefix (MiniMax M3). Names that are no tags make the call fall back to JSON. */
import type { ToolSchema } from '../../protocol/model.ts'
import { isObject } from '../../lib/json.ts'
import { isString } from '../grammar/rules.ts'
import type { Rules } from '../grammar/rules.ts'
import type { Shape } from './shape.ts'
import { jsonShape, objectOf } from './shape.ts'
import { propertiesOf, requiredOf } from './tool-book.ts'

export function elementShape(prefix: string): Shape {
  const open = `${prefix}<tool_call>\n`
  const close = `\n${prefix}</tool_call>`
  const json = jsonShape({ open, close })
  return {
    trigger: open.trimEnd(),
    write(call) {
      const inner = elements(objectOf(call.input), prefix)
      if (inner === undefined) return json.write(call)
      return `${open}${prefix}<invoke name="${call.name}">${inner}${prefix}</invoke>${close}`
    },
    grammar(tool, rules) {
      const required = requiredOf(tool)
      const list = Object.entries(propertiesOf(tool)).map(([key, schema]) => {
        const rule = elementRule(tool, { key, isText: isString(schema), prefix }, rules)
        return required.includes(key) ? rule : `(${rule})?`
      })
      const start = rules.literal(`${open}${prefix}<invoke name="${tool.name}">`)
      return [start, ...list, rules.literal(`${prefix}</invoke>${close}`)].join(' ')
    },
  }
}

function elements(value: Record<string, unknown>, prefix: string): string | undefined {
  const parts = Object.entries(value).map(([key, inner]) => element(key, inner, prefix))
  return parts.includes(undefined) ? undefined : parts.join('')
}

function element(name: string, value: unknown, prefix: string): string | undefined {
  const inner = content(value, prefix)
  return inner === undefined || !/^[\w.-]+$/.test(name)
    ? undefined
    : `${prefix}<${name}>${inner}${prefix}</${name}>`
}

function content(value: unknown, prefix: string): string | undefined {
  if (typeof value === 'string') return value.includes(prefix) || value.includes('</') ? undefined : value
  if (isObject(value)) return elements(value, prefix)
  if (!Array.isArray(value)) return JSON.stringify(value)
  const parts = value.map((item) => element('item', item, prefix))
  return parts.includes(undefined) ? undefined : parts.join('')
}

function elementRule(
  tool: ToolSchema,
  { key, isText, prefix }: { key: string; isText: boolean; prefix: string },
  rules: Rules,
): string {
  const text = () => rules.known(tool.name, key, 'bare') ?? rules.textUntil(prefix)
  const value = isText ? text() : rules.json(tool, key)
  return `${rules.literal(`${prefix}<${key}>`)} ${value} ${rules.literal(`${prefix}</${key}>`)}`
}
