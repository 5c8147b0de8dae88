import type { Tool } from '../protocol/tool.ts'
import { CALL_TOOL } from '../lib/inner-call.ts'
import { isObject } from '../lib/json.ts'
import { toToolSchema } from '../lib/schema.ts'

/** A tool in one line: `read_file(path, [from]) - Read a file`. */
export function toSignature(tool: Tool): string {
  const { parameters } = toToolSchema(tool)
  const { properties, required } = parameters
  const needed = Array.isArray(required) ? required : []
  const names = isObject(properties) ? Object.keys(properties) : []
  const shown = names.map((name) => (needed.includes(name) ? name : `[${name}]`))
  return `${tool.name}(${shown.join(', ')}) - ${tool.description}`
}

const FINDERS = new Set(['more_tools', CALL_TOOL, 'select_category'])

/** Those are no use inside each other. */
export const leadsToTools = ({ name }: Tool): boolean => FINDERS.has(name)
