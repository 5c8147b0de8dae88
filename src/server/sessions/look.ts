/** Looking at a session that is not open: from its log, and from the moment another client opens it, as it happens. */
import type { Message } from '../../protocol/message.ts'
import type { SessionParts } from '../parts.ts'
import type { StreamPart } from '../http/route.ts'

export type Looked = {
  /** What was said, as of event `last`. */
  history(): Promise<{ readonly messages: readonly Message[]; readonly last: number }>
  /** From an event on, or from now; begins with a part that names the place. */
  watch(after: number | undefined, signal: AbortSignal): AsyncGenerator<StreamPart>
}

type LookParts = {
  readonly parts: Pick<SessionParts, 'look'>
  /** The session, where it is open by now. */
  find(): Looked | undefined
  readonly arrivals: Arrivals<Looked>
}

export async function lookAt(id: string, { parts, find, arrivals }: LookParts): Promise<Looked> {
  const look = await parts.look(id)
  return {
    history: async () => ({ messages: look.messages, last: look.lastEventId }),
    async *watch(after, signal): AsyncGenerator<StreamPart> {
      let last = after ?? look.lastEventId
      yield { event: 'open', id: String(last), data: JSON.stringify({ last: look.lastEventId }) }
      for await (const events of look.events(last)) {
        if (signal.aborted) return
        for (const event of events) yield { id: String(event.id), data: JSON.stringify(event) }
        last = events.at(-1)?.id ?? last
      }
      const opened = find() ?? (await arrivals.next(id, signal))
      if (!opened) return
      for await (const part of opened.watch(last, signal)) if (part.event !== 'open') yield part
    },
  }
}

/** Tells those who wait for something by its name that it came, or that it never will. */
export class Arrivals<Value> {
  readonly #waiting = new Map<string, Set<(value: Value | undefined) => void>>()

  next(name: string, signal: AbortSignal): Promise<Value | undefined> {
    const waiting = this.#waiting.get(name) ?? new Set()
    this.#waiting.set(name, waiting)
    return new Promise((resolve) => {
      const end = (value: Value | undefined): void => {
        signal.removeEventListener('abort', leave)
        waiting.delete(end)
        if (waiting.size === 0 && this.#waiting.get(name) === waiting) this.#waiting.delete(name)
        resolve(value)
      }
      const leave = () => end(undefined)
      waiting.add(end)
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
    })
  }

  tell(name: string, value: Value | undefined): void {
    for (const end of this.#waiting.get(name) ?? []) end(value)
  }
}
