/** All sessions of one person: made, resumed, listed, searched, forked, pruned. The same on disk and in memory. */
import { cleanControl } from '../lib/clean.ts'
import { nearest } from '../lib/nearest.ts'
import { clip } from '../lib/text.ts'
import { AppError } from '../protocol/error.ts'
import type { OwnMessage } from '../protocol/back.ts'
import type { Message } from '../protocol/message.ts'
import type { SessionInfo } from '../protocol/session-api.ts'
import { diskShelf } from './disk-shelf.ts'
import { type Fork, type ForkPoint, writeFork } from './fork.ts'
import { newSessionId } from './id.ts'
import { type LogRecord, type Replay, replayAll, type SessionStart } from './log.ts'
import { lookAt, type SessionLook } from './look.ts'
import { memoryShelf } from './memory-shelf.ts'
import { readOwnMessages } from './own-messages.ts'
import type { OpenSession, Shelf } from './shelf.ts'

export type StoreOptions = {
  /** Where the sessions lie; absent = they live in memory and end with the process. */
  readonly folder?: string
  /** How many of a person's own are kept; a new one makes the oldest leave. Those of packets are counted apart. */
  readonly keep?: number
  now?(): number
}

export type StoredSession = OpenSession & { readonly replay: Replay & { readonly system: string } }

type SearchHit = { readonly info: SessionInfo; readonly excerpt: string }

/** How a session begins; a function is asked once the session is open, before anything is written. */
export type Starting = SessionStart | ((opened: OpenSession) => Promise<SessionStart>)

export interface SessionStore {
  create(start: Starting): Promise<StoredSession>
  /** Resumes. `start` is used only if the log has lost its first record. Throws `session-unknown`, `session-busy`. */
  open(id: string, start: Starting): Promise<StoredSession>
  /** The session as logged, also while another process writes it. */
  read(id: string): Promise<Replay>
  /** The session as it would be if it were opened now. Opens nothing and writes nothing. */
  look(id: string): Promise<SessionLook>
  /** Newest first; only those of one project folder when `cwd` is given. */
  list(cwd?: string): Promise<readonly SessionInfo[]>
  /** The newest of the person's own in which something was said. */
  last(cwd: string): Promise<SessionInfo | undefined>
  /** Sessions whose messages contain `text`, newest first, case-insensitive. */
  search(text: string): Promise<readonly SearchHit[]>
  /** A copy, ready to be opened; returns its id. */
  fork(id: string, point?: ForkPoint): Promise<string>
  /** What the user said, oldest first, also before a compaction. */
  ownMessages(id: string): Promise<readonly OwnMessage[]>
  remove(id: string): Promise<void>
  /** Removes all but the newest; never one that is in use. Returns the ids. */
  prune(): Promise<readonly string[]>
}

export function createSessionStore({ folder, keep = 20, now = Date.now }: StoreOptions): SessionStore {
  const shelf = folder === undefined ? memoryShelf() : diskShelf(folder)
  const list = async (cwd?: string) =>
    newestFirst(await shelf.list()).filter((info) => cwd === undefined || info.cwd === cwd)
  const prune = async () => {
    await shelf.sweep()
    return pruneShelf(shelf, beyond(await list(), keep))
  }

  return {
    async create(starting) {
      const id = await makeSession(shelf, now)
      const opened = await shelf.open(id)
      const start = await begin(opened, starting, now()).catch(async (error: unknown) => {
        await shelf.remove(id).catch(() => undefined)
        throw error
      })
      // Tidying up that fails is tried again with the next session; it is no reason to have none.
      await prune().catch(() => undefined)
      return discardIfUnused(shelf, withStart(opened, start))
    },
    async open(id, starting) {
      await requireKnown(shelf, id)
      const opened = await shelf.open(id)
      return withStart(opened, await begin(opened, starting, now()))
    },
    async read(id) {
      await requireKnown(shelf, id)
      return readSession(shelf, id)
    },
    async look(id) {
      await requireKnown(shelf, id)
      return lookAt(id, shelf, now)
    },
    list,
    last: async (cwd) => (await list(cwd)).find(({ messages, isPacket }) => messages > 0 && !isPacket),
    search: async (text) => searchShelf(shelf, await list(), text),
    fork: (from, point) => forkSession(shelf, { from, point, now }),
    async ownMessages(id) {
      await requireKnown(shelf, id)
      return readOwnMessages(shelf.records(id))
    },
    async remove(id) {
      await requireKnown(shelf, id)
      await shelf.remove(id)
    },
    prune,
  }
}

const newestFirst = (infos: readonly SessionInfo[]): SessionInfo[] =>
  infos.toSorted((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1))

