/**
 * Follows server-sent events by fetch, because an EventSource cannot carry a token in a header. A connection that breaks
 * is made again with the number of the last event, for as long as the tab is open.
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { send } from './call.ts'
import { ApiError, messageOf } from './error.ts'

export type Line =
  | { readonly state: 'connecting' }
  | { readonly state: 'open' }
  | { readonly state: 'lost'; readonly why: string }
  /** It will not be tried again. */
  | { readonly state: 'refused'; readonly why: string }

export type StreamOptions = {
  readonly path: string
  /** The last event that was taken in; undefined = from now on. */
  after(): number | undefined
  onMessage(message: EventSourceMessage): void
  onLine(line: Line): void
  readonly signal: AbortSignal
}

const FIRST_MS = 250
const LONGEST_MS = 5_000
/** The server says something every 15 s. */
const SILENT_MS = 40_000

export async function follow({ path, after, onMessage, onLine, signal }: StreamOptions): Promise<void> {
  let delayMs = FIRST_MS
  while (!signal.aborted) {
    let why = 'The connection ended.'
    try {
      await readOnce(path, after(), signal, (message) => {
        delayMs = FIRST_MS
        if (message.event === 'open') onLine({ state: 'open' })
        onMessage(message)
      })
    } catch (error) {
      if (signal.aborted) return
      if (isFinal(error)) return onLine({ state: 'refused', why: messageOf(error) })
      why = messageOf(error)
    }
    if (signal.aborted) return
    onLine({ state: 'lost', why })
    await pause(delayMs, signal)
    delayMs = Math.min(delayMs * 2, LONGEST_MS)
  }
}

const isFinal = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.status >= 400 &&
  error.status < 500 &&
  ![408, 409, 429].includes(error.status)

async function readOnce(
  path: string,
  after: number | undefined,
  signal: AbortSignal,
  tell: (message: EventSourceMessage) => void,
): Promise<void> {
  const silence = new AbortController()
  const stop = AbortSignal.any([signal, silence.signal])
  const headers = {
    accept: 'text/event-stream',
    ...(after !== undefined && { 'last-event-id': String(after) }),
  }
  const heard = async <T>(work: Promise<T>): Promise<T> => {
    const timer = setTimeout(() => silence.abort(new Error('The server fell silent.')), SILENT_MS)
    return work.finally(() => clearTimeout(timer))
  }
  const { body } = await heard(send(path, { headers, signal: stop }))
  if (!body) return
  const parser = createParser({ onEvent: tell })
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await heard(reader.read())
    if (done) return
    parser.feed(value)
  }
}

/** Also over as soon as the network is back or the person looks at the tab again. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      for (const [target, name] of wakers) target.removeEventListener(name, done)
      resolve()
    }
    const wakers = [
      [window, 'online'],
      [document, 'visibilitychange'],
      [signal, 'abort'],
    ] as const
    const timer = setTimeout(done, ms)
    for (const [target, name] of wakers) target.addEventListener(name, done)
  })
}
