/**
 * One request to a model server, and its answer as it comes. Spoken to undici directly: the Fetch API wraps every body in
 * a web stream, which costs more than everything else that is done with a token.
 */
import { Agent, request } from 'undici'
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
  readonly body: AsyncIterable<Uint8Array>
  /** Not interested in the rest. */
  drop(): Promise<void>
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
  return async (url, { method, headers, body, signal }) => {
    const answer = await request(url, {
      method,
      headers: { ...headers },
      signal,
      dispatcher,
      ...(body !== undefined && { body }),
    })
    return {
      status: answer.statusCode,
      statusText: answer.statusText,
      headers: flat(answer.headers),
      body: answer.body,
      drop: () => answer.body.dump(),
    }
  }
}

const flat = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )

/** The same over a Fetch that somebody hands in. */
export const sendBy =
  (fetch: Fetch): Send =>
  async (url, asked) => {
    const response = await fetch(url, { ...asked, redirect: 'manual' })
    return {
      status: response.status,
      statusText: response.statusText,
      headers: Object.fromEntries(response.headers),
      body: response.body ?? EMPTY,
      drop: async () => response.body?.cancel(),
    }
  }

const NOTHING: readonly Uint8Array[] = []
const EMPTY: AsyncIterable<Uint8Array> = {
  async *[Symbol.asyncIterator]() {
    yield* NOTHING
  },
}
