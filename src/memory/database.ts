/**
 * A database file that is not in the way when it breaks: write-ahead log, several processes at once, and a file that
 * turns out to be damaged is renamed, never deleted, and a new one begun. Queries are synchronous and short, so `use`
 * may run its work a second time on the new file.
 */
import { statSync } from 'node:fs'
import { open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type Libsql from 'libsql'
import { errnoOf, storageError } from '../lib/atomic-write.ts'
import { ensureFolder } from '../lib/ensure-folder.ts'
import { type Lock, waitForLock } from '../lib/lock.ts'
import { AppError, errorMessage } from '../protocol/error.ts'

type Value = string | number | null | Uint8Array

export interface Database {
  /** The id of the row it added, if it added one. */
  run(sql: string, ...values: readonly Value[]): number
  rows<Row>(sql: string, ...values: readonly Value[]): readonly Row[]
  /** All or nothing. Another process that is writing is waited for. */
  transact<T>(work: () => T): T
}

export interface KeptDatabase {
  use<T>(work: (database: Database) => T): Promise<T>
  close(): void
}

export type DatabaseOptions = {
  /** Absent = in memory, gone at close. */
  readonly path?: string
  readonly schema: string
  readonly version: number
  /** `full`: what was answered is on the disk even if the power fails. */
  readonly durability: 'full' | 'normal'
  /** What is deleted is written over; it costs a little more. */
  readonly erasesDeleted?: boolean
  warn(message: string): void
  /** What of a damaged file can be carried over into the new one. */
  salvage?(broken: Database, fresh: Database): void
}

export async function openDatabase(options: DatabaseOptions): Promise<KeptDatabase> {
  let opened = await openOrReplace(options)
  let opening: Promise<Opened> | undefined

  /** Of several who meet the damage at once, one repairs and all go on with the same file. */
  async function reopen(old: Opened, open: () => Promise<Opened>): Promise<void> {
    if (opened !== old) return
    opening ??= open().finally(() => (opening = undefined))
    opened = await opening
    old.close()
  }

  return {
    async use(work) {
      if (opened.isMoved()) await reopen(opened, () => openOrReplace(options))
      for (let attempt = 1; ; attempt++) {
        const current = opened
        try {
          return work(current.database)
        } catch (error) {
          if (!isBroken(error) || attempt > MAX_REPAIRS) throw failure(options, error)
          // The second time the file looked sound and was not: an index inside it is damaged.
          await reopen(current, () => replace(options, attempt > 1))
        }
      }
    },
    close: () => opened.close(),
  }
}

const MAX_REPAIRS = 2

type Opened = {
  readonly database: Database
  /** The file was deleted or replaced: whatever is written here now would be lost. */
  isMoved(): boolean
  close(): void
}

async function openOrReplace(options: DatabaseOptions): Promise<Opened> {
  try {
    if (options.path !== undefined) await makeFile(options.path)
    return await openSound(options)
  } catch (error) {
    if (isBroken(error)) return replace(options, false)
    throw failure(options, error)
  }
}

/** No other user may read what is kept; the files beside it get the same mode. */
async function makeFile(path: string): Promise<void> {
  await ensureFolder(dirname(path))
  await (await open(path, 'a', 0o600)).close()
}

/** Larger files are looked through only where a query meets the damage: a start must not take seconds. */
const CHECKED_BYTES = 16 * 1_048_576

async function openSound(options: DatabaseOptions): Promise<Opened> {
  const { path } = options
  const bytes = path === undefined ? 0 : (await stat(path)).size
  const opened = await connect(path ?? ':memory:')
  try {
    prepareSchema(opened.database, options)
    if (bytes > 0 && bytes <= CHECKED_BYTES) requireSound(opened.database)
    return opened
  } catch (error) {
    opened.close()
    throw error
  }
}

function requireSound(database: Database): void {
  const [found] = database.rows<{ quick_check: string }>('PRAGMA quick_check(1)')
  if (found && found.quick_check !== 'ok') throw new BrokenDatabase(found.quick_check)
}

class BrokenDatabase extends Error {}

const WAIT_MS = 5_000

async function connect(path: string): Promise<Opened> {
  // The library asks for a diagnostic report to learn which C library is here. That looks up the name of the other end of
  // every open connection, and everything waits for it: with a slow name server, for seconds.
  Object.assign(process.report, { excludeNetwork: true })
  // A session that remembers nothing does not wait for the library.
  const { default: Library } = await import('libsql')
  const inode = path === ':memory:' ? undefined : inodeOf(path)
  let isClosed = false
  const connection = new Library(path, { timeout: WAIT_MS })
  const statements = new Map<string, Libsql.Statement>()
  const prepared = (sql: string): Libsql.Statement => {
    const statement = statements.get(sql) ?? connection.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  return {
    database: {
      run: (sql, ...values) => Number(prepared(sql).run(...values).lastInsertRowid),
      rows: <Row>(sql: string, ...values: readonly Value[]) => prepared(sql).all(...values) as Row[],
      transact: (work) => transact(connection, work),
    },
    isMoved: () => inode !== undefined && inode !== inodeOf(path),
    close() {
      if (isClosed) return
      isClosed = true
      // The library lets the file go only when no statement is open any more; the log is folded in before that.
      if (path !== ':memory:') foldLog(connection)
      statements.clear()
      connection.close()
    },
  }
}

/** The library's own would hide why a transaction failed behind a rollback that the full disk has already made. */
function transact<T>(connection: Libsql.Database, work: () => T): T {
  connection.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    connection.exec('COMMIT')
    return result
  } catch (error) {
    rollBack(connection)
    throw error
  }
}

function rollBack(connection: Libsql.Database): void {
  try {
    connection.exec('ROLLBACK')
  } catch {
    // It is rolled back already.
  }
}

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino

/** A log that stays behind is no loss: the next process that opens the file reads it. */
function foldLog(connection: Libsql.Database): void {
  try {
    connection.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // Another process reads at this moment, or the file is damaged.
  }
}

function prepareSchema(database: Database, options: DatabaseOptions): void {
  const { schema, version, durability, erasesDeleted = false, path } = options
  database.rows('PRAGMA journal_mode = WAL')
  database.rows(`PRAGMA secure_delete = ${erasesDeleted ? 'ON' : 'OFF'}`)
  database.rows(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
  database.rows('PRAGMA cache_size = -16384')
  const found = () => database.rows<{ user_version: number }>('PRAGMA user_version')[0]?.user_version ?? 0
  if (found() > version) {
    throw new AppError(
      'storage-failed',
      `${path ?? 'The database'} was made by a newer covey; update this one.`,
    )
  }
  if (found() === version) return
  database.transact(() => {
    // Another process may have been first.
    if (found() === version) return
    for (const statement of schema.split(';\n')) if (statement.trim() !== '') database.run(statement)
    database.run(`PRAGMA user_version = ${version}`)
  })
}

/** Only one process replaces; the second finds the new file sound and takes it, unless it has tried that. */
async function replace(options: DatabaseOptions, insist: boolean): Promise<Opened> {
  const { path, warn } = options
  if (path === undefined) return openSound(options)
  const lock = await lockRepair(path)
  try {
    const again = await openSound(options).catch((error: unknown) => {
      if (isBroken(error)) return undefined
      throw failure(options, error)
    })
    if (again && !insist && isReadable(again.database)) return again
    again?.close()
    const aside = await setAside(path)
    warn(`${path} is damaged. It was kept as ${aside} and a new one was begun.`)
    await makeFile(path)
    const fresh = await openSound(options)
    await carryOver(aside, fresh.database, options)
    return fresh
  } finally {
    await lock.release()
  }
}

/** In a folder of its own: others lock the one the file lies in. */
const lockRepair = (path: string): Promise<Lock> =>
  waitForLock(`${path}.repair`, (pid) => `${path} is being repaired by process ${pid}; try again.`)

function isReadable(database: Database): boolean {
  try {
    requireSound(database)
    return true
  } catch {
    return false
  }
}

async function setAside(path: string): Promise<string> {
  const aside = `${path}.damaged-${Date.now()}`
  for (const suffix of ['-wal', '-shm', '']) {
    await rename(`${path}${suffix}`, `${aside}${suffix}`).catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') throw storageError(path, error)
    })
  }
  return aside
}

