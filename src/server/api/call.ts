/**
 * A call as a client can execute it. Clients parse arguments strictly, small models write loosely: slips are repaired
 * and values coerced to the tool's schema, as Covey does for its own tools. A valid call keeps its bytes.
 */
import { isObject } from '../../lib/json.ts'
import { findTool, readArguments } from '../../lib/read-call.ts'
import { coerce, describeCall } from '../../lib/schema.ts'
import type { ToolCall } from '../../protocol/message.ts'
import type { ToolSchema } from '../../protocol/model.ts'

/** Nothing where the arguments cannot be read as an object, or end in the middle of a text. */
export function repairCall(call: ToolCall, tools: readonly ToolSchema[]): ToolCall | undefined {
  const reading = readArguments(call.input)
  if (!reading.ok || !isObject(reading.value)) return undefined
  const tool = findTool(call.name, tools)
  const [name, schema] = [tool?.name ?? call.name, tool?.parameters]
  const bent = schema ? coerce(reading.value, schema) : { value: reading.value, changed: false }
  const filled = schema && isObject(bent.value) ? describeCall(bent.value, schema, name) : bent.value
  const isGood = !reading.repaired && !bent.changed && filled === bent.value && call.input.trim() !== ''
  return isGood ? { ...call, name } : { ...call, name, input: JSON.stringify(filled) }
}
