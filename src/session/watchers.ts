/**
 * Everyone who follows a session. Each watcher has a bounded buffer; one that reads too slowly loses the buffer, not its
 * place: it catches up from the log and misses only the pieces (text deltas, live output) that are never kept.
 */
import type { SessionEvent } from '../protocol/event.ts'

/** The most a watcher's buffer may hold, in characters of JSON. */
const MAX_BUFFER = 1_048_576

type Watcher = {
  buffer: { readonly event: SessionEvent; readonly size: number }[]
  size: number
  /** There are events to read from the log before those in the buffer. */
  isBehind: boolean
  /** The first event that went into the buffer; absent after an overflow, while nothing goes there. */
  liveFrom: number | undefined
  wake(): void
}

export class Watchers {
  readonly #watchers = new Set<Watcher>()
  readonly #kept: (after: number) => AsyncIterable<readonly SessionEvent[]>
  #lastId: number
  #isClosed = false

  /** `kept` gives the logged events above a number in batches, as the log is at the moment of the call. */
  constructor(lastId: number, kept: (after: number) => AsyncIterable<readonly SessionEvent[]>) {
    this.#lastId = lastId
    this.#kept = kept
  }

  publish(event: SessionEvent): void {
    this.#lastId = event.id
    if (this.#watchers.size === 0) return
    const size = JSON.stringify(event).length
    for (const watcher of this.#watchers) push(watcher, event, size)
  }

  /** Watching begins with this call, not with the first read. Without `after`, with the next event. */
  watch(after: number | undefined, signal: AbortSignal): AsyncIterable<SessionEvent> {
    const from = Math.min(after ?? this.#lastId, this.#lastId)
    const isBehind = from < this.#lastId
    const watcher: Watcher = { buffer: [], size: 0, isBehind, liveFrom: this.#lastId + 1, wake: () => {} }
    const leave = () => {
      this.#watchers.delete(watcher)
      watcher.wake()
    }
    if (!signal.aborted) this.#watchers.add(watcher)
    signal.addEventListener('abort', leave, { once: true })
    return this.#deliver(watcher, from, () => {
      signal.removeEventListener('abort', leave)
      leave()
    })
  }

  /** Every watcher gets what is left for it, then ends. */
  close(): void {
    this.#isClosed = true
    for (const watcher of this.#watchers) watcher.wake()
  }

  async *#deliver(watcher: Watcher, from: number, leave: () => void): AsyncGenerator<SessionEvent> {
    try {
      for await (const batch of this.#batchesFor(watcher, from))
        for (const event of this.#whileWatched(watcher, batch)) yield event
    } finally {
      leave()
    }
  }

  *#whileWatched(watcher: Watcher, batch: readonly SessionEvent[]): Generator<SessionEvent> {
    for (const event of batch) if (this.#watchers.has(watcher)) yield event
  }

  async *#batchesFor(watcher: Watcher, from: number): AsyncGenerator<readonly SessionEvent[]> {
    let delivered = from
    while (this.#watchers.has(watcher)) {
      for await (const batch of watcher.isBehind ? this.#missed(watcher, delivered) : [take(watcher)]) {
        delivered = batch.at(-1)?.id ?? delivered
        yield batch
      }
      const isIdle = !watcher.isBehind && watcher.buffer.length === 0
      if (isIdle && this.#isClosed) return
      // Looked up again: the watcher may have left while the last event was on its way.
      if (isIdle && this.#watchers.has(watcher)) {
        await new Promise<void>((resolve) => {
          watcher.wake = resolve
        })
      }
    }
  }

  /** Kept events between what was delivered and what the buffer begins with. */
  async *#missed(watcher: Watcher, delivered: number): AsyncGenerator<readonly SessionEvent[]> {
    const liveFrom = watcher.liveFrom ?? this.#lastId + 1
    watcher.liveFrom = liveFrom
    watcher.isBehind = false
    for await (const batch of this.#kept(delivered)) {
      const missed = batch.filter(({ id }) => id < liveFrom)
      yield missed
      if (missed.length < batch.length) return
    }
  }
}

/** Empties the buffer, which fills again while what was taken is delivered. */
function take(watcher: Watcher): readonly SessionEvent[] {
  const taken = watcher.buffer.map(({ event }) => event)
  watcher.buffer = []
  watcher.size = 0
  return taken
}

function push(watcher: Watcher, event: SessionEvent, size: number): void {
  if (watcher.liveFrom === undefined) return
  watcher.buffer.push({ event, size })
  watcher.size += size
  if (watcher.size > MAX_BUFFER) {
    watcher.buffer = []
    watcher.size = 0
    watcher.isBehind = true
    watcher.liveFrom = undefined
  }
  watcher.wake()
}
