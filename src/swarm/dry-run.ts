/**
 * Whether a call would work, found out without doing anything. Tools get files they can only read, through the guard
 * that was handed in; what the guard denies fails, what it would have to ask about is simply not known.
 */
import { AppError } from '../protocol/error.ts'
import type { Authorize } from '../protocol/guard.ts'
import type { ToolCall } from '../protocol/message.ts'
import type { CheckContext, CheckResult, FileChange, Tool } from '../protocol/tool.ts'
import { isObject } from '../lib/json.ts'
import { readCall } from '../lib/read-call.ts'
import { toToolSchema } from '../lib/schema.ts'
import { shapeOf } from '../lib/syntax.ts'
import { normalPath } from './canonical.ts'

/** Undefined = cannot be known beforehand. */
export type DryRun = (call: ToolCall, signal: AbortSignal) => Promise<CheckResult | undefined>

export type DryRunParts = {
  tools(): readonly Tool[]
  readonly files: CheckContext['files']
  readonly authorize?: Authorize
}

export function createDryRun({ tools, files, authorize }: DryRunParts): DryRun {
  const { root } = files
  const reading: CheckContext['files'] = {
    root,
    read: (path, signal) => files.read(path, signal),
    info: (path) => files.info(path),
    list: (path) => files.list(path),
  }
  const judge: DryRun = async (written, signal) => {
    const meant = readCall(written, tools().map(describedTool))
    if (!meant.ok) return undefined
    const { call, value } = meant
    const { tool } = meant.tool
    const input = readInput(value, tool, root)
    if (input === undefined) return undefined
    const { name, category } = tool
    const permission = await authorize?.({ call, tool: name, category, access: tool.access(input) })
    if (permission?.verdict === 'deny') return { ok: false, why: permission.why }
    const result = await tool.check?.(input, { files: reading, signal })
    return result?.ok && result.changes ? { ...result, changes: await withShapes(result.changes) } : result
  }
  return (call, signal) => judge(call, signal).catch(toFinding)
}

const withShapes = (changes: readonly FileChange[]): Promise<readonly FileChange[]> =>
  Promise.all(
    changes.map(async (change) => {
      const { path, after } = change
      const shape = after === undefined ? undefined : await shapeOf(path, after).catch(() => undefined)
      return shape === undefined ? change : { ...change, shape }
    }),
  )

const describedTool = (tool: Tool) => ({ ...toToolSchema(tool), tool })

/** Arguments that do not fit are the vote's business. */
function readInput(value: unknown, tool: Tool, root: string): unknown {
  const parsed = tool.input.safeParse(isObject(value) ? withPaths(value, tool, root) : value)
  return parsed.success ? parsed.data : undefined
}

const withPaths = (
  input: Readonly<Record<string, unknown>>,
  { paths = [] }: Tool,
  root: string,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      key,
      typeof value === 'string' && paths.includes(key) ? normalPath(value, root) : value,
    ]),
  )

/**
 * A refusal to read is no opinion on the call: a person may still allow it. Neither is a parser that would not load.
 */
function toFinding(error: unknown): CheckResult | undefined {
  const isFinding = error instanceof AppError && error.code !== 'permission-denied'
  return isFinding ? { ok: false, why: error.message } : undefined
}
