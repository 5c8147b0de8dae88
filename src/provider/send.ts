/**
 * One request to a model server, and its answer as it comes. Spoken to undici directly: the Fetch API wraps every body
 * in a web stream, which costs more than everything else that is done with a token.
 */
import { Agent } from 'undici'
import { type Answer, Arrival } from './arrival.ts'
import type { Fetch } from './fetch.ts'

type Asked = {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** Redirects are not followed: they would carry the key to another host. */
export type Send = (url: string, asked: Asked) => Promise<Answer>

/**
 * A local model may think for minutes before its first byte and pause for another request in between; how long is too
 * long is decided from its measured speed, not by undici's 300 s.
 */
const patient = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
const usual = new Agent()

export function createSend(local: boolean): Send {
  const dispatcher = local ? patient : usual
  let place: Target | undefined
  return async (url, { method, headers, body = null, signal }) => {
    signal.throwIfAborted()
    if (place?.url !== url) place = toTarget(url)
    const { origin, path } = place
    const arrival = new Arrival(signal)
    dispatcher.dispatch({ origin, path, method, headers, body }, arrival)
    return arrival.begun
  }
}

/** A server is mostly asked at one address: it is read once. */
type Target = { readonly url: string; readonly origin: string; readonly path: string }

function toTarget(url: string): Target {
  const { origin, pathname, search } = new URL(url)
  return { url, origin, path: pathname + search }
}

/** The same over a Fetch that is passed in. */
export const sendBy =
  (fetch: Fetch): Send =>
  async (url, asked) => {
    const response = await fetch(url, { ...asked, redirect: 'manual' })
    const reader = response.body?.getReader()
    return {
      status: response.status,
      statusText: response.statusText,
      type: (response.headers.get('content-type') ?? '').toLowerCase(),
      headers: () => Object.fromEntries(response.headers),
      next: async () => (await reader?.read())?.value,
      leave: () => void reader?.cancel().catch(() => {}),
    }
  }
