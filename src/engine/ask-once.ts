/** One question to whatever arm answers now, without tools and outside every conversation; the reply as text. */
import type { Reserve } from '../protocol/arm.ts'
import type { ModelRequest, Usage } from '../protocol/model.ts'

const MAX_TOKENS = 400

export async function askOnce(reserve: Reserve, question: string, signal: AbortSignal): Promise<string> {
  const lease = await reserve({ task: 'review', excluded: [] }, signal)
  let text = ''
  let usage: Usage | undefined
  try {
    for await (const event of lease.model.stream(toRequest(question), signal)) {
      if (event.type === 'text-delta') text += event.text
      if (event.type === 'reply-restart') text = ''
      if (event.type === 'usage') usage = event.usage
    }
    // A cancelled stream ends like a short one.
    signal.throwIfAborted()
  } catch (error) {
    lease.release(error)
    throw error
  }
  lease.commit(usage)
  return text
}

const toRequest = (question: string): ModelRequest => ({
  runId: 'review',
  sessionId: 'review',
  turn: 1,
  system: '',
  messages: [{ role: 'user', text: question }],
  tools: [],
  maxTokens: MAX_TOKENS,
  temperature: 0,
})
