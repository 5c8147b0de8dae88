/** `call_tool {name, arguments}` is only a way to write the call inside it. Everything that looks inside does so here. */
import type { ToolCall } from '../protocol/message.ts'
import { isObject, type JsonOptions, readJson } from './json.ts'
import { resolveName } from './nearest.ts'

export const CALL_TOOL = 'call_tool'

/** The call inside a `call_tool`; any other call, and a `call_tool` that names no tool, as it is. */
export const innerCall = (call: ToolCall): ToolCall =>
  resolveName(call.name, [CALL_TOOL]) === undefined ? call : (unwrapCall(call) ?? call)

/** The call inside one that is known to wrap another; nothing where it names no tool. */
export function unwrapCall(call: ToolCall, options?: JsonOptions): ToolCall | undefined {
  const reading = readJson(call.input, options)
  const inner = reading.ok ? innerInput(reading.value) : undefined
  if (!inner) return undefined
  const { name, input } = inner
  return { ...call, name, input: typeof input === 'string' ? input : JSON.stringify(input) }
}

/** Small models put arguments beside the name, or write them as text; both are taken as they are meant. */
export function innerInput(value: unknown): { readonly name: string; readonly input: unknown } | undefined {
  if (!isObject(value)) return undefined
  const { name, arguments: given, ...beside } = value
  return typeof name === 'string' && name !== '' ? { name, input: given ?? beside } : undefined
}
