/**
 * Brings the index up to what the project is now: only files whose time or size changed are read, only those whose
 * content changed are cut up again. Bounded in time: what is left waits for the next search, which goes on where this
 * one ended.
 */
import { shortHash } from '../../lib/hash.ts'
import { chunkText } from '../chunk.ts'
import { type FileRow, type IndexedFile, listFiles, writeCode } from './table.ts'
import type { KeptDatabase } from '../database.ts'
import type { ProjectFiles, Stamp } from '../project-files.ts'

export type UpdateLimits = {
  readonly ms: number
  readonly files: number
  /** Larger files are not indexed. */
  readonly fileBytes: number
  /** Of all files together; code comes first. */
  readonly bytes: number
}

export const updateLimits: UpdateLimits = {
  ms: 4_000,
  files: 20_000,
  fileBytes: 512 * 1024,
  bytes: 128 * 1_048_576,
}

export type Coverage = { readonly indexed: number; readonly waiting: number }

type Pending = { readonly path: string; readonly stamp: Stamp; readonly known: FileRow | undefined }

export async function updateIndex(
  kept: KeptDatabase,
  files: ProjectFiles,
  limits: UpdateLimits,
  signal: AbortSignal,
): Promise<Coverage> {
  const deadline = Date.now() + limits.ms
  const listed = await files.list(signal)
  // A list that was broken off would make everything it does not name look deleted.
  signal.throwIfAborted()
  const paths = listed.paths.filter(isIndexable).slice(0, limits.files)
  const known = new Map((await kept.use(listFiles)).map((file) => [file.path, file]))
  const stamps = withinBytes(await stampAll(files, paths), limits)
  const gone = [...known.keys()].filter((path) => !stamps.has(path))
  await forget(kept, listed.isPartial ? await reallyGone(files, gone) : gone)
  const pending = [...stamps]
    .map(([path, stamp]) => ({ path, stamp, known: known.get(path) }))
    .filter((file) => !isCurrent(file.known, file.stamp))
  const done = await indexUntil(deadline, { kept, files, pending }, signal)
  return { indexed: stamps.size - pending.length + done, waiting: pending.length - done }
}

const isIndexable = (path: string): boolean =>
  !/\.lockb?$|[.-]lock\.(?:json|ya?ml)$|\.min\.\w+$|\.map$|\.(?:png|jpe?g|gif|webp|ico|pdf|zip|gz|tgz|wasm|gguf|bin|db|woff2?|ttf|mp[34]|jsonl|svg)$/i.test(
    path,
  )

/** Code is wanted first, then tests, then prose. */
function rankOf(path: string): number {
  if (/\.(?:md|txt|rst|json|ya?ml|toml|html|css|csv)$/i.test(path)) return 2
  return /(?:^|\/)(?:tests?|__tests__|spec|fixtures|vendor|dist)\/|[._](?:test|spec)\./.test(path) ? 1 : 0
}

const AT_ONCE = 64

async function stampAll(files: ProjectFiles, paths: readonly string[]): Promise<ReadonlyMap<string, Stamp>> {
  const stamps = new Map<string, Stamp>()
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const some = paths.slice(at, at + AT_ONCE)
    const found = await Promise.all(some.map((path) => files.stamp(path)))
    for (const [index, path] of some.entries()) {
      const stamp = found[index]
      if (stamp) stamps.set(path, stamp)
    }
  }
  return stamps
}

function withinBytes(stamps: ReadonlyMap<string, Stamp>, limits: UpdateLimits): ReadonlyMap<string, Stamp> {
  let sum = 0
  return new Map(
    [...stamps]
      .filter(([, { bytes }]) => bytes <= limits.fileBytes)
      .toSorted(([a], [b]) => rankOf(a) - rankOf(b))
      .filter(([, { bytes }]) => (sum += bytes) <= limits.bytes),
  )
}

/** A list that was cut says nothing about what it does not name. */
async function reallyGone(files: ProjectFiles, paths: readonly string[]): Promise<readonly string[]> {
  const there = await stampAll(files, paths)
  return paths.filter((path) => !there.has(path))
}

async function forget(kept: KeptDatabase, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return
  await kept.use((database) => writeCode(database, ({ remove }) => paths.forEach(remove)))
}

const isCurrent = (known: FileRow | undefined, { mtimeMs, bytes }: Stamp): boolean =>
  known !== undefined && known.mtime === mtimeMs && known.bytes === bytes

type Work = {
  readonly kept: KeptDatabase
  readonly files: ProjectFiles
  readonly pending: readonly Pending[]
}

const BATCH = 8

async function indexUntil(
  deadline: number,
  { kept, files, pending }: Work,
  signal: AbortSignal,
): Promise<number> {
  let done = 0
  while (done < pending.length && Date.now() < deadline && !signal.aborted) {
    const some = pending.slice(done, done + BATCH)
    const indexed = await Promise.all(some.map((one) => readChunks(files, one, signal)))
    // A read cut short by a cancel does not mean an empty file.
    if (signal.aborted) break
    await kept.use((database) => writeCode(database, ({ write }) => indexed.forEach(write)))
    done += some.length
  }
  return done
}

/** A file may change again within the same tick of its clock; one this young is looked at once more. */
const YOUNG_MS = 2_000

async function readChunks(
  files: ProjectFiles,
  { path, stamp, known }: Pending,
  signal: AbortSignal,
): Promise<IndexedFile> {
  const isYoung = Date.now() - stamp.mtimeMs < YOUNG_MS
  const noted = isYoung ? { ...stamp, mtimeMs: 0 } : stamp
  // What may not be read is remembered as empty, so that it is not tried at every search.
  const text = await files.read(path, signal).catch(() => '')
  const hash = shortHash(text)
  if (known?.hash === hash) return { path, stamp: noted, hash }
  return { path, stamp: noted, hash, chunks: await chunkText(path, text) }
}
