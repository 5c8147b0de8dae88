/**
 * Sessions on disk: one folder each, `<id>/log.jsonl`, `<id>/results/` and what the firewall keeps in
 * `<id>/secrets.jsonl`, for their owner's eyes only. The list has an index beside them, which only saves time: an
 * entry counts while its stamp still fits the log.
 */
import { copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoOf, storageError, syncFolder } from '../lib/atomic-write.ts'
import { ensureFolder } from '../lib/ensure-folder.ts'
import { isObject } from '../lib/json.ts'
import { type JsonlFile, openJsonl, readJsonl } from '../lib/jsonl/file.ts'
import { acquireLock, holderOf } from '../lib/lock.ts'
import { plural } from '../lib/text.ts'
import type { SessionInfo } from '../protocol/session-api.ts'
import { isSessionId } from './id.ts'
import { type IndexEntry, loadIndex, saveIndex } from './index-file.ts'
import { type LogRecord, replayAll, Replaying, type SessionLog } from './log.ts'
import { copyResults, openResults } from './results.ts'
import type { OpenSession, Shelf } from './shelf.ts'

export function diskShelf(folder: string): Shelf {
  const logPath = (id: string) => join(folder, id, 'log.jsonl')
  const resultsFolder = (id: string) => join(folder, id, 'results')

  return {
    list: () => listWithIndex(folder, logPath),
    has: async (id) => isSessionId(id) && (await stamp(logPath(id))) !== undefined,
    make: (id) => makeFolder(folder, id),
    open: (id) => openSession(join(folder, id), id),
    records: (id) => readRecords(logPath(id)),
    isOpen: async (id) => (await holderOf(join(folder, id))) !== undefined,
    async copyBelongings(from, to) {
      await copyResults(resultsFolder(from), resultsFolder(to))
      await copyIfThere(join(folder, from, SECRETS), join(folder, to, SECRETS))
    },
    remove: (id) => removeFolder(folder, id),
    sweep: () => sweep(folder, logPath),
  }
}

/** Placeholders in the messages of a copy stand for the same secrets. */
const SECRETS = 'secrets.jsonl'

async function listWithIndex(folder: string, logPath: (id: string) => string): Promise<SessionInfo[]> {
  const path = join(folder, 'index.json')
  const known = await loadIndex(path)
  const entries: IndexEntry[] = []
  for (const id of await sessionIds(folder)) {
    // An unreadable session hides no other; opening it by id gives the reason.
    const entry = await entryOf(id, logPath(id), known.get(id)).catch(() => undefined)
    if (entry) entries.push(entry)
  }
  const isStale =
    entries.length !== known.size || entries.some((entry) => known.get(entry.info.id)?.stamp !== entry.stamp)
  if (isStale) await saveIndex(path, entries)
  return entries.map(({ info }) => info)
}

/** Undefined without a log: another process is creating or removing the session right now. */
async function entryOf(
  id: string,
  path: string,
  known: IndexEntry | undefined,
): Promise<IndexEntry | undefined> {
  const current = await stamp(path)
  if (current === undefined) return undefined
  if (known?.stamp === current) return known
  const { info } = await replayAll(id, readRecords(path))
  return { stamp: current, info }
}

async function sessionIds(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter(isSessionId)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw storageError(folder, error)
  }
}

/** Changes whenever the log does; absent when there is none. */
async function stamp(path: string): Promise<string | undefined> {
  try {
    const { size, mtimeMs } = await stat(path)
    return `${size}-${mtimeMs}`
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw storageError(path, error)
  }
}

async function makeFolder(folder: string, id: string): Promise<boolean> {
  try {
    await ensureFolder(folder)
    await mkdir(join(folder, id), { mode: 0o700 })
    await syncFolder(folder)
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw storageError(folder, error)
  }
}

async function removeFolder(folder: string, id: string): Promise<void> {
  const place = join(folder, id)
  const lock = await acquireLock(place, busyText(id))
  try {
    // The log first: without it the rest is not a session, and `sweep` finds it, however far we get.
    await rm(join(place, 'log.jsonl'), { force: true })
    await rm(place, { recursive: true, force: true })
  } catch (error) {
    throw storageError(place, error)
  } finally {
    await lock.release()
  }
}

/** Younger ones may be about to get their log. */
const ABANDONED_MS = 3_600_000

async function sweep(folder: string, logPath: (id: string) => string): Promise<void> {
  for (const id of await sessionIds(folder)) {
    if ((await stamp(logPath(id))) !== undefined) continue
    const found = await stat(join(folder, id)).catch(() => undefined)
    if (!found || Date.now() - found.mtimeMs < ABANDONED_MS) continue
    // An open session is still in use.
    await removeFolder(folder, id).catch(() => undefined)
  }
}

async function openSession(folder: string, id: string): Promise<OpenSession> {
  const lock = await acquireLock(folder, busyText(id))
  const path = join(folder, 'log.jsonl')
  const replaying = new Replaying(id)
  try {
    const results = await openResults(join(folder, 'results'))
    const { file, damage, tornBytes } = await openJsonl(path, (record) => {
      if (isLogRecord(record)) replaying.add(record)
    })
    const lost = damage.map(({ offset, why }) => `${path}, byte ${offset}: ${why}`)
    return {
      replay: replaying.result(),
      log: toLog(file, folder),
      results,
      folder,
      damage: [...lost, ...tornText(path, tornBytes)],
      close: () => file.close().finally(() => lock.release()),
    }
  } catch (error) {
    await lock.release().catch(() => undefined)
    throw error
  }
}

const busyText = (id: string) => (pid: number) =>
  `Session ${id} is in use by process ${pid}. End it there, resume another one (\`covey sessions\` lists them), ` +
  `or go on in a copy: \`covey sessions fork ${id}\`.`

const tornText = (path: string, bytes: number): string[] =>
  bytes > 0 ? [`the last record was cut off; its ${plural(bytes, 'byte')} are kept in ${path}.torn`] : []

/** The first sync also makes the name of a new log durable. */
function toLog(file: JsonlFile, folder: string): SessionLog {
  let isNamed = false
  return {
    append: (record) => file.append(record),
    async sync() {
      await file.sync()
      if (!isNamed) await syncFolder(folder)
      isNamed = true
    },
    read: () => onlyLogRecords(file.read()),
  }
}

const readRecords = (path: string): AsyncIterable<readonly LogRecord[]> => onlyLogRecords(readJsonl(path))

async function* onlyLogRecords(
  batches: AsyncIterable<readonly unknown[]>,
): AsyncGenerator<readonly LogRecord[]> {
  for await (const records of batches) yield records.filter(isLogRecord)
}

/** The checksum has vouched for the content; a later version may have kinds that this one does not know. */
const isLogRecord = (record: unknown): record is LogRecord =>
  isObject(record) && typeof record['type'] === 'string' && KINDS.has(record['type'])

const KINDS = new Set<string>([
  'session-start',
  'prompt',
  'composed',
  'message',
  'history',
  'event',
] satisfies LogRecord['type'][])

async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw storageError(to, error)
  }
}
