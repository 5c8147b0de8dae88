/**
 * The shapes of calls, for writing them and for grammars that allow nothing else. A shape is made from its markers;
 * the same markers, as sections and items, are what the reader looks for.
 */
import type { ToolCall } from '../../protocol/message.ts'
import type { ToolSchema } from '../../protocol/model.ts'
import { isObject } from '../../lib/json.ts'
import { isString } from '../grammar/rules.ts'
import type { Rules } from '../grammar/rules.ts'
import type { TagShape } from './tagged.ts'
import { propertiesOf, requiredOf } from './tool-book.ts'

export interface Shape {
  /** What every call begins with: where a lazy grammar starts. */
  readonly trigger: string
  write(call: Pick<ToolCall, 'id' | 'name' | 'input'>): string
  /** One call of `tool`, as an expression of the grammar. */
  grammar(tool: ToolSchema, rules: Rules): string
}

type Wrapped = { readonly open: string; readonly close: string }

/** `{"name": ..., "arguments": {...}}` between markers, alone or as a list of one. */
export function jsonShape(
  options: Partial<Wrapped> & {
    readonly list?: boolean
    readonly nameKey?: string
    readonly argumentsKey?: string
  },
): Shape {
  const { open = '', close = '', list = false, nameKey = 'name', argumentsKey = 'arguments' } = options
  const before = (name: string): string =>
    `${open}${list ? '[' : ''}{"${nameKey}": ${JSON.stringify(name)}, "${argumentsKey}": `
  const after = `}${list ? ']' : ''}${close}`
  return {
    trigger: open.trimEnd() || `{"${nameKey}":`,
    write: ({ name, input }) => before(name) + objectText(input) + after,
    grammar: (tool, rules) =>
      [rules.literal(before(tool.name)), rules.json(tool), rules.literal(after)].join(' '),
  }
}

/** `{"read_file": {...}}`: the name is the key. */
export function keyedShape({ open, close }: Wrapped): Shape {
  const before = (name: string): string => `${open}{${JSON.stringify(name)}: `
  return {
    trigger: open,
    write: ({ name, input }) => `${before(name)}${objectText(input)}}${close}`,
    grammar: (tool, rules) =>
      [rules.literal(before(tool.name)), rules.json(tool), rules.literal(`}${close}`)].join(' '),
  }
}

/** The name between two markers, JSON behind it. */
export function namedShape({ open, between, close }: Wrapped & { readonly between: string }): Shape {
  return {
    trigger: open,
    write: ({ name, input }) => `${open}${name}${between}${objectText(input)}${close}`,
    grammar: (tool, rules) =>
      [rules.literal(open + tool.name + between), rules.json(tool), rules.literal(close)].join(' '),
  }
}

/**
 * Tagged arguments. Bare text cannot hold its own closing tags; a call with such a value is written as JSON between the
 * outer markers, which every section reads too.
 */
export function taggedShape(
  tags: TagShape,
  { open, close, inline = false }: Wrapped & { readonly inline?: boolean },
): Shape {
  const json = jsonShape({ open, close })
  const call = { open: tags.call?.open ?? '', end: tags.call?.end ?? '', close: tags.call?.close ?? '' }
  const header = (name: string): string => `${open}${call.open}${quotedName(call.open, name)}${call.end}\n`
  const before = (key: string, value: unknown): string =>
    `${tags.key.open}${quotedName(tags.key.open, key)}${attributesFor(tags, value)}${tags.key.end}${valueOpen(tags)}`
  // A reader that drops one newline on each side must be given one to drop.
  const pad = (text: string): string => (tags.padded && (!inline || /^[\r\n]|[\r\n]$/.test(text)) ? '\n' : '')
  const argument = (key: string, value: unknown): string => {
    const text = toText(value, tags)
    return `${before(key, value)}${pad(text)}${text}${pad(text)}${tags.value.close}\n`
  }
  return {
    trigger: open.trimEnd() || call.open,
    write(written) {
      const entries = Object.entries(objectOf(written.input))
      if (entries.some(([key, value]) => !fits(key, value, tags, close))) return json.write(written)
      const list = entries.map(([key, value]) => argument(key, value))
      return `${header(written.name)}${list.join('')}${call.close}${close}`
    },
    grammar(tool, rules) {
      const rule = (key: string, schema: unknown): string => {
        const isText = isString(schema)
        const text = () => rules.known(tool.name, key, 'bare') ?? rules.textUntil(pad('') + tags.value.close)
        const value = isText ? text() : rules.json(tool, key)
        const start = rules.literal(before(key, isText ? '' : 0) + pad(''))
        return `${start} ${value} ${rules.literal(`${pad('')}${tags.value.close}\n`)}`
      }
      const required = requiredOf(tool)
      const list = Object.entries(propertiesOf(tool)).map(([key, schema]) =>
        required.includes(key) ? rule(key, schema) : `(${rule(key, schema)})?`,
      )
      return [rules.literal(header(tool.name)), ...list, rules.literal(call.close + close)].join(' ')
    },
  }
}

