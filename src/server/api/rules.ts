/** What a client may demand of a reply, whether a reply has it, and the reminder for the model when it has not. */
import { isObject, readJson } from '../../lib/json.ts'
import { AppError } from '../../protocol/error.ts'
import type { Message, ToolCall } from '../../protocol/message.ts'
import type { FinishReason, ModelRequest, Usage } from '../../protocol/model.ts'

export type Reply = {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly ToolCall[]
  /** What was meant as a call and could not be read, in words. */
  readonly badCalls: readonly string[]
  /** Whether the client has seen any of the text. */
  readonly isTold: boolean
  readonly reason: FinishReason
  readonly usage?: Usage
}

export type Unmet = 'call' | 'readable-call' | 'json'

export function unmetBy(reply: Reply, request: ModelRequest): Unmet | undefined {
  const { toolChoice, responseFormat } = request
  if (reply.reason === 'filter' || reply.calls.length > 0) return undefined
  if (toolChoice === 'required' || typeof toolChoice === 'object') return 'call'
  if (reply.reason === 'length') return undefined
  if (reply.badCalls.length > 0) return 'readable-call'
  // What the client has seen cannot be said again.
  const isMissing = responseFormat?.type === 'json' && !reply.isTold && jsonIn(reply.text) === undefined
  return isMissing ? 'json' : undefined
}

/** The object or list in a text, with slips repaired; undefined without one. */
export function jsonIn(text: string): unknown {
  const reading = readJson(text)
  return reading.ok && (isObject(reading.value) || Array.isArray(reading.value)) ? reading.value : undefined
}

export function reminderFor(unmet: Unmet, reply: Reply, request: ModelRequest): readonly Message[] {
  const said = reply.text.trim() === '' ? '(no text)' : reply.text
  return [
    { role: 'assistant', text: said, calls: [] },
    { role: 'user', text: reminderText(unmet, reply, request), origin: 'note' },
  ]
}

function reminderText(
  unmet: Unmet,
  { badCalls }: Reply,
  { tools, toolChoice, responseFormat }: ModelRequest,
): string {
  if (unmet === 'readable-call')
    return `${badCalls.join('\n')} Write the call again, complete and with valid JSON.`
  if (unmet === 'call') {
    const names = typeof toolChoice === 'object' ? [toolChoice.name] : tools.map(({ name }) => name)
    return `Call a tool now: ${names.join(' or ')}. Answer with the call only, not with text.`
  }
  const schema = responseFormat?.type === 'json' ? responseFormat.schema : undefined
  return `Answer with JSON only, without any other text${schema ? `, for this schema: ${JSON.stringify(schema)}` : ''}.`
}

/** What a second failure means: only a missing required call is an error, everything else is sent as it is. */
export function unmetError(unmet: Unmet | undefined, arm: string): AppError | undefined {
  if (unmet !== 'call') return undefined
  const text = `${arm} was asked for a tool call twice and made none. Ask with tool_choice "auto", or another model.`
  return new AppError('model-unavailable', text, { status: 502 })
}
