/** `call_tool {name, arguments}` is only a way to write the call inside it. */
import type { ToolCall } from '../protocol/message.ts'
import { isObject, readJson } from './json.ts'
import { resolveName } from './nearest.ts'

export const CALL_TOOL = 'call_tool'

/** The call inside a `call_tool`; any other call, and a `call_tool` that names no tool, as it is. */
export function innerCall(call: ToolCall): ToolCall {
  if (resolveName(call.name, [CALL_TOOL]) === undefined) return call
  const reading = readJson(call.input)
  if (!reading.ok || !isObject(reading.value) || typeof reading.value['name'] !== 'string') return call
  const { name, arguments: inner = {} } = reading.value
  return { ...call, name, input: typeof inner === 'string' ? inner : JSON.stringify(inner) }
}
