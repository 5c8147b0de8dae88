/**
 * Who works with which sequence. A sequence keeps the tokens of its last conversation; a request gets the one where the
 * least work is lost, and waits its turn when all are taken.
 */

/** What is known of a free sequence. */
export type SlotView = {
  readonly tokens: readonly number[]
  /** How many of them were its last prompt; the reply behind them is often not wanted again. */
  readonly prompt: number
  readonly usedAt: number
}

/**
 * The cheapest place for a prompt: tokens to evaluate, and tokens thrown away that their conversation would have to
 * evaluate again. A second conversation with the same system text therefore goes beside the first, not over it.
 */
export function chooseSlot(prompt: readonly number[], slots: readonly SlotView[]): number {
  const costs = slots.map((slot) => {
    const common = commonLength(prompt, slot.tokens)
    return prompt.length - common + Math.max(0, slot.prompt - common)
  })
  const least = Math.min(...costs)
  const oldest = Math.min(...slots.filter((_, index) => costs[index] === least).map(({ usedAt }) => usedAt))
  return slots.findIndex(({ usedAt }, index) => costs[index] === least && usedAt === oldest)
}

function commonLength(one: readonly number[], other: readonly number[]): number {
  const most = Math.min(one.length, other.length)
  let index = 0
  while (index < most && one[index] === other[index]) index++
  return index
}

export type SlotPool<Slot> = {
  readonly all: readonly Slot[]
  /** First come, first served; nothing when `signal` aborts before a slot is free. */
  take(choose: (free: readonly Slot[]) => Slot, signal?: AbortSignal): Promise<Slot | undefined>
  /** How many requests wait for a slot. */
  waiting(): number
  give(slot: Slot): void
}

export function createSlotPool<Slot>(all: readonly Slot[]): SlotPool<Slot> {
  const free = new Set(all)
  const waiting = new Set<(slot: Slot) => void>()
  return {
    all,
    waiting: () => (free.size > 0 ? 0 : waiting.size),
    async take(choose, signal) {
      if (signal?.aborted) return undefined
      if (free.size === 0) return waitFor(waiting, signal)
      const slot = choose([...free])
      free.delete(slot)
      return slot
    },
    give(slot) {
      const [next] = waiting
      if (!next) return void free.add(slot)
      waiting.delete(next)
      next(slot)
    },
  }
}

function waitFor<Slot>(
  waiting: Set<(slot: Slot) => void>,
  signal: AbortSignal | undefined,
): Promise<Slot | undefined> {
  return new Promise((resolve) => {
    const leave = (): void => {
      waiting.delete(take)
      resolve(undefined)
    }
    const take = (slot: Slot): void => {
      signal?.removeEventListener('abort', leave)
      resolve(slot)
    }
    waiting.add(take)
    signal?.addEventListener('abort', leave, { once: true })
  })
}
