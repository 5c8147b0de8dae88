/**
 * A call as a client can execute it. Clients parse arguments strictly, small models write loosely: slips are repaired
 * and values coerced to the tool's schema, as Covey does for its own tools. A valid call keeps its bytes.
 */
import { isObject, type JsonReading, readJson } from '../../lib/json.ts'
import { coerce, describeCall } from '../../lib/schema.ts'
import { meantTool } from '../../lib/tool-names.ts'
import type { ToolCall } from '../../protocol/message.ts'
import type { ToolSchema } from '../../protocol/model.ts'

/**
 * `callTool {name, arguments}` is only a way to write the call inside it. Nothing where it names no tool. Small models
 * put arguments beside the name, or write them as text; both are taken as they are meant.
 */
export function innerCall(call: ToolCall, callTool: string | undefined): ToolCall | undefined {
  if (call.name !== callTool) return call
  const reading = readJson(call.input, { closeStrings: false })
  if (!reading.ok || !isObject(reading.value)) return undefined
  const { name, arguments: given, ...beside } = reading.value
  if (typeof name !== 'string' || name === '') return undefined
  const inner = given ?? beside
  return { ...call, name, input: typeof inner === 'string' ? inner : JSON.stringify(inner) }
}

/** Nothing where the arguments cannot be read as an object, or end in the middle of a text. */
export function repairCall(call: ToolCall, tools: readonly ToolSchema[]): ToolCall | undefined {
  const reading = readArguments(call.input)
  if (!reading.ok || !isObject(reading.value)) return undefined
  const names = tools.map(({ name }) => name)
  const name = meantTool(call.name, names) ?? call.name
  const schema = tools.find((tool) => tool.name === name)?.parameters
  const bent = schema ? coerce(reading.value, schema) : { value: reading.value, changed: false }
  const filled = schema && isObject(bent.value) ? describeCall(bent.value, schema, name) : bent.value
  const isGood = !reading.repaired && !bent.changed && filled === bent.value && call.input.trim() !== ''
  return isGood ? { ...call, name } : { ...call, name, input: JSON.stringify(filled) }
}

/** Arguments written as a JSON text once more are read again. */
function readArguments(input: string): JsonReading {
  const reading = readJson(input.trim() || '{}', { closeStrings: false })
  if (!reading.ok || typeof reading.value !== 'string') return reading
  const inner = readJson(reading.value, { closeStrings: false })
  return inner.ok ? { ...inner, repaired: true } : reading
}
