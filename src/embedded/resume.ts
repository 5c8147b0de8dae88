/** A session's conversation, from a sequence to the disk and back: what was evaluated once is not evaluated again. */
import type { EncodingMemory } from './encoding.ts'
import type { StateShelf } from './state.ts'
import type { Slot, Weights } from './weights.ts'

export type StateParts = {
  readonly weights: Weights
  readonly memory: EncodingMemory
  /** Absent = nothing is kept. */
  readonly shelf: StateShelf | undefined
}

/** False when no sequence holds the conversation any more. */
export async function saveState({ weights, shelf, memory }: StateParts, sessionId: string): Promise<boolean> {
  if (!shelf || !weights.current()) return false
  const loaded = await weights.acquire()
  try {
    const slot = loaded.slots.all.find((candidate) => candidate.sessionId === sessionId)
    const encoding = slot && memory.find(slot.sequence.contextTokens)
    if (encoding) await shelf.save(sessionId, slot.sequence, encoding)
    return encoding !== undefined
  } finally {
    weights.release()
  }
}

/** False when nothing was kept for this session and this model. */
export async function loadState({ weights, shelf, memory }: StateParts, sessionId: string): Promise<boolean> {
  if (!shelf) return false
  const loaded = await weights.acquire()
  const slot = await loaded.slots.take(usedLongestAgo)
  try {
    const encoding = slot && (await shelf.load(sessionId, slot.sequence))
    if (!slot || !encoding) return false
    slot.sessionId = sessionId
    slot.prompt = encoding.tokens.length
    slot.usedAt = performance.now()
    memory.remember(encoding)
    return true
  } finally {
    if (slot) loaded.slots.give(slot)
    weights.release()
  }
}

const usedLongestAgo = (free: readonly Slot[]): Slot =>
  free.reduce((oldest, slot) => (slot.usedAt < oldest.usedAt ? slot : oldest))
