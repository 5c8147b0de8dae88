/**
 * Calls written as an element per tool: `<read_file><path>a</path></read_file>`, as Cline and Roo taught many models. No
 * marker of a family: the name decides, so only tools that exist, and for names from other agents only with arguments in elements.
 */
import type { Draft } from './call.ts'
import { CUT_OFF, TOO_LONG } from './call.ts'
import { settle } from './calls.ts'
import type { Input, Step } from './input.ts'
import { isSpace } from './input.ts'
import { MAX_HEADER } from './items.ts'
import type { Reading } from './state.ts'
import { attributesOf, elementsOf, fromElements } from './tag-calls.ts'
import { MAX_CALL } from './tagged.ts'
import type { ToolBook } from './tool-book.ts'
import { propertiesOf, requiredOf } from './tool-book.ts'
import type { ToolSchema } from '../../protocol/model.ts'

const MAX_NAME = 64

/** Whether the `<` at `index` opens the element of a tool; undefined while too little of it is there. */
export function opensElement(text: string, index: number, tools: ToolBook): boolean | undefined {
  let end = index + 1
  while (end < text.length && end - index <= MAX_NAME && isNameCode(text.charCodeAt(end))) end++
  if (end === index + 1) return end < text.length ? false : undefined
  if (end >= text.length) return undefined
  const next = text.charCodeAt(end)
  const isTag = text[end] === '>' || text[end] === '/' || isSpace(next)
  return isTag && tools.meant(text.slice(index + 1, end)) !== undefined
}

const isNameCode = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95

/** The elements at the cursor, which stands on `<`, one after the other. */
export function* readToolElements(reading: Reading): Step<void> {
  const { input, sink } = reading
  const place = sink.place
  if (sink.inCode || reading.channel === 'reasoning' || !sink.atBlockStart || !reading.try()) {
    reading.say(input.consume(1))
    return
  }
  input.mark()
  const drafts: Draft[] = []
  let length = 0
  for (;;) {
    const found = yield* readElement(input, reading.options.tools)
    if (!found) break
    drafts.push(found)
    length = input.raw.length
    const space = yield* input.space()
    if (!(yield* input.starts('<', space))) break
    input.consume(space)
  }
  const raw = input.unmark()
  if (drafts.length > 0) yield* settle(reading, { drafts, raw: raw.slice(0, length), place, manner: 'bare' })
  const rest = raw.slice(length)
  reading.say(rest === '' && drafts.length === 0 ? input.consume(1) : rest)
}

function* readElement(input: Input, tools: ToolBook): Step<Draft | undefined> {
  const opens = yield* opensAhead(input, tools)
  if (!opens) return undefined
  input.consume(1)
  const header = yield* input.until(['>', '\n\n'], MAX_HEADER)
  if (header.stop !== '>') return undefined
  input.consume(1)
  const name = /^\w+/.exec(header.text)?.[0] ?? ''
  const tool = tools.meant(name)
  if (!tool) return undefined
  const attributes = attributesOf(header.text.slice(name.length).replace(/\/$/, ''))
  if (header.text.endsWith('/')) return draftFrom('', { name, tool, attributes }, tools)
  const close = `</${name}>`
  const body = yield* input.until([close], MAX_CALL)
  if (body.stop === undefined) return cut(body, tool)
  input.consume(close.length)
  return draftFrom(body.text, { name, tool, attributes }, tools)
}

function* opensAhead(input: Input, tools: ToolBook): Step<boolean> {
  let opens = opensElement(input.text, input.at, tools)
  while (opens === undefined && (yield* input.more())) opens = opensElement(input.text, input.at, tools)
  return opens === true
}

/** An element that is never closed is a cut call only if an argument of the tool begins in it. */
function cut(body: { readonly text: string; readonly long: boolean }, tool: ToolSchema): Draft | undefined {
  const key = /^\s*<(\w+)>/.exec(body.text)?.[1]
  if (key === undefined || !(key in propertiesOf(tool))) return undefined
  return { name: tool.name, problem: body.long ? TOO_LONG : CUT_OFF }
}

type Opened = {
  readonly name: string
  readonly tool: ToolSchema
  readonly attributes: Record<string, string>
}

function draftFrom(text: string, { name, tool, attributes }: Opened, tools: ToolBook): Draft | undefined {
  const body = text.trim()
  if (body.startsWith('{')) return tools.json.read(body).ok ? { name, json: body } : undefined
  const elements = elementsOf(text)
  if (elements.size > 0 || Object.keys(attributes).length > 0) {
    const draft = fromElements(elements, attributes, tool)
    return 'values' in draft || 'json' in draft ? { ...draft, name } : draft
  }
  const required = requiredOf(tool)
  const [only] = required
  if (body === '') return required.length === 0 ? { name, json: '{}' } : undefined
  // `<bash>ls</bash>`: one text for the one thing the tool must have.
  const isTaken = required.length === 1 && only !== undefined && !body.includes('<')
  return isTaken && (tools.find(name) || only === 'command') ? { name, values: { [only]: body } } : undefined
}