const valueOpen = (tags: TagShape): string => (tags.value.open === undefined ? '' : `\n${tags.value.open}`)

/** `name=` is followed by a quoted name, `<function=` by a bare one. */
const quotedName = (open: string, name: string): string => (/\s\w+=$/.test(open) ? `"${name}"` : name)

function attributesFor(tags: TagShape, value: unknown): string {
  if (tags.attributes === 'string') return ` string="${typeof value === 'string'}"`
  if (tags.attributes === 'type') return ` type="${Array.isArray(value) ? 'array' : typeof value}"`
  return ''
}

function fits(key: string, value: unknown, tags: TagShape, close: string): boolean {
  if (!/^[\w.$-]+$/.test(key)) return false
  if (tags.cdata) return true
  const text = toText(value, tags)
  const structure = [
    tags.value.close,
    tags.key.open,
    tags.call?.close ?? '',
    close.trim(),
    tags.call?.open ?? '',
  ]
  return !structure.some((tag) => tag !== '' && text.includes(tag))
}

function toText(value: unknown, tags: TagShape): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return tags.cdata && /[<>&]/.test(text) ? `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>` : text
}

/** `read_file(path="a")`, with JSON where a name is no Python name. */
export function pythonShape({ open, close }: Wrapped): Shape {
  const json = jsonShape({ open, close })
  return {
    trigger: open,
    write(call) {
      const entries = Object.entries(objectOf(call.input))
      const isPython =
        /^[A-Za-z_][\w.]*$/.test(call.name) && entries.every(([key]) => /^[A-Za-z_]\w*$/.test(key))
      if (!isPython) return json.write(call)
      const list = entries.map(([key, value]) => `${key}=${pythonText(value)}`)
      return `${open}${call.name}(${list.join(', ')})${close}`
    },
    grammar(tool, rules) {
      const list = Object.keys(propertiesOf(tool)).map(
        (key) => [key, `${rules.literal(`${key}=`)} ${rules.json(tool, key)}`] as const,
      )
      const required = requiredOf(tool)
      return [
        rules.literal(`${open}${tool.name}(`),
        rules.sequence(
          list.filter(([key]) => required.includes(key)).map(([, text]) => text),
          list.filter(([key]) => !required.includes(key)).map(([, text]) => text),
        ),
        rules.literal(`)${close}`),
      ]
        .filter(Boolean)
        .join(' ')
    },
  }
}

function pythonText(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(pythonText).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${pythonText(inner)}`)
    .join(', ')}}`
}

/** The arguments as they were written; an object in any case. */
const objectText = (input: string): string => (isObject(parse(input)) ? input.trim() : '{}')

export function objectOf(input: string): Record<string, unknown> {
  const value = parse(input)
  return isObject(value) ? value : {}
}

function parse(input: string): unknown {
  try {
    return JSON.parse(input) as unknown
  } catch {
    return undefined
  }
}