async function carryOver(aside: string, fresh: Database, { salvage }: DatabaseOptions): Promise<void> {
  if (!salvage) return
  try {
    const broken = await connect(aside)
    try {
      salvage(broken.database, fresh)
    } finally {
      broken.close()
    }
  } catch {
    // Whatever could be read has been carried over; the rest lies in the file that was kept.
  }
}

const isBroken = (error: unknown): boolean =>
  error instanceof BrokenDatabase || /^SQLITE_(?:CORRUPT|NOTADB)/.test(codeOf(error))

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

function failure({ path = 'the database in memory' }: DatabaseOptions, error: unknown): Error {
  const code = codeOf(error)
  if (error instanceof AppError || !code.startsWith('SQLITE_')) return storageError(path, error)
  if (code.startsWith('SQLITE_BUSY')) {
    const message = `${path} is being written by another process for a long time; try again.`
    return new AppError('session-busy', message, { cause: error })
  }
  const [, errno] = ERRNOS.find(([start]) => code.startsWith(start)) ?? []
  return storageError(path, errno ? Object.assign(new Error(errorMessage(error)), { code: errno }) : error)
}

/** What the database says, in the words of the disk: those come with advice. */
const ERRNOS: readonly (readonly [string, string])[] = [
  ['SQLITE_FULL', 'ENOSPC'],
  ['SQLITE_READONLY', 'EROFS'],
  ['SQLITE_CANTOPEN', 'EACCES'],
  ['SQLITE_IOERR', 'EIO'],
]
