/**
 * A session without opening it. One that no process has open is brought to rest in memory, by the same rules and with the
 * same event numbers as the next opening will: a client that looked can go on watching when it is opened.
 */
import type { SessionEvent } from '../protocol/event.ts'
import type { Message } from '../protocol/message.ts'
import { Conversation } from './conversation.ts'
import { keptEvents, type LogRecord, replayAll, type SessionLog } from './log.ts'
import type { Shelf } from './shelf.ts'

export type SessionLook = {
  readonly messages: readonly Message[]
  readonly lastEventId: number
  /** The kept events numbered above `after`, in batches. */
  events(after: number): AsyncIterable<readonly SessionEvent[]>
}

export async function lookAt(
  id: string,
  shelf: Pick<Shelf, 'records' | 'isOpen'>,
  now: () => number,
): Promise<SessionLook> {
  // Before the log is read: what a process that ends meanwhile wrote last is then in it.
  const isOpen = await shelf.isOpen(id)
  const log = inMemory(() => shelf.records(id))
  const stored = { replay: await replayAll(id, log.read()), log, damage: [] }
  if (isOpen)
    return {
      messages: stored.replay.messages,
      lastEventId: stored.replay.lastEventId,
      events: (after) => keptEvents(log.read(), after),
    }
  const conversation = new Conversation(stored, { now, outgoing: (value) => value })
  conversation.settle(stored)
  return {
    messages: conversation.history,
    lastEventId: conversation.lastEventId,
    events: (after) => keptEvents(log.read(), after),
  }
}

/** The records on disk, followed by those that only this look has. */
function inMemory(records: () => AsyncIterable<readonly LogRecord[]>): SessionLog {
  const added: LogRecord[] = []
  return {
    append: (record) => void added.push(record),
    sync: async () => {},
    async *read() {
      yield* records()
      yield added
    },
  }
}