async function forkSession(shelf: Shelf, fork: Omit<Fork, 'to'>): Promise<string> {
  await requireKnown(shelf, fork.from)
  const to = await makeSession(shelf, fork.now)
  await writeFork(shelf, { ...fork, to }).catch(async (error: unknown) => {
    // Half a copy would look like a session; where it cannot be removed, the first reason is still the one to tell.
    await shelf.remove(to).catch(() => undefined)
    throw error
  })
  return to
}

async function makeSession(shelf: Shelf, now: () => number): Promise<string> {
  for (;;) {
    const id = newSessionId(now())
    if (await shelf.make(id)) return id
  }
}

async function begin(opened: OpenSession, starting: Starting, now: number): Promise<SessionStart> {
  const { replay, log, close } = opened
  try {
    const start = typeof starting === 'function' ? await starting(opened) : starting
    if (replay.system !== undefined) return start
    log.append({
      type: 'session-start',
      id: replay.info.id,
      ...start,
      createdAt: replay.info.createdAt || now,
    })
    await log.sync()
    return start
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}

function withStart(opened: OpenSession, { cwd, system }: SessionStart): StoredSession {
  const { replay } = opened
  if (replay.system !== undefined) return { ...opened, replay: { ...replay, system: replay.system } }
  return { ...opened, replay: { ...replay, system, info: { ...replay.info, cwd } } }
}

/** A terminal that was opened and closed again without a word leaves no session behind. */
function discardIfUnused(shelf: Shelf, session: StoredSession): StoredSession {
  const { log } = session
  let isUsed = false
  return {
    ...session,
    log: {
      sync: () => log.sync(),
      read: () => log.read(),
      append(record) {
        isUsed = true
        log.append(record)
      },
    },
    async close() {
      await session.close()
      if (!isUsed) await removeIfFree(shelf, session.replay.info.id)
    },
  }
}

async function requireKnown(shelf: Shelf, id: string): Promise<void> {
  if (await shelf.has(id)) return
  const ids = newestFirst(await shelf.list()).map((info) => info.id)
  const near = ids.filter((known) => id.length >= 3 && known.includes(id)).slice(0, 3)
  const guess = near.length > 0 ? near.join(', ') : nearest(id.slice(0, 100), ids)
  const hint = guess ? ` Did you mean ${guess}?` : ''
  const shown = clip(cleanControl(id), 60)
  throw new AppError(
    'session-unknown',
    `The session "${shown}" does not exist.${hint} \`covey sessions\` lists the existing ones.`,
  )
}

const readSession = (shelf: Shelf, id: string): Promise<Replay> => replayAll(id, shelf.records(id))

/** As many as a long queue has: what its packets did to files can be undone while it works. */
const PACKETS_PER_KEPT = 5

/** Packets come in dozens and would crowd out what a person said. */
function beyond(newest: readonly SessionInfo[], keep: number): readonly SessionInfo[] {
  const packets = newest.filter(({ isPacket }) => isPacket)
  const own = newest.filter(({ isPacket }) => !isPacket)
  return [...own.slice(keep), ...packets.slice(keep * PACKETS_PER_KEPT)]
}

/** A failed removal stops no other; the first error is thrown after all were tried. */
async function pruneShelf(shelf: Shelf, leaving: readonly SessionInfo[]): Promise<string[]> {
  const removed: string[] = []
  const failures: unknown[] = []
  for (const { id } of leaving) {
    const isRemoved = await removeIfFree(shelf, id).catch((error: unknown) => void failures.push(error))
    if (isRemoved) removed.push(id)
  }
  if (failures.length > 0) throw failures[0]
  return removed
}

/** False while it is open elsewhere. */
async function removeIfFree(shelf: Shelf, id: string): Promise<boolean> {
  try {
    await shelf.remove(id)
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'session-busy') return false
    throw error
  }
}

async function searchShelf(shelf: Shelf, infos: readonly SessionInfo[], text: string): Promise<SearchHit[]> {
  const hits: SearchHit[] = []
  for (const info of infos) {
    // One that another process removes at this moment is found no more.
    const excerpt = await findText(shelf.records(info.id), text).catch(() => undefined)
    if (excerpt !== undefined) hits.push({ info, excerpt })
  }
  return hits
}

async function findText(
  batches: AsyncIterable<readonly LogRecord[]>,
  text: string,
): Promise<string | undefined> {
  const wanted = text.toLowerCase()
  for await (const records of batches) {
    for (const said of records.flatMap(messagesOf)) {
      const at = said.text.toLowerCase().indexOf(wanted)
      if (at >= 0) return said.text.slice(Math.max(0, at - 60), at + text.length + 60)
    }
  }
  return undefined
}

function messagesOf(record: LogRecord): readonly Message[] {
  if (record.type === 'message') return [record.message]
  return record.type === 'composed' || record.type === 'history' ? record.messages : []
}
