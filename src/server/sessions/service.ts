/**
 * Sessions that the server holds open for its clients. One is opened on the first request and released when it was not
 * used for a while: then the command line can open it again. One that is running or watched is never released.
 */
import { AppError } from '../../protocol/error.ts'
import type { AcceptedPrompt, PromptOptions, SessionApi, SessionInfo } from '../../protocol/session-api.ts'
import type { SessionEvent } from '../../protocol/event.ts'
import type { KeptSession, SessionControls, SessionParts } from '../parts.ts'
import { Arrivals, lookAt, type Looked } from './look.ts'
import { SessionRing } from './ring.ts'
import type { StreamPart } from '../http/route.ts'

export type SessionServiceOptions = {
  readonly idleMs?: number
  readonly lookEveryMs?: number
  readonly maxHeld?: number
  /** Called with every event of every open session. */
  onEvent?(sessionId: string, event: SessionEvent): void
}

export type SessionService = {
  create(): Promise<HeldOpen>
  open(id: string): Promise<HeldOpen>
  /** For a client that only looks: opens nothing, and goes on with the session when another client opens it. */
  look(id: string): Promise<Looked>
  /** Closes it and deletes it by `erase`; no request opens it in between. */
  remove(id: string, erase: (id: string) => Promise<void>): Promise<void>
  /** Gives it free; what was said stays on disk. False when it was not held. */
  release(id: string): Promise<boolean>
  holds(id: string): boolean
  list(): Promise<readonly (SessionInfo & { readonly isOpen: boolean })[]>
  close(): Promise<void>
}

export type HeldOpen = Looked & {
  readonly session: SessionApi & { readonly controls?: SessionControls }
  prompt(input: Parameters<SessionApi['prompt']>[0], options: PromptOptions): Promise<AcceptedPrompt>
}

const IDLE_MS = 30 * 60_000
const LOOK_EVERY_MS = 30_000
const MAX_HELD = 64

export function createSessionService(
  parts: SessionParts,
  options: SessionServiceOptions = {},
): SessionService {
  const { idleMs = IDLE_MS, lookEveryMs = LOOK_EVERY_MS, maxHeld = MAX_HELD, onEvent = () => {} } = options
  const held = new Map<string, Held>()
  const arrivals = new Arrivals<Looked>()
  const { leave, left } = createLeaver(held)
  const release = async (id: string): Promise<boolean> => {
    const found = held.get(id)
    if (found) await leave(id, () => found.close())
    return found !== undefined
  }
  const look = setInterval(() => {
    for (const [id, one] of held) if (one.idleMs() > idleMs) void release(id).catch(() => undefined)
  }, lookEveryMs)
  const { hold, settled } = createOpener(held, { maxHeld, release, onEvent, arrivals })
  const { open, opened } = createSharedOpen(held, (id) =>
    hold(async () => {
      await left(id)
      return parts.resume(id)
    }),
  )
  return {
    create: () => hold(parts.create),
    open,
    look: async (id) => held.get(id) ?? (await lookAt(id, { parts, find: () => held.get(id), arrivals })),
    async remove(id, erase) {
      await left(id)
      await opened(id)
      const found = held.get(id)
      await leave(id, async () => {
        await found?.close()
        await erase(id)
      })
      arrivals.tell(id, undefined)
    },
    release,
    holds: (id) => held.has(id),
    async list() {
      return (await parts.list()).map((info) => ({ ...info, isOpen: held.has(info.id) }))
    },
    async close() {
      clearInterval(look)
      // One that is just being opened would stay open, and locked for everyone else.
      await settled()
      await Promise.all([...held.keys()].map(release))
    },
  }
}

/** Two clients who ask at once get the same one: a session has one writer. `opened` waits for one that is being opened. */
function createSharedOpen(held: ReadonlyMap<string, Held>, resume: (id: string) => Promise<Held>) {
  const opening = new Map<string, Promise<Held>>()
  return {
    open(id: string): Promise<Held> {
      const known = held.get(id)
      if (known) return Promise.resolve(known)
      const started = opening.get(id) ?? resume(id).finally(() => opening.delete(id))
      opening.set(id, started)
      return started
    },
    async opened(id: string): Promise<void> {
      await opening.get(id)?.catch(() => undefined)
    },
  }
}

/** A session that is being closed or deleted is not opened before that is over. */
function createLeaver(held: Map<string, Held>) {
  const leaving = new Map<string, Promise<void>>()
  return {
    async leave(id: string, work: () => Promise<void>): Promise<void> {
      held.delete(id)
      const over = work().finally(() => leaving.delete(id))
      leaving.set(id, over)
      await over
    },
    left: (id: string): Promise<void> => leaving.get(id)?.catch(() => undefined) ?? Promise.resolve(),
  }
}

