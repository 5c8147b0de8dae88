/**
 * Long results of a session, kept outside the context and read page by page. One file per result, `results/r7.txt`: a
 * line of JSON with its label and size, then the text as it was. They survive a resume, so handles in old messages
 * hold.
 */
import { copyFile, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoOf, storageError, writeAtomic } from '../lib/atomic-write.ts'
import { ensureFolder } from '../lib/ensure-folder.ts'
import { clip } from '../lib/text.ts'
import type { Results, StoredResult } from '../protocol/tool.ts'

const MIB = 1_048_576
const MAX_BYTES = 64 * MIB
/** All results of one session; the oldest leave first. */
const MAX_DISK = 1024 * MIB
const MAX_MEMORY = 256 * MIB
/** Short enough that the line in front of the text fits into `HEADER_BYTES`, however it is escaped. */
const MAX_LABEL = 200
const HEADER_BYTES = 4096

export async function openResults(folder: string, maxBytes = MAX_DISK): Promise<Results> {
  const ids = await resultIds(folder)
  const room = createRoom(maxBytes)
  const admit = async (id: string, bytes: number): Promise<void> => {
    for (const oldest of room.take(id, bytes)) await rm(pathOf(folder, oldest), { force: true })
  }
  for (const id of ids) await admit(id, await sizeOf(pathOf(folder, id)))
  let last = Number(ids.at(-1)?.slice(1) ?? 0)

  return {
    async put(label, text) {
      const id = `r${++last}`
      const kept = cut(text)
      const stored = describe(id, label, kept)
      await ensureFolder(folder)
      await writeAtomic(pathOf(folder, id), `${JSON.stringify(stored)}\n${kept}`, { mode: 0o600 })
      await admit(id, stored.bytes)
      return stored
    },
    async read(id) {
      if (!/^r\d{1,9}$/.test(id)) return undefined
      const path = pathOf(folder, id)
      const file = await ifThere(readFile(path, 'utf8'), path)
      return file?.slice(file.indexOf('\n') + 1)
    },
    async list() {
      const found = await Promise.all((await resultIds(folder)).map((id) => header(folder, id)))
      return found.filter((stored) => stored !== undefined)
    },
  }
}

/** For a session that keeps nothing. */
export function memoryResults(): Results {
  const results = new Map<string, { readonly stored: StoredResult; readonly text: string }>()
  const room = createRoom(MAX_MEMORY)
  let last = 0

  return {
    async put(label, text) {
      const kept = cut(text)
      const stored = describe(`r${++last}`, label, kept)
      results.set(stored.id, { stored, text: kept })
      for (const oldest of room.take(stored.id, stored.bytes)) results.delete(oldest)
      return stored
    },
    read: async (id) => results.get(id)?.text,
    list: async () => Array.from(results.values(), ({ stored }) => stored),
  }
}

/** The results of another session for one that goes on from it; some may leave there meanwhile. */
export async function copyResults(from: string, to: string): Promise<void> {
  const ids = await resultIds(from)
  if (ids.length > 0) await ensureFolder(to)
  for (const id of ids) await ifThere(copyFile(pathOf(from, id), pathOf(to, id)), pathOf(to, id))
}

const pathOf = (folder: string, id: string): string => join(folder, `${id}.txt`)

type Room = {
  /** What must leave for it, the oldest first. */
  take(id: string, bytes: number): readonly string[]
}

function createRoom(maxBytes: number): Room {
  const sizes = new Map<string, number>()
  let total = 0
  return {
    take(id, bytes) {
      const leaving: string[] = []
      sizes.set(id, bytes)
      total += bytes
      for (const [oldest, size] of sizes) {
        if (total <= maxBytes || oldest === id) break
        sizes.delete(oldest)
        total -= size
        leaving.push(oldest)
      }
      return leaving
    },
  }
}

function cut(text: string): string {
  const bytes = Buffer.byteLength(text)
  if (bytes <= MAX_BYTES) return text
  // The last character may have been cut in two.
  const kept = Buffer.from(text)
    .toString('utf8', 0, MAX_BYTES)
    .replace(/\uFFFD$/, '')
  return `${kept}\n[cut: the first 64 MiB of ${Math.ceil(bytes / MIB)} MiB are kept]`
}

const describe = (id: string, label: string, text: string): StoredResult => ({
  id,
  label: clip(label, MAX_LABEL),
  bytes: Buffer.byteLength(text),
  lines: countLines(text),
})

/** A final line end does not start another line. */
function countLines(text: string): number {
  if (text === '') return 0
  let lines = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

async function resultIds(folder: string): Promise<string[]> {
  const names = (await ifThere(readdir(folder), folder)) ?? []
  const ids = names.flatMap((name) => /^(r\d{1,9})\.txt$/.exec(name)?.[1] ?? [])
  return ids.toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1)))
}

async function header(folder: string, id: string): Promise<StoredResult | undefined> {
  const path = pathOf(folder, id)
  const handle = await ifThere(open(path), path)
  if (!handle) return undefined
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0)
    const line = buffer.toString('utf8', 0, bytesRead)
    return JSON.parse(line.slice(0, line.indexOf('\n'))) as StoredResult
  } catch {
    // A file changed by another process: it can still be read by its id.
    return undefined
  } finally {
    await handle.close()
  }
}

const sizeOf = async (path: string): Promise<number> => (await ifThere(stat(path), path))?.size ?? 0

async function ifThere<T>(reading: Promise<T>, path: string): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw storageError(path, error)
  }
}
