/**
 * One request to a model server, and its answer as it comes. Spoken to undici directly: the Fetch API wraps every body in
 * a web stream, which costs more than everything else that is done with a token.
 */
import type { Readable } from 'node:stream'
import { Agent } from 'undici'
import type { Fetch } from './fetch.ts'

type Asked = {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

export type Answer = {
  readonly status: number
  readonly statusText: string
  readonly headers: Readonly<Record<string, string>>
  /** To be left by `leave`: walking away from it keeps the connection. */
  readonly body: AsyncIterable<Uint8Array>
  /** Nothing more is read. A connection whose answer is whole is kept for the next question, any other is closed. */
  leave(isWhole: boolean): void
}

/** Redirects are not followed: they would carry the key to another host. */
export type Send = (url: string, asked: Asked) => Promise<Answer>

/**
 * A local model may think for minutes before its first byte and pause for another request in between; how long is too
 * long is decided from its measured speed, not by undici's 300 s.
 */
const patient = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
const usual = new Agent()

/** How long a server that has said all may take to end its answer. */
const END_MS = 1_000

export function createSend(local: boolean): Send {
  const dispatcher = local ? patient : usual
  let place: Place | undefined
  return async (url, { method, headers, body, signal }) => {
    if (place?.url !== url) place = toPlace(url)
    const { origin, path } = place
    const answer = await dispatcher.request({
      origin,
      path,
      method,
      headers,
      signal,
      ...(body !== undefined && { body }),
    })
    return {
      status: answer.statusCode,
      statusText: answer.statusText,
      headers: flat(answer.headers),
      body: answer.body.iterator({ destroyOnReturn: false }),
      leave: (isWhole) => leave(answer.body, isWhole),
    }
  }
}

/** A server is mostly asked at one address: it is read once. */
type Place = { readonly url: string; readonly origin: string; readonly path: string }

function toPlace(url: string): Place {
  const { origin, pathname, search } = new URL(url)
  return { url, origin, path: pathname + search }
}

function leave(body: Readable, isWhole: boolean): void {
  if (body.readableEnded || body.destroyed) return
  body.on('error', () => {})
  if (!isWhole) return void body.destroy()
  const timer = setTimeout(() => body.destroy(), END_MS).unref()
  body.once('close', () => clearTimeout(timer)).resume()
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const single: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) single[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return single
}

/** The same over a Fetch that somebody hands in. */
export const sendBy =
  (fetch: Fetch): Send =>
  async (url, asked) => {
    const response = await fetch(url, { ...asked, redirect: 'manual' })
    return {
      status: response.status,
      statusText: response.statusText,
      headers: Object.fromEntries(response.headers),
      body: response.body?.values({ preventCancel: true }) ?? EMPTY,
      leave: () => void response.body?.cancel().catch(() => {}),
    }
  }

const NOTHING: readonly Uint8Array[] = []
const EMPTY: AsyncIterable<Uint8Array> = {
  async *[Symbol.asyncIterator]() {
    yield* NOTHING
  },
}
