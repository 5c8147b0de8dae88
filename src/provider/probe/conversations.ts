/** Short conversations in which a rendering that differs from the server's own shows. */
import type { ModelRequest } from '../../protocol/model.ts'

export type ProbeConversation = Pick<ModelRequest, 'system' | 'messages'>

export const CONVERSATIONS: readonly ProbeConversation[] = [
  { system: 'You are a bird.', messages: [{ role: 'user', text: 'Which one?' }] },
  {
    system: 'Answer in one word.',
    messages: [
      { role: 'user', text: 'Name a bird.' },
      { role: 'assistant', text: 'Heron.', calls: [] },
      { role: 'user', text: 'Name another bird, please.' },
    ],
  },
  {
    system: 'You are a test.\n\nKeep to it.',
    messages: [{ role: 'user', text: 'function add(a, b) {\n  return a + b // ünïcödé 🐑\n}\n' }],
  },
]

export const toRequest = (conversation: ProbeConversation): ModelRequest => ({
  runId: 'probe',
  sessionId: 'probe',
  turn: 1,
  tools: [],
  maxTokens: 1,
  temperature: 0,
  thinking: 'off',
  ...conversation,
})
