/**
 * Fetches the missing parts of a file over several connections. Each takes the next chunk that is not complete; what has
 * arrived of a chunk is kept when its connection breaks.
 */
import { AppError, errorMessage } from '../protocol/error.ts'
import { getFile, Transient, type FileAnswer, type FileRequest } from './http.ts'
import type { Chunk, PartialFile } from './partial.ts'

/** The file at the source is no longer the one that was begun. */
export class FileChanged extends Error {}

export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export type RangeParts = {
  readonly request: FileRequest
  readonly size: number
  /** The hash the source named when the download began. */
  readonly announced: string | undefined
  readonly partial: PartialFile
  readonly connections: number
  readonly sleep: Sleep
  readonly onProgress: () => void
}

export async function fetchRanges(parts: RangeParts, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const missing = parts.partial.chunks.filter(({ written, length }) => written < length)
  // The first failure ends the others: their bytes would be thrown away or asked for again anyway.
  const stop = new AbortController()
  const stopAll = (): void => stop.abort(signal.reason)
  signal.addEventListener('abort', stopAll)
  const connection = async (): Promise<void> => {
    for (let chunk = missing.shift(); chunk; chunk = missing.shift()) {
      await fetchChunk(chunk, parts, stop.signal)
      await parts.partial.save()
    }
  }
  const connections = Array.from({ length: Math.min(parts.connections, missing.length) }, async () => {
    try {
      await connection()
    } catch (error) {
      stop.abort(error)
      throw error
    }
  })
  const ends = await Promise.allSettled(connections)
  signal.removeEventListener('abort', stopAll)
  await parts.partial.save()
  signal.throwIfAborted()
  if (ends.some(({ status }) => status === 'rejected')) throw stop.signal.reason
}

async function fetchChunk(chunk: Chunk, parts: RangeParts, signal: AbortSignal): Promise<void> {
  const patience = createPatience(parts.sleep)
  while (chunk.written < chunk.length) {
    const before = chunk.written
    try {
      await fetchOnce(chunk, parts, signal)
    } catch (error) {
      await patience.after(error, chunk.written > before, signal)
    }
  }
}

async function fetchOnce(chunk: Chunk, parts: RangeParts, signal: AbortSignal): Promise<void> {
  const first = chunk.start + chunk.written
  const last = chunk.start + chunk.length - 1
  const answer = await getFile({ ...parts.request, range: [first, last] }, signal)
  try {
    requireSame(answer, `bytes ${first}-${last}/${parts.size}`, parts)
    for await (const bytes of answer.body) {
      signal.throwIfAborted()
      await parts.partial.write(chunk, bytes.subarray(0, chunk.length - chunk.written))
      parts.onProgress()
      // A server may go on for ever behind the part it was asked for.
      if (chunk.written === chunk.length) break
    }
  } finally {
    await answer.cancel().catch(() => undefined)
  }
  if (chunk.written < chunk.length) throw new Transient(`${parts.request.url.host} broke off`)
}

function requireSame(
  { status, headers, sha256 }: FileAnswer,
  range: string,
  { request: { etag }, announced }: RangeParts,
): void {
  const isSameEtag = etag === undefined || (headers.get('etag') ?? etag) === etag
  const isSameHash = announced === undefined || (sha256 ?? announced) === announced
  const isRange = status === 206 && headers.get('content-range') === range
  if (!isRange || !isSameEtag || !isSameHash) throw new FileChanged()
}

const MOST_FAILURES = 5
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8000

/** Waits longer after each failure in a row, and gives up on the fifth; one that brought something starts the count anew. */
export function createPatience(sleep: Sleep) {
  let failures = 0
  return {
    async after(error: unknown, hasProgress: boolean, signal: AbortSignal): Promise<void> {
      if (!(error instanceof Transient)) throw error
      failures = hasProgress ? 1 : failures + 1
      if (failures >= MOST_FAILURES) throw givenUp(error)
      const wait = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS)
      await sleep(error.afterMs ?? wait, signal)
    },
  }
}

const givenUp = (error: unknown): AppError =>
  new AppError(
    'model-unavailable',
    `${errorMessage(error)}. Run the same command again to go on; what has arrived is kept.`,
    { cause: error },
  )
