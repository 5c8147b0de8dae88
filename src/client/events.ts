/**
 * Follows the events of a session on a server. A connection that breaks is made again with the number of the last event
 * seen, so that nothing comes twice and nothing is lost; what the server refuses ends it.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { createChannel } from '../lib/channel.ts'
import { AppError } from '../protocol/error.ts'
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
}

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
  const place = new Place(options.after)
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
class Place {
  last: number | undefined

  constructor(after: number | undefined) {
    this.last = after
  }
}

type Tell = (event: SessionEvent | undefined) => void

async function follow(options: FollowOptions, place: Place, tell: Tell): Promise<void> {
  const { signal, reconnect = patient } = options
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      const heard = await readOnce(options, place, tell)
      if (heard === 'end' || signal.aborted) return
      if (heard === 'something') attempt = 0
    } catch (error) {
      if (signal.aborted) return
      if (!isPassing(error) || attempt + 1 >= reconnect.attempts) throw error
    }
    await wait(reconnect.delayMs(attempt), undefined, { signal }).catch(() => undefined)
  }
}

/** The server is away or busy; everything else would be refused again. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof AppError) || error.code === 'model-unavailable' || error.code === 'rate-limited'

async function readOnce(
  { remote, path, signal }: FollowOptions,
  place: Place,
  tell: Tell,
): Promise<'end' | 'something' | 'nothing'> {
  const headers = {
    accept: 'text/event-stream',
    ...(place.last !== undefined && { 'last-event-id': String(place.last) }),
  }
  const { body } = await call(remote, path, { headers, signal })
  if (!body) return 'nothing'
  let heard: 'something' | 'nothing' = 'nothing'
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
    heard = 'something'
    place.last = number
    tell(JSON.parse(data) as SessionEvent)
  }
  return heard
}

function messageOf(data: string): string {
  const { message } = JSON.parse(data) as { message?: string }
  return message ?? 'the server ended the events'
}
