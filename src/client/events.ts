/**
 * Follows the events of a session on a server. A connection that breaks is made again with the number of the last event
 * seen, so that nothing comes twice and nothing is lost; what the server refuses ends it.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { createChannel } from '../lib/channel.ts'
import { maskUrls } from '../lib/mask-url.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { SessionEvent } from '../protocol/event.ts'
import { call, type Remote } from './call.ts'

export type FollowOptions = {
  readonly remote: Remote
  readonly path: string
  readonly after?: number
  readonly signal: AbortSignal
  readonly reconnect?: {
    /** Tries without a single connection before giving up. */
    readonly attempts: number
    delayMs(attempt: number): number
  }
  /** Told when the connection is lost, before each try to have it again, and when it is back. */
  onLine?(state: LineState): void
}

export type LineState =
  | {
      readonly type: 'lost'
      readonly why: string
      /** The try that comes next, of so many. */
      readonly attempt: number
      readonly attempts: number
      readonly delayMs: number
    }
  | { readonly type: 'back' }

export type Following = {
  readonly events: AsyncIterable<SessionEvent>
  /** Resolves when the server has the place from which it tells events, or it will never have it. */
  readonly connected: Promise<void>
}

const patient = { attempts: 8, delayMs: (attempt: number) => Math.min(250 * 2 ** attempt, 10_000) }

/** Connects with this call, not with the first read. */
export function followEvents(options: FollowOptions): Following {
  const channel = createChannel<SessionEvent>()
  let connected = () => {}
  const isConnected = new Promise<void>((resolve) => {
    connected = resolve
  })
  const place = new Position(options.after)
  const followed = follow(options, place, (event) => {
    connected()
    if (event) channel.push(event)
  }).finally(() => {
    connected()
    channel.close()
  })
  // Thrown where the events are read, and only there.
  followed.catch(() => undefined)
  return { connected: isConnected, events: read(channel, followed) }
}

async function* read(
  channel: AsyncIterable<SessionEvent>,
  followed: Promise<void>,
): AsyncGenerator<SessionEvent> {
  yield* channel
  await followed
}

/** The number of the last event seen; undefined until the server has named it. */
class Position {
  last: number | undefined

  constructor(after: number | undefined) {
    this.last = after
  }
}

type Tell = (event: SessionEvent | undefined) => void

async function follow(options: FollowOptions, place: Position, tell: Tell): Promise<void> {
  const { signal, reconnect = patient, onLine = () => {} } = options
  const attempts = reconnect.attempts - 1
  let isLost = false
  for (let attempt = 0; !signal.aborted; attempt++) {
    let why = `The connection to ${maskUrls(options.remote.baseUrl)} ended.`
    const hear: Tell = (event) => {
      attempt = 0
      if (isLost) onLine({ type: 'back' })
      isLost = false
      tell(event)
    }
    try {
      const heard = await readOnce(options, place, hear)
      if (heard === 'end' || signal.aborted) return
    } catch (error) {
      if (signal.aborted) return
      if (!isPassing(error)) throw error
      if (attempt >= attempts) throw givenUp(error, attempt)
      why = errorMessage(error)
    }
    isLost = true
    const delayMs = reconnect.delayMs(attempt)
    onLine({ type: 'lost', why, attempt: attempt + 1, attempts, delayMs })
    await wait(delayMs, undefined, { signal }).catch(() => undefined)
  }
}

/** The same error, which also says that reconnecting was given up. */
function givenUp(error: unknown, tries: number): unknown {
  if (!(error instanceof AppError) || tries === 0) return error
  const text = `${error.message} Given up after ${tries} tries; what was said is kept there.`
  return new AppError(error.code, text, { ...error.details, cause: error })
}

/** The server is away or busy; everything else would be refused again. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof AppError) || error.code === 'model-unavailable' || error.code === 'rate-limited'

async function readOnce(
  { remote, path, signal }: FollowOptions,
  place: Position,
  tell: Tell,
): Promise<'end' | 'cut'> {
  const headers = {
    accept: 'text/event-stream',
    ...(place.last !== undefined && { 'last-event-id': String(place.last) }),
  }
  const { body } = await call(remote, path, { headers, signal })
  if (!body) return 'cut'
  const messages = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const { event, id, data } of messages) {
    if (event === 'end') return 'end'
    if (event === 'error') throw new AppError('model-unavailable', messageOf(data))
    const number = Number(id)
    if (event === 'open') {
      place.last ??= number
      tell(undefined)
      continue
    }
    place.last = number
    tell(JSON.parse(data) as SessionEvent)
  }
  return 'cut'
}

function messageOf(data: string): string {
  const { message } = JSON.parse(data) as { message?: string }
  return message ?? 'the server ended the events'
}
