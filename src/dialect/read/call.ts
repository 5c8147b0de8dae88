/**
 * From what a reader found to a call: the name resolved, the arguments read, repaired within limits and bent towards the
 * schema. What stays hopeless becomes a `bad-call` whose reason tells the model what to write instead.
 */
import type { ReplyEvent } from '../../protocol/dialect.ts'
import type { ToolSchema } from '../../protocol/model.ts'
import { isObject } from '../../lib/json.ts'
import { coerce } from '../../lib/schema.ts'
import type { Repair } from './repair.ts'
import { isTooDeep, TOO_DEEP } from './repair.ts'
import type { ToolBook } from './tool-book.ts'
import { isWriting } from './tool-book.ts'

/** A call as found in the text: arguments as JSON text, or as values read from tags. */
export type Draft =
  | { readonly name: string; readonly id?: string; readonly json: string }
  | { readonly name: string; readonly id?: string; readonly values: Record<string, unknown> }
  | { readonly name?: string; readonly problem: string }

export const CUT_OFF =
  'The call was cut off before it was complete and was not run. Send it again; if it is long, in parts.'
export const TOO_LONG =
  'The call is too long to be read and was not run. Write less in one call, for example a file in parts.'

export const isProblem = (draft: Draft): draft is Extract<Draft, { problem: string }> => 'problem' in draft

export function finishCall(draft: Draft, tools: ToolBook, newId: () => string): ReplyEvent {
  if (isProblem(draft)) return bad(draft.name, draft.problem)
  const tool = tools.meant(draft.name)
  const input =
    'json' in draft ? inputFromText(draft.json, tool, tools.json) : inputFromValue(draft.values, tool)
  // A name from another agent stays as it was written: the engine runs it and says what it is called here.
  const name = tools.find(draft.name)?.name ?? draft.name
  if (!input.ok) return bad(name, problemWith(name, input.reason, tool))
  return { type: 'tool-call', call: { id: usableId(draft.id) ?? newId(), name, input: input.text } }
}

/** What to tell a model about a call whose JSON cannot be read; names the tool when it can be made out. */
export function brokenJson(text: string, tools: ToolBook): Draft {
  const name = /["']?(?:name|tool|tool_name|function)["']?\s*[:=]\s*["']([\w.-]{1,64})["']/.exec(
    text.slice(0, 2000),
  )?.[1]
  const reading = tools.json.read(text)
  const reason = reading.ok ? 'it names no tool' : reading.reason
  const tool = name === undefined ? undefined : tools.find(name)
  if (name !== undefined) return { name: tool?.name ?? name, problem: problemWith(name, reason, tool) }
  return {
    problem: `A tool call could not be read: ${reason}. Write {"name": ..., "arguments": {...}} as valid JSON.`,
  }
}

type InputReading =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string }

function inputFromText(text: string, tool: ToolSchema | undefined, json: Repair): InputReading {
  if (text.trim() === '') return { ok: true, text: '{}' }
  const reading = json.read(text, { closeStrings: !isWriting(tool) })
  if (!reading.ok) return reading
  if (typeof reading.value === 'string' && reading.value !== text)
    return inputFromText(reading.value, tool, json)
  if (reading.value === null) return { ok: true, text: '{}' }
  if (!isObject(reading.value)) return { ok: false, reason: 'the arguments are no JSON object' }
  const bent = tool ? coerce(reading.value, tool.parameters) : { value: reading.value, changed: false }
  return bent.changed || reading.repaired ? toInput(bent.value) : { ok: true, text: text.trim() }
}

const inputFromValue = (values: Record<string, unknown>, tool: ToolSchema | undefined): InputReading =>
  toInput(tool ? coerce(values, tool.parameters).value : values)

const toInput = (value: unknown): InputReading =>
  isTooDeep(value) ? { ok: false, reason: TOO_DEEP } : { ok: true, text: JSON.stringify(value) }

function problemWith(name: string, reason: string, tool: ToolSchema | undefined): string {
  const properties = Object.keys(
    isObject(tool?.parameters['properties']) ? tool.parameters['properties'] : {},
  )
  const example =
    properties.length > 0
      ? `{${properties
          .slice(0, 3)
          .map((key) => `"${key}": ...`)
          .join(', ')}}`
      : '{}'
  return `The arguments of ${name} could not be read: ${reason}. Write one JSON object, like ${example}.`
}

const bad = (name: string | undefined, reason: string): ReplyEvent =>
  name === undefined ? { type: 'bad-call', reason } : { type: 'bad-call', name, reason }

/** Families that number their calls anew in every reply write ids that would collide; those are replaced. */
const usableId = (id: string | undefined): string | undefined =>
  id !== undefined && /^[\w.:-]{6,64}$/.test(id) ? id : undefined
