/**
 * Which slot of a llama.cpp server holds the prefix of which session. A session comes back to its slot, so that only
 * what is new is prefilled; where all slots are in use the server chooses.
 */
export type SlotBook = {
  /** A slot for one request, or -1: any. */
  take(sessionId: string): number
  give(slot: number): void
}

/** No machine has more; a server that says so is not believed. */
const MAX_SLOTS = 256

export function createSlotBook(reported: number): SlotBook {
  const count = Math.min(reported, MAX_SLOTS)
  /** Sessions by slot, least recently used first. */
  const held = new Map<number, string>()
  const busy = new Set<number>()

  const choose = (sessionId: string): number => {
    const slots = Array.from({ length: count }, (_, slot) => slot)
    const own = slots.find((slot) => held.get(slot) === sessionId)
    // A second request of one session at the same time would only wait for the first.
    if (own !== undefined) return busy.has(own) ? -1 : own
    const unused = slots.find((slot) => !held.has(slot))
    return unused ?? [...held.keys()].find((slot) => !busy.has(slot)) ?? -1
  }
  return {
    take(sessionId) {
      const slot = choose(sessionId)
      if (slot === -1) return slot
      held.delete(slot)
      held.set(slot, sessionId)
      busy.add(slot)
      return slot
    },
    give: (slot) => void busy.delete(slot),
  }
}