/** Opens sessions, no more than may be held at a time; `settled` waits for those that are being opened. */
type OpenerParts = Pick<SessionService, 'release'> &
  Required<Pick<SessionServiceOptions, 'maxHeld' | 'onEvent'>> & { readonly arrivals: Arrivals<Looked> }

function createOpener(held: Map<string, Held>, { maxHeld, release, onEvent, arrivals }: OpenerParts) {
  const arriving = new Set<Promise<Held>>()
  return {
    async hold(open: () => Promise<KeptSession>): Promise<Held> {
      // Counted before anything is awaited: many may come at once.
      const isFull = held.size + arriving.size >= maxHeld
      const arrival = (async () => {
        if (isFull) await releaseIdlest(held, release)
        const one = new Held(await open(), onEvent)
        held.set(one.session.id, one)
        arrivals.tell(one.session.id, one)
        return one
      })()
      arriving.add(arrival)
      return arrival.finally(() => arriving.delete(arrival))
    },
    settled: () => Promise.allSettled(arriving),
  }
}

async function releaseIdlest(
  held: ReadonlyMap<string, Held>,
  release: SessionService['release'],
): Promise<void> {
  const [idlest] = [...held.values()]
    .filter((one) => one.idleMs() > 0)
    .sort((a, b) => b.idleMs() - a.idleMs())
  if (!idlest) {
    const text = `${held.size} sessions are open and at work; close one with DELETE /v1/sessions/ID first.`
    throw new AppError('rate-limited', text)
  }
  await release(idlest.session.id)
}

class Held implements HeldOpen {
  readonly session: KeptSession
  readonly #ring: SessionRing
  readonly #running = new Set<string>()
  /** Runs that ended before the prompt was answered. */
  readonly #endedEarly = new Set<string>()
  readonly #following = new AbortController()
  #isClosed = false
  #watchers = 0
  #usedAt = performance.now()

  readonly #tell: OpenerParts['onEvent']

  constructor(session: KeptSession, tell: OpenerParts['onEvent']) {
    this.session = session
    this.#tell = tell
    this.#ring = new SessionRing(session.lastEventId)
    // When the events become unreadable, watchers receive the end; the other sessions go on.
    void this.#follow()
      .catch(() => undefined)
      .finally(() => this.#ring.close())
  }

  /** 0 while it works or is watched. */
  idleMs(): number {
    return this.#watchers > 0 || this.#running.size > 0 ? 0 : performance.now() - this.#usedAt
  }

  async prompt(...args: Parameters<HeldOpen['prompt']>): Promise<AcceptedPrompt> {
    this.#usedAt = performance.now()
    const accepted = await this.session.prompt(...args)
    const { runId, isRepeated } = accepted
    if (!isRepeated && !this.#endedEarly.delete(runId)) this.#running.add(runId)
    return accepted
  }

  async *watch(after: number | undefined, signal: AbortSignal): AsyncGenerator<StreamPart> {
    const from = after ?? this.#ring.lastId
    this.#watchers++
    try {
      yield { event: 'open', id: String(from), data: JSON.stringify({ last: this.#ring.lastId }) }
      // Not `yield*`, which awaits each of thousands of events once more.
      for await (const part of this.#eventsAfter(from, signal)) yield part
      if (this.#isClosed) yield { event: 'end', data: '{}' }
    } finally {
      this.#watchers--
      this.#usedAt = performance.now()
    }
  }

  async history(): ReturnType<Looked['history']> {
    const { lastEventId: last } = this.session
    return { messages: await this.session.history(), last }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.session.close()
    this.#following.abort()
  }

  /** What the ring no longer has comes from the session's log, the rest from the ring: it has the pieces of text as well. */
  async *#eventsAfter(after: number, signal: AbortSignal): AsyncGenerator<StreamPart> {
    let last = after
    while (!signal.aborted) {
      for await (const event of this.#beforeRing(last, signal))
        yield { id: String(event.id), data: JSON.stringify(event) }
      last = Math.max(last, this.#ring.before)
      let position = this.#ring.positionAfter(last)
      while (position !== undefined) {
        const events = await this.#ring.read(position, signal)
        if (events === 'end') return
        if (events === 'behind') break
        for (const { id, data } of events) yield { id: String(id), data }
        position += events.length
        last = events.at(-1)?.id ?? last
      }
    }
  }

  async *#beforeRing(after: number, signal: AbortSignal): AsyncGenerator<SessionEvent> {
    if (after >= this.#ring.before) return
    for await (const event of this.session.events({ after, signal })) {
      if (event.id > this.#ring.before) return
      yield event
    }
  }

  async #follow(): Promise<void> {
    const events = this.session.events({ after: this.#ring.lastId, signal: this.#following.signal })
    for await (const event of events) {
      this.#ring.push(event)
      this.#tell(this.session.id, event)
      this.#usedAt = performance.now()
      if (event.type === 'run-end' && !this.#running.delete(event.runId)) this.#endedEarly.add(event.runId)
    }
  }
}
