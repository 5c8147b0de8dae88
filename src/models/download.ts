/**
 * Gets one file: checked for space first, in parallel parts, going on where an earlier try stopped, and under its name
 * only once its hash is right. One process at a time fetches a file; Ctrl+C and kill -9 keep what has arrived.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { maskUrls } from '../lib/mask-url.ts'
import { AppError } from '../protocol/error.ts'
import { storageError, syncFolder } from '../lib/atomic-write.ts'
import { acquireLock } from '../lib/lock.ts'
import { freeSpace } from './free-space.ts'
import { getFile, type FileAnswer, type FileRequest } from './http.ts'
import { GIB } from './memory.ts'
import { dataFile, discard, keptBytes, openData, openPartial, writeAll, type Identity } from './partial.ts'
import { createPatience, FileChanged, fetchRanges, type Sleep } from './ranges.ts'

export type DownloadProgress = {
  readonly stage: 'fetching' | 'verifying'
  readonly bytes: number
  /** Absent where the server does not say how large the file is. */
  readonly total?: number
}

export type DownloadRequest = {
  readonly url: URL
  /** Where it shall lie in the end. */
  readonly path: string
  readonly sha256?: string
  /** For private and gated files; sent to the host of `url` only. */
  readonly token?: string
  readonly offline?: boolean
  readonly onProgress?: (progress: DownloadProgress) => void
  /** A last look at the bytes before they get their name; throws to reject them. */
  readonly verify?: (path: string) => Promise<unknown>
  readonly connections?: number
  readonly chunkBytes?: number
  readonly sleep?: Sleep
  readonly freeSpace?: (folder: string) => Promise<number | undefined>
}

export type Downloaded = { readonly path: string; readonly bytes: number; readonly wasHere: boolean }

export const PARTIAL_SUFFIX = '.download'

/** Where a file that is not complete yet lies. */
export const partialFolder = (path: string): string => `${path}${PARTIAL_SUFFIX}`

export async function download(request: DownloadRequest, signal: AbortSignal): Promise<Downloaded> {
  const { url, path } = request
  if (request.offline) {
    const text = `${maskUrls(String(url))} was not fetched: covey is offline (--offline, COVEY_OFFLINE=1 or \`offline\` in config.toml).`
    throw new AppError('offline', text)
  }
  const folder = partialFolder(path)
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw storageError(folder, error)
  })
  const lock = await acquireLock(
    folder,
    (pid) => `${basename(path)} is being downloaded by process ${pid}; wait for it, or stop it first.`,
  )
  try {
    const here = await stat(path).catch(() => undefined)
    if (here) {
      // A process killed right after the rename has left its note.
      await discard(folder)
      return { path, bytes: here.size, wasHere: true }
    }
    const sha256 = await fetchInto(folder, request, signal)
    await verify(folder, { ...request, ...(sha256 !== undefined && { sha256 }) }, signal)
    await rename(dataFile(folder), path)
    await syncFolder(dirname(path))
    await rm(folder, { recursive: true, force: true })
    return { path, bytes: (await stat(path)).size, wasHere: false }
  } finally {
    await lock.release()
    // Only an empty one goes: where something has arrived the next try needs it.
    await rmdir(folder).catch(() => undefined)
  }
}

const MOST_RESTARTS = 3

/** Fills the data file; returns the hash it must have, where anybody knows it. */
async function fetchInto(
  folder: string,
  request: DownloadRequest,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (let restart = 0; ; restart++) {
    const { answer, file } = await begin(request, signal)
    try {
      await fetchFile({ folder, request, answer, file }, signal)
      return request.sha256 ?? answer.sha256
    } catch (error) {
      if (!(error instanceof FileChanged)) throw error
      await discard(folder)
      if (restart === MOST_RESTARTS)
        throw new AppError(
          'model-unavailable',
          `${maskUrls(String(request.url))} changes while it is fetched; try later.`,
        )
    } finally {
      await answer.cancel().catch(() => undefined)
    }
  }
}

/** The first byte tells whether the server can send parts, how large the file is and which version it has. */
async function begin(
  { url, token, sha256, sleep = sleepFor }: DownloadRequest,
  signal: AbortSignal,
): Promise<{ answer: FileAnswer; file: FileRequest }> {
  const file = { url, ...(token !== undefined && { token }) }
  const patience = createPatience(sleep)
  for (;;) {
    try {
      const answer = await getFile({ ...file, range: [0, 0] }, signal)
      requireExpected(url, sha256, answer.sha256)
      // A hash that the source itself names is the better witness: copies of a file may differ in their etags.
      const etag = answer.sha256 === undefined ? answer.headers.get('etag') : null
      return { answer, file: { ...file, ...(etag !== null && { etag }) } }
    } catch (error) {
      await patience.after(error, false, signal)
    }
  }
}

const sleepFor: Sleep = (ms, signal) => wait(ms, undefined, { signal })

/** Better before twenty gigabytes than after. */
function requireExpected(url: URL, expected: string | undefined, announced: string | undefined): void {
  if (expected === undefined || announced === undefined || expected === announced) return
  throw wrongHash(String(url), expected, announced)
}

