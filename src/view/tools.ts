/** The calls of the turn in progress. Servers number calls anew in each reply, so the newest of an id is meant. */
import type { RunEvent } from '../protocol/event.ts'
import type { FileDiff } from '../protocol/file-diff.ts'
import type { PermissionAnswer } from '../protocol/guard.ts'
import type { ToolCall } from '../protocol/message.ts'
import type { ToolItem } from './view.ts'

type Tools = readonly ToolItem[]

/** Enough for the lines a face shows; the whole output comes with the result. */
const MAX_TAIL = 4_000

export const startTool = (tools: Tools, { id, name, input }: ToolCall, title: string): Tools => [
  ...tools,
  { kind: 'tool', callId: id, name, title, input, state: 'running', tail: '', diff: [] },
]

export const unfinished = (tools: Tools, callId: string): ToolItem | undefined =>
  tools.findLast((tool) => tool.callId === callId)

export const addDiff = (tools: Tools, callId: string, diff: readonly FileDiff[]): Tools =>
  changed(tools, callId, () => ({ diff }))

export const addOutput = (tools: Tools, callId: string, text: string): Tools =>
  changed(tools, callId, ({ state, tail }) =>
    state === 'running' ? { tail: (tail + text).slice(-MAX_TAIL) } : {},
  )

export const answerTool = (tools: Tools, callId: string, answer: PermissionAnswer): Tools =>
  changed(tools, callId, () => ({ answer }))

/** Its result says all that its live output said. */
export const endTool = (tools: Tools, end: Extract<RunEvent, { type: 'tool-end' }>): Tools =>
  changed(tools, end.callId, () => ({
    name: end.name,
    state: end.ok ? 'ok' : 'failed',
    tail: '',
    text: end.text,
    ms: end.ms,
    ...(end.code && { code: end.code }),
  }))

function changed(tools: Tools, callId: string, change: (tool: ToolItem) => Partial<ToolItem>): Tools {
  const at = tools.findLastIndex((tool) => tool.callId === callId)
  return tools.map((tool, index) => (index === at ? { ...tool, ...change(tool) } : tool))
}
