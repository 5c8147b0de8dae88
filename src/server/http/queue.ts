/**
 * Turns at a model that answers only so many at a time. Clients are served round robin, so that one with a hundred
 * requests makes another wait for one of them, not for a hundred. A client that leaves frees its slot at once.
 */

export type FairQueue = {
  /** Takes a place in line at once; `leave` must follow, whatever happens. */
  enter(wish: { readonly model: string; readonly client: string }): QueueSlot
  /** How many are answered and how many wait, over all models. */
  state(): { readonly active: number; readonly waiting: number }
}

export type QueueSlot = {
  /** Whether it is this one's turn; who finds a free slot need not wait for `positions`. */
  isServed(): boolean
  /** How many are served before this one, each time that changes; ends when it is this one's turn. */
  positions(signal: AbortSignal): AsyncGenerator<number, void>
  leave(): void
}

export type FairQueueOptions = {
  /** How many requests a model answers at a time. */
  slots(model: string): number
}

export function createFairQueue({ slots }: FairQueueOptions): FairQueue {
  const lines = new Map<string, Line>()
  return {
    enter({ model, client }) {
      const line = lines.get(model) ?? { active: new Set<Ticket>(), waiting: new Map<string, Ticket[]>() }
      lines.set(model, line)
      const ticket: Ticket = { client, wake: () => {} }
      enqueue(line, ticket)
      admit(line, slots(model))
      return {
        isServed: () => line.active.has(ticket),
        positions: (signal) => positionsOf(line, ticket, signal),
        leave() {
          remove(line, ticket)
          admit(line, slots(model))
          if (line.active.size === 0 && line.waiting.size === 0) lines.delete(model)
        },
      }
    },
    state() {
      const all = [...lines.values()]
      return {
        active: all.reduce((total, line) => total + line.active.size, 0),
        waiting: all.reduce((total, line) => total + order(line).length, 0),
      }
    },
  }
}

type Ticket = { readonly client: string; wake(): void }

type Line = {
  readonly active: Set<Ticket>
  /** By client, in the order in which clients are served next. */
  readonly waiting: Map<string, Ticket[]>
}

function enqueue({ waiting }: Line, ticket: Ticket): void {
  const own = waiting.get(ticket.client)
  if (own) own.push(ticket)
  else waiting.set(ticket.client, [ticket])
}

/** Those who are served already are not woken: there may be a thousand of them. */
function admit(line: Line, slots: number): void {
  const changed = order(line)
  while (line.active.size < Math.max(1, slots)) {
    const [next] = line.waiting
    if (!next) break
    const [client, [ticket, ...rest]] = next
    line.waiting.delete(client)
    // Behind all others who wait: it has just had its turn.
    if (rest.length > 0) line.waiting.set(client, rest)
    if (ticket) line.active.add(ticket)
  }
  for (const ticket of changed) ticket.wake()
}

function remove({ active, waiting }: Line, ticket: Ticket): void {
  if (active.delete(ticket)) return
  const rest = waiting.get(ticket.client)?.filter((other) => other !== ticket) ?? []
  if (rest.length > 0) waiting.set(ticket.client, rest)
  else waiting.delete(ticket.client)
}

/** All waiting requests, in the order they will be served if the queue does not change. */
function order({ waiting }: Line): Ticket[] {
  const queues = [...waiting.values()]
  const longest = Math.max(0, ...queues.map((queue) => queue.length))
  return Array.from({ length: longest }, (_, round) => queues.flatMap((queue) => queue[round] ?? [])).flat()
}

async function* positionsOf(line: Line, ticket: Ticket, signal: AbortSignal): AsyncGenerator<number, void> {
  let told = 0
  const wake = () => ticket.wake()
  signal.addEventListener('abort', wake, { once: true })
  try {
    for (;;) {
      signal.throwIfAborted()
      if (line.active.has(ticket)) return
      const position = order(line).indexOf(ticket) + 1
      // Made before telling: a change while the listener is busy must not be missed.
      const changed = new Promise<void>((resolve) => (ticket.wake = resolve))
      if (position !== told) yield (told = position)
      await changed
    }
  } finally {
    signal.removeEventListener('abort', wake)
  }
}
