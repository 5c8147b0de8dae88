/** One request to the server this page came from. The token is a header, never part of an address. */
import { ApiError, readError } from './error.ts'
import { forgetToken, tokenOf } from './access.ts'

type Options = {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Told when the token is no longer good. */
let onLoggedOut = (): void => {}

export const whenLoggedOut = (action: () => void): void => {
  onLoggedOut = action
}

export async function send(path: string, options: Options = {}): Promise<Response> {
  const { body, headers, signal, method = body === undefined ? 'GET' : 'POST' } = options
  const token = tokenOf()
  const response = await fetch(path, {
    method,
    headers: {
      ...headers,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  if (response.ok) return response
  const error = await readError(response)
  if (error.status === 401) {
    forgetToken()
    onLoggedOut()
  }
  throw error
}

export const call = async <T>(path: string, options: Options = {}): Promise<T> =>
  (await (await send(path, options)).json()) as T

const AGAIN_MS = [250, 500, 1_000, 2_000]

/** For a request that has no further effect when it arrives again: repeated when the connection broke before the answer. */
export async function callAgain<T>(path: string, options: Options = {}): Promise<T> {
  for (const delayMs of AGAIN_MS) {
    try {
      return await call<T>(path, options)
    } catch (error) {
      if (!isUnanswered(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, delayMs))
    }
  }
  return call<T>(path, options)
}

/** Whether it arrived is unknown. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof ApiError ? [502, 503, 504].includes(error.status) : !isAbort(error)

const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

/** A part of an address that may hold anything. */
export const part = (text: string): string => encodeURIComponent(text)
