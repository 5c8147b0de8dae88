/** What was said up to a response, so that the next request can name it instead of sending it again. In memory, bounded. */
import type { Said } from './api-conversation.ts'

export type ResponseStore = {
  /** Nothing where it was forgotten, never kept, or belongs to another client. */
  find(id: string, client: string): readonly Said[] | undefined
  keep(id: string, client: string, said: readonly Said[]): void
}

const MAX_RESPONSES = 500
const MAX_CHARACTERS = 32 * 1_048_576

export function createResponseStore(
  limits: { readonly responses?: number; readonly characters?: number } = {},
): ResponseStore {
  const { responses = MAX_RESPONSES, characters = MAX_CHARACTERS } = limits
  /** The longest unused first. */
  const kept = new Map<
    string,
    { readonly client: string; readonly said: readonly Said[]; readonly size: number }
  >()
  let total = 0
  return {
    find(id, client) {
      const found = kept.get(id)
      if (found?.client !== client) return undefined
      kept.delete(id)
      kept.set(id, found)
      return found.said
    },
    keep(id, client, said) {
      const size = said.reduce((sum, message) => sum + sizeOf(message), 0)
      kept.set(id, { client, said, size })
      total += size
      for (const [oldest, { size: freed }] of kept) {
        if (kept.size <= responses && total <= characters) break
        kept.delete(oldest)
        total -= freed
      }
    },
  }
}

/** Messages are shared between the responses of one conversation; counting them each time errs on the safe side. */
function sizeOf(message: Said): number {
  const calls = message.role === 'assistant' ? message.calls : []
  const images = (message.role === 'user' && message.images) || []
  return (
    message.text.length +
    calls.reduce((sum, { input }) => sum + input.length, 0) +
    images.reduce((sum, { base64 }) => sum + base64.length, 0)
  )
}
