/**
 * Long results of a session, kept outside the context and read page by page. One file per result, `results/r7.txt`: a
 * line of JSON with its label and size, then the text as it was. They survive a resume, so handles in old messages hold.
 */
import { mkdir, open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoOf, storageError, writeAtomic } from '../lib/atomic-write.ts'
import { clip } from '../lib/text.ts'
import type { Results, StoredResult } from '../protocol/tool.ts'

const MIB = 1_048_576
const MAX_BYTES = 64 * MIB
/** All results of one session that keeps nothing on disk; the oldest leave first. */
const MAX_MEMORY = 256 * MIB
/** Short enough that the line in front of the text fits into `HEADER_BYTES`, however it is escaped. */
const MAX_LABEL = 200
const HEADER_BYTES = 4096

export async function openResults(folder: string): Promise<Results> {
  let last = Number((await resultIds(folder)).at(-1)?.slice(1) ?? 0)

  return {
    async put(label, text) {
      const id = `r${++last}`
      const kept = cut(text)
      const stored = describe(id, label, kept)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeAtomic(join(folder, `${id}.txt`), `${JSON.stringify(stored)}\n${kept}`, { mode: 0o600 })
      return stored
    },
    async read(id) {
      if (!/^r\d{1,9}$/.test(id)) return undefined
      const path = join(folder, `${id}.txt`)
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
  let last = 0
  let bytes = 0

  return {
    async put(label, text) {
      const kept = cut(text)
      const stored = describe(`r${++last}`, label, kept)
      results.set(stored.id, { stored, text: kept })
      bytes += stored.bytes
      for (const [id, { stored: oldest }] of results) {
        if (bytes <= MAX_MEMORY) break
        results.delete(id)
        bytes -= oldest.bytes
      }
      return stored
    },
    read: async (id) => results.get(id)?.text,
    list: async () => Array.from(results.values(), ({ stored }) => stored),
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
  const path = join(folder, `${id}.txt`)
  const handle = await ifThere(open(path), path)
  if (!handle) return undefined
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0)
    const line = buffer.toString('utf8', 0, bytesRead)
    return JSON.parse(line.slice(0, line.indexOf('\n'))) as StoredResult
  } catch {
    // A file somebody else changed: it can still be read by its id.
    return undefined
  } finally {
    await handle.close()
  }
}

async function ifThere<T>(reading: Promise<T>, path: string): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw storageError(path, error)
  }
}
