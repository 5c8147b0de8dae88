/** A conversation whose events are not known, from its messages alone. */
import type { Message } from '../protocol/message.ts'
import type { Item, ToolItem } from './view.ts'

export function viewOfHistory(messages: readonly Message[]): readonly Item[] {
  const results = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.callId, message]] : [])),
  )
  return messages.flatMap((message): Item[] => {
    if (message.role === 'tool') return []
    if (message.role === 'user')
      return message.origin === undefined ? [{ kind: 'prompt', text: message.text }] : []
    const reply: Item[] =
      message.text === '' ? [] : [{ kind: 'reply', text: message.text, reasoning: message.reasoning ?? '' }]
    const tools = message.calls.map(({ id, name, input }): ToolItem => {
      const result = results.get(id)
      const state = result?.ok ? 'ok' : 'failed'
      return {
        kind: 'tool',
        callId: id,
        name,
        title: `${name} ${input}`,
        input,
        state,
        tail: '',
        diff: [],
        text: result?.text ?? '',
      }
    })
    return [...reply, ...tools]
  })
}
