/**
 * A call as far as it can be read without loss: the tool it means, and arguments that fit its schema. For a client's call, a
 * vote and a dry run alike; the engine, which answers the model, forgives more (`engine/prepare.ts`). Pure.
 */
import type { ToolCall } from '../protocol/message.ts'
import type { ToolSchema } from '../protocol/model.ts'
import { innerCall } from './inner-call.ts'
import { type JsonReading, readJson } from './json.ts'
import { coerce } from './schema.ts'
import { meantTool } from './tool-names.ts'

type Described = Pick<ToolSchema, 'name' | 'parameters'>

export type CallReading<T> =
  | {
      readonly ok: true
      readonly call: ToolCall
      readonly tool: T
      readonly value: unknown
      /** Nothing had to be repaired. */
      readonly isStrict: boolean
    }
  | { readonly ok: false; readonly reason: 'unknown-tool' | 'bad-arguments'; readonly why: string }

/** Of a call inside another one the inner one, where `tools` has its tool. */
export function readCall<T extends Described>(written: ToolCall, tools: readonly T[]): CallReading<T> {
  const inner = innerCall(written)
  const call = findTool(inner.name, tools) ? inner : written
  const tool = findTool(call.name, tools)
  if (!tool) return { ok: false, reason: 'unknown-tool', why: `there is no tool ${call.name}` }
  const reading = readArguments(call.input)
  if (!reading.ok) return { ok: false, reason: 'bad-arguments', why: reading.reason }
  const { value, changed } = coerce(reading.value, tool.parameters)
  return { ok: true, call, tool, value, isStrict: call.name === tool.name && !reading.repaired && !changed }
}

export function findTool<T extends Pick<ToolSchema, 'name'>>(
  written: string,
  tools: readonly T[],
): T | undefined {
  const name = meantTool(
    written,
    tools.map((tool) => tool.name),
  )
  return tools.find((tool) => tool.name === name)
}

/** Arguments written as a JSON text once more are read again; none is an empty object. */
export function readArguments(input: string): JsonReading {
  const reading = readJson(input.trim() || '{}', { closeStrings: false })
  if (!reading.ok || typeof reading.value !== 'string') return reading
  const inner = readJson(reading.value, { closeStrings: false })
  return inner.ok ? { ...inner, repaired: true } : reading
}
