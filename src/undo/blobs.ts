/**
 * Contents of files by their hash, kept so that they can be put back. On disk they are a cache for all sessions of a
 * project: contents unused for a month may go, and a file that does not match its hash is ignored.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoOf, storageError } from '../lib/atomic-write.ts'

export interface Blobs {
  /** Returns the hash. */
  put(bytes: Uint8Array): Promise<string>
  get(hash: string): Promise<Uint8Array | undefined>
}

/** Of one file; a larger one would have to be held in memory. */
export const MAX_KEPT = 16 * 2 ** 20

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** For sessions that leave nothing behind. */
export function memoryBlobs(maxBytes = 64 * 2 ** 20): Blobs {
  const kept = new Map<string, Uint8Array>()
  let bytes = 0
  return {
    async put(content) {
      const hash = hashOf(content)
      if (kept.has(hash) || bytes + content.length > maxBytes) return hash
      kept.set(hash, content)
      bytes += content.length
      return hash
    },
    get: async (hash) => kept.get(hash),
  }
}

const DAY_MS = 86_400_000

export function diskBlobs(folder: string, now = Date.now): Blobs {
  const pathOf = (hash: string): string => join(folder, hash.slice(0, 2), hash.slice(2))
  return {
    async put(content) {
      const hash = hashOf(content)
      const path = pathOf(hash)
      const info = await stat(path).catch(() => undefined)
      if (info?.size !== content.length) await store(path, content)
      else if (Math.abs(now() - info.mtimeMs) > DAY_MS)
        await utimes(path, now() / 1000, now() / 1000).catch(() => undefined)
      return hash
    },
    async get(hash) {
      const content = await readFile(pathOf(hash)).catch(() => undefined)
      return content && hashOf(content) === hash ? content : undefined
    },
  }
}

type BlobLimits = { readonly days: number; readonly bytes: number }

const usualLimits: BlobLimits = { days: 30, bytes: 512 * 2 ** 20 }

/** Once a day for all projects: an unused one must not keep its contents for ever. */
export async function pruneDaily(projects: string, limits = usualLimits, now = Date.now): Promise<void> {
  const marker = join(projects, 'pruned')
  const info = await stat(marker).catch(() => undefined)
  if (info && Math.abs(now() - info.mtimeMs) < DAY_MS) return
  const folders = await readdir(projects, { withFileTypes: true }).catch(() => [])
  if (folders.length === 0) return
  await writeFile(marker, '', { mode: 0o600 })
  for (const folder of folders) {
    if (folder.isDirectory()) await prune(join(projects, folder.name), limits, now())
  }
}

async function prune(folder: string, { days, bytes }: BlobLimits, now: number): Promise<void> {
  const all = (await listBlobs(folder)).toSorted((one, other) => other.mtimeMs - one.mtimeMs)
  let sum = 0
  for (const { path, size, mtimeMs } of all) {
    sum += size
    if (sum > bytes || now - mtimeMs > days * DAY_MS) await rm(path, { force: true })
  }
}

/** Not synced: a power cut may cost a version, and then its hash does not fit. A crash of ours costs nothing. */
async function store(path: string, content: Uint8Array): Promise<void> {
  const folder = join(path, '..')
  const temporary = join(folder, `.${randomBytes(6).toString('hex')}`)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const handle = await open(temporary, 'wx', 0o600)
    await handle.writeFile(content).finally(() => handle.close())
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw storageError(path, error)
  }
}

type Blob = { readonly path: string; readonly size: number; readonly mtimeMs: number }

async function listBlobs(folder: string): Promise<readonly Blob[]> {
  const names = await readdir(folder, { recursive: true }).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return []
    throw storageError(folder, error)
  })
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const info = await stat(path).catch(() => undefined)
      return info?.isFile() ? [{ path, size: info.size, mtimeMs: info.mtimeMs }] : []
    }),
  )
  return found.flat()
}
