/**
 * A stored result is not a file, yet models search and read it as one: `search_text {"pattern": "x", "path": "r3"}`.
 * Where no file has that name, the call is one for `read_result`. Pure.
 */
import type { Tool } from '../protocol/tool.ts'
import { innerCall } from '../lib/inner-call.ts'
import { isObject, readJson } from '../lib/json.ts'
import { callKey, type Prepared } from './prepare.ts'

const RESULT_ID = /^r\d{1,9}$/

/** `placed` is `prepared` once its paths were looked up. */
export function asResultCall(prepared: Prepared, placed: Prepared, tools: readonly Tool[]): Prepared {
  const tool = tools.find(({ name }) => name === 'read_result')
  if (!tool || prepared.kind === 'hopeless' || !READS.has(prepared.tool.name)) return placed
  const { id, path, pattern, from } = argumentsOf(innerCall(prepared.call).input)
  const isMissing = placed.kind === 'hopeless' && placed.code === 'missing-path'
  const meant = isId(id) ? id : isMissing && isId(path) ? path : undefined
  if (meant === undefined) return placed
  const parsed = tool.input.safeParse({
    id: meant,
    ...(typeof pattern === 'string' && { pattern }),
    ...(typeof from === 'number' && { from }),
  })
  if (!parsed.success) return placed
  return {
    ...prepared,
    tool,
    input: parsed.data,
    key: callKey(tool.name, parsed.data),
    repaired: true,
    remark: '',
  }
}

const READS: ReadonlySet<string> = new Set(['search_text', 'read_file'])

const isId = (value: unknown): value is string => typeof value === 'string' && RESULT_ID.test(value)

function argumentsOf(input: string): Record<string, unknown> {
  const reading = readJson(input)
  return reading.ok && isObject(reading.value) ? reading.value : {}
}
