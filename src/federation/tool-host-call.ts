/**
 * The network edge of a tool host. What counts here is what is known when something breaks: a request that never left ran
 * nothing, one that was refused ran nothing, and one whose answer is missing may have done everything.
 */
import { Agent, fetch as undiciFetch } from 'undici'
import { z } from 'zod'
import { isObject } from '../lib/json.ts'
import { AppError, errorMessage } from '../protocol/error.ts'

export type RemoteHost = { readonly url: string; readonly token?: string }

/** The request may or may not have been carried out. */
export class LostAnswer extends Error {
  override readonly name = 'LostAnswer'
}

/** The host was not reached: nothing was carried out. */
export class NotReached extends Error {
  override readonly name = 'NotReached'
}

const MAX_ANSWER = 8 * 1024 * 1024

/**
 * A tool may take minutes, so no time limit but the caller's. No connection is used twice: one that the host closed in the
 * meantime could not be told from one that broke in the middle of a call.
 */
const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, pipelining: 0 })

export type HostRequest<Schema extends z.ZodType> = {
  readonly path: string
  /** Absent = GET. */
  readonly body?: unknown
  readonly answer: Schema
}

/** Throws NotReached, LostAnswer, or an AppError where the host refused. */
export async function askHost<Schema extends z.ZodType>(
  host: RemoteHost,
  request: HostRequest<Schema>,
  signal: AbortSignal,
): Promise<z.output<Schema>> {
  const response = await send(host, request, signal)
  const text = await readBounded(response, signal)
  const value = toJson(text)
  if (!response.ok) throw refusal(host, response.status, value)
  const read = request.answer.safeParse(value)
  if (read.success) return read.data
  throw new LostAnswer(`${host.url} answered with something that cannot be read`)
}

async function send(
  { url, token }: RemoteHost,
  { path, body }: HostRequest<z.ZodType>,
  signal: AbortSignal,
): Promise<Response> {
  try {
    const sent = undiciFetch(`${url.replace(/\/+$/, '')}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      // A redirect would carry the token elsewhere.
      redirect: 'error',
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      dispatcher,
      signal,
    })
    return (await sent) as unknown as Response
  } catch (error) {
    signal.throwIfAborted()
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const words = `${url}: ${errorMessage(cause)}`
    throw NEVER_LEFT.has(code) ? new NotReached(words) : new LostAnswer(words)
  }
}

const NEVER_LEFT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

async function readBounded({ body }: Response, signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of body ?? []) {
      length += chunk.length
      if (length > MAX_ANSWER) throw new LostAnswer('the answer is too large')
      chunks.push(chunk)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof LostAnswer ? error : new LostAnswer(errorMessage(error))
  }
  return Buffer.concat(chunks).toString('utf8')
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** A host that failed inside may have begun; every other refusal came before. */
function refusal({ url, token }: RemoteHost, status: number, body: unknown): Error {
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {}
  const said = typeof error['message'] === 'string' ? error['message'] : `it answered ${status}`
  if (status >= 500 && status !== 507) return new LostAnswer(`${url}: ${said}`)
  if (status === 401 && token === undefined) return new AppError('credential', tokenMissing(url))
  if (status === 401)
    return new AppError('credential', `The tool host ${url} does not know this token. ${said}`)
  if (status === 403) return new AppError('permission-denied', `The tool host ${url} refused: ${said}`)
  if (status === 404)
    return new AppError('config-invalid', `${url} is no tool host; \`covey tools serve\` starts one.`)
  return new AppError('tool-failed', `The tool host ${url} refused: ${said}`)
}

const tokenMissing = (url: string): string =>
  `The tool host ${url} needs a token: make one there with \`covey token add NAME --scope tools\`, and set it here as ` +
  'COVEY_TOOL_HOST__TOKEN or `token` of [tool_host].'
