/**
 * What clients send as a conversation, made legal: every call gets its result, every result stands behind its call, and
 * nothing is empty. Clients cancel, lose results and repeat ids; a model server answers that with an error 500.
 */
import { shortHash } from '../lib/hash.ts'
import type { AssistantMessage, Message, ToolCall, ToolMessage } from '../protocol/message.ts'
import { AppError } from '../protocol/error.ts'

/** One message as it came, whatever API it came by. */
export type Said = Message | { readonly role: 'system'; readonly text: string }

export type Conversation = { readonly system: string; readonly messages: readonly Message[] }

export function toConversation(said: readonly Said[]): Conversation {
  const opening = said.findIndex(({ role }) => role !== 'system')
  const body = opening < 0 ? [] : said.slice(opening)
  const system = said.slice(0, said.length - body.length).map(({ text }) => text)
  const messages = body.reduce(join, [])
  if (messages.length === 0)
    throw new AppError('request-invalid', 'There is nothing to answer: send at least one message with text.')
  return { system: system.filter(Boolean).join('\n\n'), messages: [...messages, ...missingResults(messages)] }
}

/** Appends in place: a conversation may have thousands of messages. */
function join(messages: Message[], next: Said): Message[] {
  if (next.role === 'tool') {
    const isOpen = openCalls(messages).some(({ id }) => id === next.callId)
    messages.push(isOpen ? withText(next) : orphan(next))
    return messages
  }
  messages.push(...missingResults(messages))
  if (next.role === 'assistant') messages.push(...legalReply(next))
  // An instruction in the middle of a talk keeps its place: moving it to the front would void every cached prefix.
  else if (next.role === 'system') messages.push(...(next.text ? [note(next.text)] : []))
  else if (next.text.trim() !== '' || next.images?.length) messages.push(next)
  return messages
}

const note = (text: string): Message => ({ role: 'user', text, origin: 'note' })

const withText = (result: ToolMessage): ToolMessage =>
  result.text === '' ? { ...result, text: '(no output)' } : result

const orphan = ({ callId, text }: ToolMessage): Message =>
  note(`Result of an earlier call (${callId}):\n${text}`)

function legalReply(reply: AssistantMessage): readonly AssistantMessage[] {
  const ids = reply.calls.map(({ id }) => id)
  const calls = reply.calls.filter(({ id }, index) => id !== '' && ids.indexOf(id) === index)
  if (calls.length === 0 && reply.text.trim() === '') return []
  return [calls.length === reply.calls.length ? reply : { ...reply, calls }]
}

function openCalls(messages: readonly Message[]): readonly ToolCall[] {
  const at = messages.findLastIndex(({ role }) => role !== 'tool')
  const reply = messages[at]
  if (reply?.role !== 'assistant') return []
  const answered = new Set(messages.slice(at + 1).map((message) => message.role === 'tool' && message.callId))
  return reply.calls.filter(({ id }) => !answered.has(id))
}

const missingResults = (messages: readonly Message[]): ToolMessage[] =>
  openCalls(messages).map(({ id }) => ({
    role: 'tool',
    callId: id,
    text: 'interrupted: this call was given no result',
    ok: false,
    code: 'interrupted',
  }))

/** The same for every request of one conversation of one client, so that a model can keep its cache for it. */
export function conversationId(client: string, { system, messages }: Conversation): string {
  return `api-${shortHash([client, system, messages[0]?.text ?? ''].join('\n'))}`
}
