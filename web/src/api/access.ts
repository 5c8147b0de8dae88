/**
 * Who this tab is. `covey web` puts a code into the fragment of the address; it is exchanged once for a token, which
 * lives in this tab's storage and nowhere else, and leaves the address before anything else happens.
 */
import { ApiError, readError } from './error.ts'

const KEY = 'covey-token'

export const tokenOf = (): string | undefined => sessionStorage.getItem(KEY) ?? undefined

export const forgetToken = (): void => sessionStorage.removeItem(KEY)

/** Resolves when the tab has a token, or never will have one. Throws for a code that is no longer good. */
export async function takeCode(): Promise<void> {
  const code = /^#code=([\w-]{1,200})$/.exec(location.hash)?.[1]
  if (code === undefined) return
  history.replaceState(null, '', location.pathname)
  const response = await fetch('/v1/page/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })
  if (!response.ok) throw await readError(response)
  const { token } = (await response.json()) as { token?: string }
  if (token === undefined) throw new ApiError(502, 'no_token', 'The server answered without a token.')
  sessionStorage.setItem(KEY, token)
}