const wrongHash = (what: string, expected: string, found: string): AppError =>
  new AppError(
    'model-unavailable',
    `${what} has the sha256 ${found}, expected was ${expected}; it was not kept. ` +
      'Pull it again; if that repeats, the file at the source is another one: pull it by its address if you trust it.',
  )

type Fetching = {
  readonly folder: string
  readonly request: DownloadRequest
  readonly answer: FileAnswer
  readonly file: FileRequest
}

/** Large enough that asking costs nothing, small enough that a kill loses little. */
const CHUNK_BYTES = 32 << 20

/** Larger than any model there is; a server that claims more, or never stops, would fill memory and disk. */
const LARGEST_FILE = 4096 * GIB

const tooLarge = (url: URL): AppError =>
  new AppError(
    'model-unavailable',
    `${url.host} claims that the file is larger than any model; it was not fetched.`,
  )

async function fetchFile(fetching: Fetching, signal: AbortSignal): Promise<void> {
  const { folder, request, answer, file } = fetching
  const size = Number(/^bytes 0-0\/(\d+)$/.exec(answer.headers.get('content-range') ?? '')?.[1])
  if (answer.status === 200 || !(size > 0)) return fetchWhole(fetching, signal)
  if (size > LARGEST_FILE) throw tooLarge(request.url)
  await answer.cancel().catch(() => undefined)
  const vouched = file.etag ?? answer.sha256 ?? request.sha256
  const identity: Identity = { size, etag: vouched ?? '', chunkBytes: request.chunkBytes ?? CHUNK_BYTES }
  if (vouched === undefined) await discard(folder)
  await requireSpace(request, size - (await keptBytes(folder, identity)))
  const partial = await openPartial(folder, identity)
  const onProgress = (): void =>
    request.onProgress?.({ stage: 'fetching', bytes: partial.written(), total: size })
  onProgress()
  try {
    const { connections = 4, sleep = sleepFor } = request
    const announced = answer.sha256
    await fetchRanges({ request: file, size, announced, partial, connections, sleep, onProgress }, signal)
  } finally {
    await partial.close()
  }
}

/** From a server that cannot send parts: all in one, and from the beginning after every failure. */
async function fetchWhole({ folder, request, answer, file }: Fetching, signal: AbortSignal): Promise<void> {
  const patience = createPatience(request.sleep ?? sleepFor)
  const length = Number(answer.headers.get('content-length') ?? Number.NaN)
  const total = answer.status === 200 && length >= 0 ? length : undefined
  if (total !== undefined) await requireSpace(request, total)
  let body: FileAnswer | undefined = answer.status === 200 ? answer : undefined
  for (;;) {
    try {
      body ??= await getFile(file, signal)
      return await receive(body, { folder, request, total }, signal)
    } catch (error) {
      // Nothing can go on from it, and it may be what fills the disk.
      await discard(folder)
      await patience.after(error, false, signal)
      body = undefined
    }
  }
}

type Receiving = {
  readonly folder: string
  readonly request: DownloadRequest
  readonly total: number | undefined
}

async function receive(
  answer: FileAnswer,
  { folder, request, total }: Receiving,
  signal: AbortSignal,
): Promise<void> {
  await discard(folder)
  const handle = await openData(folder, 'w')
  let bytes = 0
  try {
    for await (const piece of answer.body) {
      signal.throwIfAborted()
      bytes += piece.length
      if (bytes > LARGEST_FILE) throw tooLarge(request.url)
      await writeAll(handle, piece, bytes - piece.length)
      request.onProgress?.({ stage: 'fetching', bytes, ...(total !== undefined && { total }) })
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function requireSpace(request: DownloadRequest, needed: number): Promise<void> {
  const folder = dirname(request.path)
  const free = await (request.freeSpace ?? freeSpace)(folder)
  if (free === undefined || free >= needed) return
  const gib = (bytes: number): string => `${(bytes / GIB).toFixed(1)} GiB`
  const text = `${basename(request.path)} needs ${gib(needed)} and ${folder} has ${gib(free)} free; free ${gib(needed - free)} more, or set XDG_DATA_HOME to a larger disk.`
  throw new AppError('storage-failed', text)
}

async function verify(folder: string, request: DownloadRequest, signal: AbortSignal): Promise<void> {
  const path = dataFile(folder)
  try {
    if (request.sha256 !== undefined) {
      const found = await hashOf(path, request, signal)
      if (found !== request.sha256) throw wrongHash(basename(request.path), request.sha256, found)
    }
    await request.verify?.(path)
  } catch (error) {
    // An interrupted check says nothing about the bytes.
    if (!signal.aborted) await discard(folder)
    throw error
  }
}

async function hashOf(path: string, { onProgress }: DownloadRequest, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  const total = (await stat(path)).size
  let bytes = 0
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20, signal })) {
    hash.update(piece as Buffer)
    bytes += (piece as Buffer).length
    onProgress?.({ stage: 'verifying', bytes, total })
  }
  return hash.digest('hex')
}
