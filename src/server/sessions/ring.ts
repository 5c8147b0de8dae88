/**
 * The last events of one session, ready to be sent to any number of watchers. Pieces of text are never logged; a client
 * that lost the connection for a moment finds them here; after a longer absence it is served from the log.
 */
export type RingEvent = { readonly id: number; readonly data: string }

/** In characters of JSON. */
const MAX_SIZE = 1_048_576

export class SessionRing {
  #events: RingEvent[] = []
  #size = 0
  /** How many were dropped at the front: positions count from the first event ever. */
  #dropped = 0
  /** The event before the oldest one here. */
  #before: number
  #lastId: number
  #isClosed = false
  #waiting: (() => void)[] = []

  constructor(lastId: number) {
    this.#before = lastId
    this.#lastId = lastId
  }

  get lastId(): number {
    return this.#lastId
  }

  /** The event before the oldest one here; all after it are here. */
  get before(): number {
    return this.#before
  }

  /** The position of the oldest event that is still here. */
  get oldest(): number {
    return this.#dropped
  }

  push(event: { readonly id: number }): void {
    const data = JSON.stringify(event)
    this.#events.push({ id: event.id, data })
    this.#size += data.length
    this.#lastId = event.id
    while (this.#size > MAX_SIZE && this.#events.length > 1) this.#dropOldest()
    this.#wake()
  }

  close(): void {
    this.#isClosed = true
    this.#wake()
  }

  /** Where to read on after an event; nothing where it is no longer, or was never, here. */
  positionAfter(id: number): number | undefined {
    if (id < this.#before) return undefined
    const index = this.#events.findIndex((event) => event.id > id)
    return this.#dropped + (index === -1 ? this.#events.length : index)
  }

  /** What stands from a position on; waits for more. Nothing when the reader fell behind; ends when closed. */
  async read(position: number, signal: AbortSignal): Promise<readonly RingEvent[] | 'behind' | 'end'> {
    for (;;) {
      if (position < this.#dropped) return 'behind'
      const events = this.#events.slice(position - this.#dropped, position - this.#dropped + BATCH)
      if (events.length > 0) return events
      if (this.#isClosed || signal.aborted) return 'end'
      await this.#next(signal)
    }
  }

  #dropOldest(): void {
    const oldest = this.#events.shift()
    if (!oldest) return
    this.#size -= oldest.data.length
    this.#before = oldest.id
    this.#dropped++
  }

  #next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake)
        resolve()
      }
      signal.addEventListener('abort', wake, { once: true })
      this.#waiting.push(wake)
    })
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }
}

const BATCH = 100
