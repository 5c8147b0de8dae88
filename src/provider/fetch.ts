/** The network edge of the providers: which time limits hold, and what of an answer gets through to the parser. */
import { Agent, fetch as undiciFetch } from 'undici'
import { guardEvents, readText, toEventStream } from './body.ts'
import { brokenStream, htmlAnswer, type Endpoint } from './errors.ts'

export type Fetch = typeof globalThis.fetch

export function createFetch(endpoint: Endpoint, send: Fetch = networkFetch(endpoint.local)): Fetch {
  return async (input, init) => {
    // A redirect would carry the key to another host, and turn the POST into a GET.
    const response = await send(input, { ...init, redirect: 'manual' })
    if (!response.ok) return withBody(response, (await readText(response.body)) || null)
    const type = (response.headers.get('content-type') ?? '').toLowerCase()
    if (type.includes('text/html')) {
      await response.body?.cancel()
      throw htmlAnswer(endpoint)
    }
    if (type.includes('application/json')) {
      return withBody(response, toEventStream(await readText(response.body)))
    }
    const guard = guardEvents((reason) => brokenStream(endpoint, reason))
    return withBody(response, response.body?.pipeThrough(guard) ?? null)
  }
}

/**
 * A local model may think for minutes before its first byte and pause for another request in between; how long is too
 * long is decided from its measured speed, not by undici's 300 s.
 */
function networkFetch(local: boolean): Fetch {
  const dispatcher = local ? new Agent({ headersTimeout: 0, bodyTimeout: 0 }) : undefined
  const options = dispatcher ? { dispatcher } : {}
  // Node's own fetch is another version of undici, which must not be given this Agent.
  const send = undiciFetch as unknown as (input: unknown, init: object) => Promise<Response>
  return (input, init) => send(input, { ...init, ...options })
}

const withBody = (response: Response, body: string | ReadableStream<Uint8Array> | null): Response =>
  new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers })
