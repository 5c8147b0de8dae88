/**
 * The model on the fake servers: it does what the last user message says. `Call NAME with {json}` makes a call; a
 * result is asked to; anything else gets a greeting. It reads tokens, so text that only looks like a control token is
 * text to it.
 */
import { detokenize, isControl, tokenize } from './tokenizer.ts'

export type Wish = { readonly name: string; readonly arguments: object }
export type Saying = { readonly text: string; readonly calls: readonly Wish[] }

export type ObedientRequest = {
  readonly prompt: readonly number[]
  /** Some call must be made. */
  readonly required?: { readonly name: string; readonly parameters: Record<string, unknown> }
  /** The answer must be of this schema. */
  readonly schema?: Record<string, unknown>
}

export function obey({ prompt, required, schema }: ObedientRequest): Saying {
  if (schema) return { text: JSON.stringify(exampleOf(schema)), calls: [] }
  const last = lastUserText(prompt)
  const result = /<tool_response>\n([\s\S]*?)\n?<\/tool_response>/.exec(last)
  if (result) return { text: `It says: ${result[1]}`, calls: [] }
  const calls = [...last.matchAll(/Call (\w+) with (\{.*?\})(?:\s|$)/g)].map(([, name = '', json = '']) => ({
    name,
    arguments: JSON.parse(json) as object,
  }))
  if (calls.length > 0) return { text: '', calls }
  if (required) {
    return { text: '', calls: [{ name: required.name, arguments: exampleOf(required.parameters) as object }] }
  }
  if (/count from/i.test(last)) {
    return { text: Array.from({ length: 60 }, (_, index) => index + 1).join(', '), calls: [] }
  }
  return { text: 'Hello.', calls: [] }
}

/** As the family writes it. */
export const writeCalls = (calls: readonly Wish[]): string =>
  calls
    .map(({ name, arguments: given }) => `<tool_call>\n${spaced({ name, arguments: given })}\n</tool_call>`)
    .join('\n')

/** JSON as Python writes it, which is what models learn. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`)
  return `{${members.join(', ')}}`
}

const [START = 0] = tokenize('<|im_start|>', true)

/** Turns begin and end at control tokens only. */
function lastUserText(prompt: readonly number[]): string {
  const turns: number[][] = []
  for (const token of prompt) {
    if (token === START) turns.push([])
    else if (!isControl(token)) turns.at(-1)?.push(token)
  }
  const spoken = turns.map(detokenize).filter((text) => text.startsWith('user\n'))
  return spoken.at(-1) ?? ''
}

function exampleOf(schema: Record<string, unknown>): unknown {
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  if (schema['type'] !== 'object') return schema['type'] === 'string' ? 'heron' : 1
  const properties = (schema['properties'] ?? {}) as Record<string, Record<string, unknown>>
  return Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, exampleOf(inner)]))
}
