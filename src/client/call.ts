/**
 * One call to a server of ours. Never follows a redirect: the token must not travel to another host. What the server
 * refuses comes back as the AppError it was there, so that a remote session fails in the same words as a local one.
 */
import { maskUrls } from '../lib/mask-url.ts'
import { AppError, type ErrorCode, errorMessage } from '../protocol/error.ts'
import { isObject } from '../lib/json.ts'

export type Remote = { readonly baseUrl: string; readonly token?: string }

export type CallOptions = {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export async function call(remote: Remote, path: string, options: CallOptions = {}): Promise<Response> {
  const { method = 'GET', body, headers, signal } = options
  let response: Response
  try {
    response = await fetch(`${remote.baseUrl.replace(/\/+$/, '')}${path}`, {
      method,
      redirect: 'error',
      headers: {
        ...(remote.token !== undefined && { authorization: `Bearer ${remote.token}` }),
        ...(method === 'POST' && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new AppError('model-unavailable', unreachable(remote, error), { cause: error })
  }
  if (response.ok) return response
  throw await refusal(remote, response)
}

function unreachable({ baseUrl }: Remote, error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return `${maskUrls(baseUrl)} cannot be reached (${errorMessage(cause)}); start it with \`covey serve\`, or correct the address.`
}

async function refusal({ baseUrl }: Remote, response: Response): Promise<AppError> {
  const body: unknown = await response.json().catch(() => undefined)
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {}
  const said =
    typeof error['message'] === 'string'
      ? error['message']
      : `${maskUrls(baseUrl)} answered ${response.status}`
  const message = response.status === 401 ? `${said} For covey --attach, set COVEY_TOKEN.` : said
  const wait = Number(response.headers.get('retry-after'))
  return new AppError(codeOf(response.status, error['code']), message, {
    status: response.status,
    ...(wait > 0 && { retryAfterMs: wait * 1000 }),
  })
}

const codes: Readonly<Record<number, ErrorCode>> = {
  401: 'credential',
  403: 'permission-denied',
  404: 'session-unknown',
  409: 'session-busy',
  429: 'rate-limited',
  507: 'storage-failed',
}

function codeOf(status: number, code: unknown): ErrorCode {
  if (code === 'context_length_exceeded') return 'context-overflow'
  return codes[status] ?? (status >= 500 ? 'model-unavailable' : 'request-invalid')
}
