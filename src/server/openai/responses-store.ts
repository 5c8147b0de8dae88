/**
 * Responses and what was said up to them, so that they can be looked at again and the next request can name one
 * instead of sending it all. In memory, bounded; no client sees those of another.
 */
import type { Said } from '../api/conversation.ts'

type KeptResponse = { readonly said: readonly Said[]; readonly response: object }

export type ResponseStore = {
  /** Nothing where it was forgotten, never kept, or belongs to another client. */
  find(id: string, client: string): KeptResponse | undefined
  keep(id: string, client: string, kept: KeptResponse): void
  /** False where `find` would find nothing. */
  remove(id: string, client: string): boolean
}

const MAX_RESPONSES = 500
const MAX_CHARACTERS = 32 * 1_048_576

export function createResponseStore(
  limits: { readonly responses?: number; readonly characters?: number } = {},
): ResponseStore {
  const { responses = MAX_RESPONSES, characters = MAX_CHARACTERS } = limits
  /** The longest unused first. */
  const all = new Map<string, KeptResponse & { readonly client: string; readonly size: number }>()
  let total = 0
  const forget = (id: string): void => {
    total -= all.get(id)?.size ?? 0
    all.delete(id)
  }
  return {
    find(id, client) {
      const found = all.get(id)
      if (found?.client !== client) return undefined
      all.delete(id)
      all.set(id, found)
      return found
    },
    keep(id, client, { said, response }) {
      const size = said.reduce((sum, message) => sum + sizeOf(message), JSON.stringify(response).length)
      forget(id)
      all.set(id, { client, said, response, size })
      total += size
      for (const [oldest] of all) {
        if (all.size <= responses && total <= characters) break
        forget(oldest)
      }
    },
    remove(id, client) {
      const isOwn = all.get(id)?.client === client
      if (isOwn) forget(id)
      return isOwn
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
