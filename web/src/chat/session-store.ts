/**
 * One session as the page sees it, outside of React: events come in as they like, the View is made anew at most once a
 * frame. An event that was taken in is never taken in again, by any connection.
 */
import type { SessionEvent } from '../../../src/protocol/event.ts'
import type { Message } from '../../../src/protocol/message.ts'
import { viewOfHistory } from '../../../src/view/history.ts'
import { reduceView } from '../../../src/view/reduce.ts'
import { emptyView, type Item, type View } from '../../../src/view/view.ts'
import { call, part } from '../api/call.ts'
import { follow, type Line } from '../api/stream.ts'

export type Snapshot = {
  readonly view: View
  /** Said before the first event: a fork has messages of the session it was copied from. */
  readonly past: readonly Item[]
  readonly line: Line
  readonly isLoaded: boolean
  /** Keys of the prompts that the session has. */
  readonly arrived: ReadonlySet<string>
}

/** Nothing more came for so long: what was kept is here. */
const QUIET_MS = 120
/** A hidden tab has no frames. */
const HIDDEN_MS = 250

export class SessionStore {
  readonly id: string
  #snapshot: Snapshot = {
    view: emptyView,
    past: [],
    line: { state: 'connecting' },
    isLoaded: false,
    arrived: new Set(),
  }
  #pending: SessionEvent[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #frame = 0
  #last: number | undefined
  #isPastAsked = false
  /** The newest event in the View, and those of the starts of runs. */
  #seen = 0
  readonly #starts: number[] = []
  readonly #waiting: (() => void)[] = []
  #quiet: ReturnType<typeof setTimeout> | undefined
  readonly #listeners = new Set<() => void>()
  readonly #stop = new AbortController()

  constructor(id: string) {
    this.id = id
    void follow({
      path: `/v1/sessions/${part(id)}/events`,
      after: () => this.#pending.at(-1)?.id ?? this.#snapshot.view.lastEventId,
      onLine: (line) => this.#change({ line }),
      onMessage: ({ event, data }) => this.#take(event, data),
      signal: this.#stop.signal,
    })
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): Snapshot => this.#snapshot

  close(): void {
    clearTimeout(this.#quiet)
    this.#stop.abort()
  }

  #take(event: string | undefined, data: string): void {
    if (event === 'open') this.#last = (JSON.parse(data) as { last?: number }).last
    else if (event === undefined) this.#pending.push(JSON.parse(data) as SessionEvent)
    if (this.#snapshot.isLoaded) return this.#schedule()
    clearTimeout(this.#quiet)
    const isWhole = (this.#pending.at(-1)?.id ?? 0) >= (this.#last ?? Infinity)
    if (isWhole) this.#flush()
    else this.#quiet = setTimeout(() => this.#flush(), QUIET_MS)
  }

  #schedule(): void {
    if (this.#timer !== undefined) return
    // A frame that was asked for need not come: the tab may be hidden before.
    this.#timer = setTimeout(() => this.#flush(), HIDDEN_MS)
    this.#frame = requestAnimationFrame(() => this.#flush())
  }

  #flush(): void {
    clearTimeout(this.#timer)
    cancelAnimationFrame(this.#frame)
    this.#timer = undefined
    let { view } = this.#snapshot
    const keys = this.#pending.flatMap((event) =>
      'key' in event && event.key !== undefined ? event.key : [],
    )
    for (const event of this.#pending) {
      if (event.id <= view.lastEventId) continue
      if (event.type === 'run-start') this.#starts.push(event.id)
      view = reduceView(view, event)
    }
    this.#pending = []
    this.#seen = view.lastEventId
    for (const wake of this.#waiting.splice(0)) wake()
    const arrived = new Set([...this.#snapshot.arrived, ...keys])
    this.#change({ view, isLoaded: true, ...(keys.length > 0 && { arrived }) })
    // Not before all that was kept is here: what has events is no past.
    if (this.#isPastAsked || view.lastEventId < (this.#last ?? Infinity)) return
    this.#isPastAsked = true
    void this.#loadPast().catch(() => (this.#isPastAsked = false))
  }

  /** Messages without events come from the session this one is a copy of. */
  async #loadPast(): Promise<void> {
    const { messages, last } = await call<{ messages: readonly Message[]; last: number }>(
      `/v1/sessions/${part(this.id)}`,
      { signal: this.#stop.signal },
    )
    // Runs that began after this answer are not in it, and those before it are all known once its last event is.
    while (this.#seen < last) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    const told = this.#starts.filter((id) => id <= last).length
    const prompts = messages.flatMap((message, index) =>
      message.role === 'user' && message.origin === undefined ? [index] : [],
    )
    if (prompts.length <= told) return
    const begin = told === 0 ? messages.length : (prompts.at(-told) ?? messages.length)
    this.#change({ past: viewOfHistory(messages.slice(0, begin)) })
  }

  #change(part: Partial<Snapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...part }
    for (const listener of this.#listeners) listener()
  }
}
