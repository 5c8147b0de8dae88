/**
 * Sends a stream of parts, as server-sent events or as lines of JSON. An error in the first moments still becomes an
 * HTTP status; a later one becomes the route's final event. A client that does not read holds back a bounded number of
 * bytes, then the stream is closed with the reason.
 */
import type { ServerResponse } from 'node:http'
import { setImmediate as nextTick, setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../protocol/error.ts'
import type { Limits } from './limits.ts'
import type { RouteReply, StreamPart } from './route.ts'
import { type Validity, watchValidity } from './validity.ts'

export type StreamReply = Extract<RouteReply, { kind: 'stream' }>

export type OpenedStream = {
  readonly reply: StreamReply
  next(): Promise<IteratorResult<StreamPart>>
  /** Nothing more is read. */
  leave(): void
}

/** Starts the stream. Throws what it throws before its first part, if it does so soon. */
export async function openStream(reply: StreamReply, graceMs: number): Promise<OpenedStream> {
  const iterator = reply.parts[Symbol.asyncIterator]()
  let first: Promise<IteratorResult<StreamPart>> | undefined = iterator.next()
  // The reader of the stream awaits it again.
  first.catch(() => undefined)
  let timer: NodeJS.Timeout | undefined
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs)
  })
  try {
    await Promise.race([first, grace])
  } finally {
    clearTimeout(timer)
  }
  return {
    reply,
    next() {
      const next = first ?? iterator.next()
      // A stream may last for hours: its first part need not.
      first = undefined
      return next
    },
    leave: () => void Promise.resolve(iterator.return?.()).catch(() => undefined),
  }
}

export type StreamSettings = {
  readonly limits: Limits
  /** Beside those of the format. */
  readonly headers: Readonly<Record<string, string>>
  /** Aborts when the client went away or the server closes, and here when its token no longer counts. */
  readonly controller: AbortController
  /** Of the token that opened the stream. */
  readonly validity: Validity
  /** Why the stream ended early, for the log. */
  tell(error: unknown): void
}

export async function sendStream(
  raw: ServerResponse,
  opened: OpenedStream,
  settings: StreamSettings,
): Promise<void> {
  const { reply } = opened
  const { limits, controller, validity, tell } = settings
  const { signal } = controller
  const isSse = reply.format === 'sse'
  raw.writeHead(200, { ...settings.headers, ...(isSse ? sseHeaders : ndjsonHeaders) })
  const encode = isSse ? toSse : toNdjson
  const writer = createWriter(raw)
  const alive = setInterval(() => {
    if (isSse && raw.writableLength === 0) raw.write(': keep-alive\n\n')
  }, limits.keepAliveMs)
  const unwatch = watchValidity(validity, limits.keepAliveMs, () => controller.abort(revoked))
  let isWhole = false
  try {
    await pump(opened, signal, async (part) => {
      if (raw.writableLength > limits.streamBytes) await makeRoom(raw, limits, signal)
      // The socket gets its turn even when parts come faster than the loop turns.
      if (writer.add(encode(part)) > AT_ONCE) await nextTick()
    })
    signal.throwIfAborted()
    isWhole = true
  } catch (error) {
    tell(error)
    const isSilent = reply.isWatch && signal.aborted && error !== revoked
    if (!raw.destroyed && !isSilent) for (const part of reply.failure(error)) writer.add(encode(part))
  } finally {
    clearInterval(alive)
    unwatch()
    opened.leave()
    writer.end(isWhole ? limits.streamStallMs : limits.closeMs)
  }
}

const AT_ONCE = 16 * 1024

/**
 * What comes in one turn of the loop goes out in one write: a packet of the upstream often holds many tokens. The
 * headers go with the first words where those are there, and do not wait for them where they are not.
 */
function createWriter(raw: ServerResponse) {
  let held = ''
  const flush = (): void => {
    timer = undefined
    if (raw.destroyed) return
    if (held === '') raw.flushHeaders()
    else raw.write(held)
    held = ''
  }
  let timer: NodeJS.Immediate | undefined = setImmediate(flush)
  return {
    /** How much waits to be written. */
    add(text: string): number {
      held += text
      timer ??= setImmediate(flush)
      return held.length + raw.writableLength
    },
    /** The rest goes out while the client reads; after so long without progress the connection is closed. */
    end(stallMs: number): void {
      clearImmediate(timer)
      raw.end(held)
      if (raw.writableFinished) return
      let left = raw.writableLength
      const look = setInterval(() => {
        if (raw.writableLength >= left) raw.destroy()
        left = raw.writableLength
      }, stallMs)
      raw.once('close', () => clearInterval(look))
    },
  }
}

const sseHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }
const ndjsonHeaders = { 'content-type': 'application/x-ndjson; charset=utf-8' }

function toSse({ data, event, id }: StreamPart): string {
  const fields = `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}`
  // JSON is one line, and nearly every part is JSON.
  if (!/[\r\n]/.test(data)) return `${fields}data: ${data}\n\n`
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return `${fields}${lines.join('')}\n`
}

const toNdjson = ({ data }: StreamPart): string => `${data}\n`

const revoked = new AppError(
  'permission-denied',
  'The token of this stream has expired or was revoked; `covey token ls` lists those that count.',
)

/**
 * Ends with the signal, also while a part is awaited. One listener for all of them: a stream may have a million parts.
 */
async function pump(
  opened: OpenedStream,
  signal: AbortSignal,
  write: (part: StreamPart) => Promise<void>,
): Promise<void> {
  let leave = () => {}
  const stop = () => leave()
  signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const result = await new Promise<IteratorResult<StreamPart> | undefined>((resolve, reject) => {
        leave = () => resolve(undefined)
        if (signal.aborted) leave()
        // Listened to in any case: a part that fails while unawaited must not fail the process.
        opened.next().then(resolve, reject)
      })
      if (result === undefined || result.done) return
      await write(result.value)
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

const LOOK_EVERY_MS = 20

/** Waits while the client reads slowly; throws when it reads nothing at all. */
async function makeRoom(raw: ServerResponse, limits: Limits, signal: AbortSignal): Promise<void> {
  let least = raw.writableLength
  let since = performance.now()
  while (raw.writableLength > limits.streamBytes && !signal.aborted) {
    if (raw.writableLength < least) {
      least = raw.writableLength
      since = performance.now()
    }
    if (performance.now() - since > limits.streamStallMs) {
      const size = `${Math.round(limits.streamBytes / 1024)} KiB`
      throw new AppError('rate-limited', `The stream was closed: ${size} were waiting and nothing was read.`)
    }
    await delay(LOOK_EVERY_MS)
  }
}
