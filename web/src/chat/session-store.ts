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
  #isScheduled = false
  #last: number | undefined
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
    if (this.#isScheduled) return
    this.#isScheduled = true
    if (document.hidden) setTimeout(() => this.#flush(), HIDDEN_MS)
    else requestAnimationFrame(() => this.#flush())
  }

  #flush(): void {
    this.#isScheduled = false
    let { view } = this.#snapshot
    const keys = this.#pending.flatMap((event) =>
      'key' in event && event.key !== undefined ? event.key : [],
    )
    for (const event of this.#pending) if (event.id > view.lastEventId) view = reduceView(view, event)
    this.#pending = []
    const isFirst = !this.#snapshot.isLoaded
    const arrived = new Set([...this.#snapshot.arrived, ...keys])
    this.#change({ view, isLoaded: true, ...(keys.length > 0 && { arrived }) })
    if (isFirst) void this.#loadPast(view).catch(() => undefined)
  }

  /** Messages without events come from the session this one is a copy of. */
  async #loadPast(view: View): Promise<void> {
    const { messages } = await call<{ messages: readonly Message[] }>(`/v1/sessions/${part(this.id)}`, {
      signal: this.#stop.signal,
    })
    const told = view.items.filter(({ kind }) => kind === 'prompt').length
    const prompts = messages.flatMap((message, index) =>
      message.role === 'user' && message.origin === undefined ? [index] : [],
    )
    const begin = prompts.at(prompts.length - told) ?? messages.length
    if (prompts.length <= told) return
    this.#change({ past: viewOfHistory(messages.slice(0, told === 0 ? messages.length : begin)) })
  }

  #change(part: Partial<Snapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...part }
    for (const listener of this.#listeners) listener()
  }
}
