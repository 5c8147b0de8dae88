/**
 * What makes a conversation legal, checked when a message is appended, so that no later part has to doubt it: every call
 * has exactly one result, and a result stands right after the calls it belongs to.
 */
import { AppError } from '../protocol/error.ts'
import type { Message, ToolCall, ToolMessage } from '../protocol/message.ts'

/** A user message, or an assistant message with all its results: what may leave the context only as a whole. */
export type Group = readonly Message[]

export function appendMessage(history: readonly Message[], message: Message): Message[] {
  const rule = brokenRule(history, message)
  if (rule) throw new AppError('request-invalid', `This ${message.role} message cannot join here: ${rule}.`)
  return [...history, message]
}

function brokenRule(history: readonly Message[], message: Message): string | undefined {
  const open = openCalls(history)
  if (message.role === 'tool') return brokenResultRule(open, message)
  if (open.length > 0) return `call ${open[0]?.id} has no result yet; append its result first`
  if (message.role === 'assistant') return brokenReplyRule(message.text, message.calls)
  const isEmpty = message.text.trim() === '' && !message.images?.length
  return isEmpty ? 'a user message needs text or an image' : undefined
}

function brokenResultRule(open: readonly ToolCall[], { callId, text }: ToolMessage): string | undefined {
  if (callId === '') return 'a result needs the id of its call'
  if (text === '') return 'a result needs text; say that there is none'
  if (open.some(({ id }) => id === callId)) return undefined
  return `${callId} is no open call of the assistant message before it`
}

function brokenReplyRule(text: string, calls: readonly ToolCall[]): string | undefined {
  if (calls.length === 0) return text.trim() === '' ? 'without calls it needs text' : undefined
  if (calls.some(({ id }) => id === '')) return 'every call needs an id'
  const isDistinct = new Set(calls.map(({ id }) => id)).size === calls.length
  return isDistinct ? undefined : 'two of its calls share one id'
}

/** Calls of the newest assistant message that nothing has answered yet. */
export function openCalls(history: readonly Message[]): ToolCall[] {
  const answered = new Set<string>()
  for (const message of history.toReversed()) {
    if (message.role === 'user') return []
    if (message.role === 'assistant') return message.calls.filter(({ id }) => !answered.has(id))
    answered.add(message.callId)
  }
  return []
}

/** Results for the calls a run left open when it was interrupted; append them before anything else. */
export const closeOpenCalls = (history: readonly Message[]): ToolMessage[] =>
  openCalls(history).map(({ id }) => ({
    role: 'tool',
    callId: id,
    text: 'interrupted: the run ended before this call had a result; what it did is unknown',
    ok: false,
    code: 'interrupted',
  }))

export function toGroups<Any extends { readonly role: string }>(history: readonly Any[]): Any[][] {
  const groups: Any[][] = []
  for (const message of history) {
    const last = groups.at(-1)
    if (message.role === 'tool' && last) last.push(message)
    else groups.push([message])
  }
  return groups
}
