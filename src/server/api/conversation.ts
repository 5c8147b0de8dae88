/**
 * What clients send as a conversation, made legal: every call gets its result, every result stands behind its call, and
 * nothing is empty. Clients cancel, lose results and repeat ids; a model server answers that with an error 500.
 */
import { shortHash } from '../../lib/hash.ts'
import type { AssistantMessage, Message, ToolCall, ToolMessage } from '../../protocol/message.ts'
import { AppError } from '../../protocol/error.ts'

/** One message as it came, whatever API it came by. */
export type Said = Message | { readonly role: 'system'; readonly text: string }

export type Conversation = { readonly system: string; readonly messages: readonly Message[] }

export function toConversation(said: readonly Said[]): Conversation {
  const opening = said.findIndex(({ role }) => role !== 'system')
  const body = opening < 0 ? [] : said.slice(opening)
  const system = said.slice(0, said.length - body.length).map(({ text }) => text)
  const messages = toLegal(body)
  if (messages.length === 0)
    throw new AppError('request-invalid', 'There is nothing to answer: send at least one message with text.')
  return { system: system.filter(Boolean).join('\n\n'), messages }
}

/** In one pass: a stranger may send a hundred thousand calls with as many results. */
function toLegal(said: readonly Said[]): readonly Message[] {
  const messages: Message[] = []
  const open = new Map<string, ToolCall>()
  /** Results of no call here. They wait until the results of the reply before them are there: nothing may stand between. */
  const orphans: Message[] = []
  const settle = () => {
    messages.push(...Array.from(open.values(), missingResult), ...orphans.splice(0))
    open.clear()
  }
  for (const next of said) {
    if (next.role === 'tool') {
      if (open.delete(next.callId)) messages.push(withText(next))
      else orphans.push(orphan(next))
      continue
    }
    settle()
    const legal = legalMessage(next)
    if (legal) messages.push(legal)
    if (legal?.role === 'assistant') for (const call of legal.calls) open.set(call.id, call)
  }
  settle()
  return messages
}

/** Nothing where there is nothing in it. */
function legalMessage(said: Exclude<Said, ToolMessage>): Message | undefined {
  if (said.role === 'assistant') return legalReply(said)
  // An instruction in the middle of a talk keeps its place: moving it to the front would void every cached prefix.
  if (said.role === 'system') return said.text ? note(said.text) : undefined
  return said.text.trim() !== '' || said.images?.length ? said : undefined
}

const note = (text: string): Message => ({ role: 'user', text, origin: 'note' })

const withText = (result: ToolMessage): ToolMessage =>
  result.text === '' ? { ...result, text: '(no output)' } : result

const orphan = ({ callId, text }: ToolMessage): Message =>
  note(`Result of an earlier call (${callId}):\n${text}`)

function legalReply(reply: AssistantMessage): AssistantMessage | undefined {
  const seen = new Set([''])
  const calls = reply.calls.filter(({ id }) => !seen.has(id) && seen.add(id))
  if (calls.length === 0 && reply.text.trim() === '') return undefined
  return calls.length === reply.calls.length ? reply : { ...reply, calls }
}

const missingResult = ({ id }: ToolCall): ToolMessage => ({
  role: 'tool',
  callId: id,
  text: 'interrupted: this call was given no result',
  ok: false,
  code: 'interrupted',
})

/** The same for every request of one conversation of one client, so that a model can keep its cache for it. */
export function conversationId(client: string, { system, messages }: Conversation): string {
  return `api-${shortHash([client, system, messages[0]?.text ?? ''].join('\n'))}`
}
