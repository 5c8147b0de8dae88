/**
 * Sends a stream of parts, as server-sent events or as lines of JSON. An error in the first moments still becomes an HTTP
 * status; a later one is told by the route's own last words. A client that does not read holds back a bounded number of
 * bytes, then the stream is closed with the reason.
 */
import type { ServerResponse } from 'node:http'
import { setImmediate as nextTick, setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../protocol/error.ts'
import type { Limits } from './limits.ts'
import type { RouteReply, StreamPart } from './route.ts'

export type StreamReply = Extract<RouteReply, { kind: 'stream' }>

export type OpenedStream = {
  readonly reply: StreamReply
  readonly iterator: AsyncIterator<StreamPart>
  readonly first: Promise<IteratorResult<StreamPart>>
}

/** Starts the stream. Throws what it throws before its first part, if it does so soon. */
export async function openStream(reply: StreamReply, graceMs: number): Promise<OpenedStream> {
  const iterator = reply.parts[Symbol.asyncIterator]()
  const first = iterator.next()
  let timer: NodeJS.Timeout | undefined
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs)
  })
  try {
    await Promise.race([first, grace])
  } finally {
    clearTimeout(timer)
    // Whoever reads the stream awaits it again.
    first.catch(() => undefined)
  }
  return { reply, iterator, first }
}

export type StreamSettings = {
  readonly limits: Limits
  /** Aborts when the client went away or the server closes. */
  readonly signal: AbortSignal
  /** Asked every now and then; false ends the stream. */
  isAllowed(): Promise<boolean>
  /** Why the stream ended early, for the log. */
  tell(error: unknown): void
}

export async function sendStream(
  raw: ServerResponse,
  opened: OpenedStream,
  settings: StreamSettings,
): Promise<void> {
  const { reply, iterator } = opened
  const { limits, signal, tell } = settings
  const isSse = reply.format === 'sse'
  raw.writeHead(200, isSse ? sseHeaders : ndjsonHeaders)
  raw.flushHeaders()
  const encode = isSse ? toSse : toNdjson
  const ending = new AbortController()
  const either = AbortSignal.any([signal, ending.signal])
  const watching = watch(raw, isSse, { ...settings, end: (why) => ending.abort(why) })
  const writer = createWriter(raw)
  try {
    await pump(opened, either, async (part) => {
      if (raw.writableLength > limits.streamBytes) await makeRoom(raw, limits, either)
      watching.heard()
      // The socket gets its turn even when parts come faster than the loop turns.
      if (writer.add(encode(part)) > AT_ONCE) await nextTick()
    })
    if (either.aborted) throw either.reason
  } catch (error) {
    tell(error)
    if (!raw.destroyed && !(reply.isWatch && signal.aborted)) {
      for (const part of reply.failure(error)) writer.add(encode(part))
    }
  } finally {
    watching.stop()
    writer.flush()
    void Promise.resolve(iterator.return?.()).catch(() => undefined)
    endSoon(raw, limits.closeMs)
  }
}

const AT_ONCE = 16 * 1024

/** What comes in one turn of the loop goes out in one write: a packet of the upstream often holds many tokens. */
function createWriter(raw: ServerResponse) {
  let held = ''
  let timer: NodeJS.Immediate | undefined
  const flush = (): void => {
    clearImmediate(timer)
    timer = undefined
    if (held !== '' && !raw.destroyed) raw.write(held)
    held = ''
  }
  return {
    flush,
    /** How much waits to be written. */
    add(text: string): number {
      held += text
      timer ??= setImmediate(flush)
      return held.length + raw.writableLength
    },
  }
}

const sseHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }
const ndjsonHeaders = { 'content-type': 'application/x-ndjson; charset=utf-8' }

function toSse({ data, event, id }: StreamPart): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}${lines.join('')}\n`
}

const toNdjson = ({ data }: StreamPart): string => `${data}\n`

type Watch = StreamSettings & { end(why: AppError): void }

/** Says that the stream is alive while nothing comes, and looks whether its token still counts. */
function watch(raw: ServerResponse, isSse: boolean, { limits, isAllowed, end }: Watch) {
  const alive = setInterval(() => {
    if (isSse && raw.writableLength === 0) raw.write(': keep-alive\n\n')
  }, limits.keepAliveMs)
  const revoked = new AppError('permission-denied', 'The token of this stream was revoked.')
  const allowed = setInterval(() => {
    isAllowed().then(
      (isFine) => (isFine ? undefined : end(revoked)),
      () => end(revoked),
    )
  }, limits.keepAliveMs)
  return {
    /** Something was sent. */
    heard: () => void alive.refresh(),
    stop() {
      clearInterval(alive)
      clearInterval(allowed)
    },
  }
}

async function pump(
  { iterator, first }: OpenedStream,
  signal: AbortSignal,
  write: (part: StreamPart) => Promise<void>,
): Promise<void> {
  for (let next = first; ; next = iterator.next()) {
    const result = await untilAbort(next, signal)
    if (result === undefined || result.done) return
    await write(result.value)
  }
}

/** Nothing once the signal aborts. One listener per call, taken down again: a stream may have a million parts. */
function untilAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
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

/** The last words go out if they can; a client that reads nothing does not keep its buffer for ever. */
function endSoon(raw: ServerResponse, closeMs: number): void {
  raw.end()
  if (raw.writableFinished) return
  const timer = setTimeout(() => raw.destroy(), closeMs)
  raw.once('close', () => clearTimeout(timer))
}
