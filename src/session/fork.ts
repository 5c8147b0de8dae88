/**
 * Copies of a session. A copy of all of it, or of what came before a run, is made of the same records: the copy can be
 * shown, searched and forked as the original can, also where it was compacted. A copy of the first messages has only these.
 */
import { randomBytes } from 'node:crypto'
import { AppError } from '../protocol/error.ts'
import type { Message } from '../protocol/message.ts'
import { type LogRecord, type Replay, Replaying, replayAll } from './log.ts'
import type { Shelf } from './shelf.ts'
import { endOf } from './unreported-end.ts'

/** Absent = all of it; a number = the first messages; `before` = what came before this run began. */
export type ForkPoint = number | { readonly before: string } | undefined

export type Fork = {
  readonly from: string
  readonly to: string
  readonly point: ForkPoint
  now(): number
}

export async function writeFork(shelf: Shelf, fork: Fork): Promise<void> {
  const { from, to, point } = fork
  const records = typeof point === 'number' ? firstMessages(shelf, fork, point) : sameRecords(shelf, fork)
  // Asked for its first record before anything is written: a fork that cannot be made leaves nothing behind.
  const first = await records.next()
  await shelf.copyBelongings(from, to)
  const { log, close } = await shelf.open(to)
  try {
    for (let next = first; !next.done; next = await records.next()) log.append(next.value)
    await log.sync()
  } finally {
    await close()
  }
}

async function* firstMessages(
  shelf: Shelf,
  { from, to, now }: Fork,
  count: number,
): AsyncGenerator<LogRecord> {
  const source = await replayAll(from, shelf.records(from))
  const { length } = source.messages
  if (!Number.isInteger(count) || count < 0 || count > length)
    throw new AppError(
      'request-invalid',
      `Session ${from} has ${length} messages; it cannot be forked at ${count}`,
    )
  const at = now()
  yield* startOf(source, { to, at, messages: count, title: source.info.title })
  for (const message of source.messages.slice(0, count)) yield joined(message, at)
}

/** The user's own messages can be gone back to in the copy, too. */
const joined = (message: Message, at: number): LogRecord =>
  message.role === 'user' && message.origin === undefined
    ? { type: 'composed', at, runId: `run-${randomBytes(5).toString('hex')}`, messages: [message] }
    : { type: 'message', at, message }

async function* sameRecords(shelf: Shelf, { from, to, point, now }: Fork): AsyncGenerator<LogRecord> {
  const before = typeof point === 'object' ? point.before : undefined
  const { source, begun, end } = await readUpTo(shelf, from, before)
  const at = now()
  const messages = source.messages.length
  // Where nothing was said yet, the next message names the copy.
  yield* startOf(source, { to, at, messages, title: messages > 0 ? source.info.title : '' })
  let index = 0
  for await (const records of shelf.records(from)) {
    for (const record of records) if (index++ < end && isCopied(record, begun)) yield record
  }
  if (source.openRun !== undefined)
    yield { type: 'event', at, id: source.lastEventId + 1, event: endOf(source.openRun, 'cancelled', COPIED) }
}

const COPIED = 'The copy was made while this run was in progress.'

type Read = {
  /** As it was there. */
  readonly source: Replay
  /** Runs that had begun. */
  readonly begun: ReadonlySet<string>
  /** How many records that is. */
  readonly end: number
}

async function readUpTo(shelf: Shelf, id: string, before: string | undefined): Promise<Read> {
  const replaying = new Replaying(id)
  const begun = new Set<string>()
  let end = 0
  for await (const records of shelf.records(id)) {
    for (const record of records) {
      const begins = runBegunBy(record)
      if (begins !== undefined && begins === before) return { source: replaying.result(), begun, end }
      if (begins !== undefined) begun.add(begins)
      replaying.add(record)
      end++
    }
  }
  if (before === undefined) return { source: replaying.result(), begun, end }
  throw new AppError(
    'request-invalid',
    `Session ${id} no longer has the message of ${before}; choose another one.`,
  )
}

function runBegunBy(record: LogRecord): string | undefined {
  if (record.type === 'composed') return record.runId
  return record.type === 'event' && record.event.type === 'run-start' ? record.event.runId : undefined
}

/** A message that was still waiting for its run is not part of the copy, and neither is its end. */
function isCopied(record: LogRecord, begun: ReadonlySet<string>): boolean {
  if (record.type === 'session-start') return false
  if (record.type === 'prompt') return begun.has(record.runId)
  if (record.type !== 'event') return true
  const { event } = record
  return event.type === 'prompt-queue' || event.type === 'run-end' ? begun.has(event.runId) : true
}

type Start = { readonly to: string; readonly at: number; readonly messages: number; readonly title: string }

/** Without its own first record the source has no system text; the fork then gets one when it is opened. */
function startOf({ info, system }: Replay, { to, at, messages, title }: Start): readonly LogRecord[] {
  if (system === undefined) return []
  const { id, cwd } = info
  const forkedFrom = { id, messages }
  return [{ type: 'session-start', id: to, cwd, system, createdAt: at, title, forkedFrom }]
}
