/**
 * One GET of a part of a file, or of all of it. Redirects are followed here and not by fetch: their number is limited,
 * none leaves https, and the token goes to the first host only. Failures are sorted into those worth another try
 * (`Transient`) and those that are final (AppError).
 */
import { maskUrls } from '../lib/mask-url.ts'
import { AppError, errorMessage } from '../protocol/error.ts'

/** Another try may help; `afterMs` is what the server asked for. */
export class Transient extends Error {
  readonly afterMs: number | undefined

  constructor(message: string, afterMs?: number) {
    super(message)
    this.afterMs = afterMs
  }
}

export type FileRequest = {
  readonly url: URL
  /** First and last byte. */
  readonly range?: readonly [number, number]
  /** Of the file as it was; if it has changed since, all of the new one is sent. */
  readonly etag?: string
  readonly token?: string
}

export type FileAnswer = {
  readonly status: 200 | 206
  readonly headers: Headers
  readonly body: AsyncIterable<Uint8Array>
  /** Stops the transfer. */
  cancel(): Promise<void>
  /** Of the whole file, where one of the hosts on the way said it. */
  readonly sha256?: string
}

const MOST_REDIRECTS = 5

export async function getFile(request: FileRequest, signal: AbortSignal): Promise<FileAnswer> {
  let { url } = request
  let sha256: string | undefined
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const response = await send(url, headersFor(request, url), signal)
    sha256 ??= announcedSha256(response.headers)
    const next = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
    if (next === null) return toAnswer(request.url, response, sha256, signal)
    await response.body?.cancel()
    url = requireSafe(url, next)
  }
  throw new AppError(
    'model-unavailable',
    `${maskUrls(String(request.url))} was redirected more than ${MOST_REDIRECTS} times.`,
  )
}

function headersFor({ url: first, range, etag, token }: FileRequest, url: URL): Record<string, string> {
  return {
    // A compressed answer would have other byte positions.
    'accept-encoding': 'identity',
    'user-agent': 'covey',
    ...(range && { range: `bytes=${range[0]}-${range[1]}` }),
    ...(range && etag && !etag.startsWith('W/') && { 'if-range': etag }),
    ...(token && url.origin === first.origin && { authorization: `Bearer ${token}` }),
  }
}

async function send(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { headers, redirect: 'manual', signal })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    // Without a cause it is the request that fetch refuses, and its message would quote the token.
    if (!(error instanceof Error && error.cause instanceof Error)) {
      const text = `${url.host} cannot be asked: the address or HF_TOKEN holds what a request must not hold.`
      throw new AppError('config-invalid', text)
    }
    throw new Transient(`${url.host} cannot be reached: ${reasonOf(error)}`)
  }
}

/** fetch hides what happened one level down. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? error.cause.message : errorMessage(error)

/** Hugging Face names the hash of a large file in its redirect. */
function announcedSha256(headers: Headers): string | undefined {
  return /^"?([0-9a-f]{64})"?$/.exec(headers.get('x-linked-etag') ?? '')?.[1]
}

function requireSafe(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined
  const isSafe = to && (to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:'))
  if (isSafe && !to.username && !to.password) return to
  const where = to?.protocol === 'https:' ? 'to an address with a password' : 'to what is not https'
  throw new AppError('model-unavailable', `${from.host} redirects ${where}; it was not followed.`)
}

function toAnswer(
  asked: URL,
  response: Response,
  sha256: string | undefined,
  signal: AbortSignal,
): FileAnswer {
  const { status, headers, body } = response
  if ((status !== 200 && status !== 206) || !body) throw refusal(asked, response)
  return {
    status,
    headers,
    body: withoutStalls(body, asked.host, signal),
    cancel: () => body.cancel(),
    ...(sha256 !== undefined && { sha256 }),
  }
}

function refusal(url: URL, { status, headers }: Response): Error {
  const answered = `${url.host} answered ${status}`
  if (status === 408 || status === 429 || status >= 500) return new Transient(answered, retryAfter(headers))
  if (status === 401 || status === 403) {
    const next =
      'The model may need an accepted licence: accept it on its page, then set HF_TOKEN to your token.'
    return new AppError('credential', `${answered} to ${url.pathname}. ${next}`, { status })
  }
  if (status === 404) {
    const next = 'Check its name; `covey models fit` lists what covey knows.'
    return new AppError('model-unavailable', `The file ${maskUrls(String(url))} does not exist. ${next}`, {
      status,
    })
  }
  return new AppError('model-unavailable', `${answered} to ${url.pathname}.`, { status })
}

const LONGEST_WAIT_MS = 60_000

function retryAfter(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return seconds >= 0 ? Math.min(seconds * 1000, LONGEST_WAIT_MS) : undefined
}

/** A connection that says nothing for so long is dead, whatever TCP thinks. */
const STALL_MS = 60_000

async function* withoutStalls(
  body: ReadableStream<Uint8Array>,
  host: string,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const reader = body.getReader()
  try {
    for (;;) {
      const read = await orEnded(reader.read(), host, signal)
      if (read.done) return
      yield read.value
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}

/** fetch of Node 20 leaves a read pending for ever that was begun just before its signal aborted; hence the race. */
async function orEnded<Value>(reading: Promise<Value>, host: string, signal: AbortSignal): Promise<Value> {
  const ended = new AbortController()
  const stalled = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Transient(`${host} sent nothing for a minute`)), STALL_MS)
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    ended.signal.addEventListener('abort', () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    })
  })
  try {
    return await Promise.race([reading, stalled])
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof Transient ? error : new Transient(`${host} broke off: ${reasonOf(error)}`)
  } finally {
    ended.abort()
  }
}
