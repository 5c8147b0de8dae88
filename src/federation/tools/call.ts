/**
 * The network edge of a tool host. What counts here is what is known when something breaks: a request that never left
 * ran nothing, one that was refused ran nothing, and one whose answer is missing may have done everything.
 */
import type { TLSSocket } from 'node:tls'
import { Agent, fetch as undiciFetch } from 'undici'
import { z } from 'zod'
import { isObject } from '../../lib/json.ts'
import { clip } from '../../lib/text.ts'
import { AppError, errorMessage } from '../../protocol/error.ts'
import { ask } from '../dial.ts'
import { shortId } from '../identity.ts'
import { oneLine } from '../machine.ts'

export type RemoteHost = {
  /** Where it is, as a person writes it: an address, or `peer/NAME`. */
  readonly url: string
  readonly token?: string
  /** Where it is a paired machine: then it is known by its key, and needs no token. */
  readonly peer?: PeerLine
}

export type PeerLine = {
  /** Of this machine, as the other one knows it. */
  readonly ownId: string
  /** A connection on which that machine, and no other, has shown its key. */
  open(signal: AbortSignal): Promise<TLSSocket>
}

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
 * A tool may take minutes, so no time limit but the caller's. No connection is used twice: one that the host closed in
 * the meantime would look like one that broke in the middle of a call.
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
  const { status, body } = await (host.peer
    ? sendToPeer(host.peer, request, signal)
    : sendTo(host, request, signal))
  const value = toJson(await readBounded(body, signal))
  if (status < 200 || status > 299) throw refusal(host, status, value)
  const read = request.answer.safeParse(value)
  if (read.success) return read.data
  throw new LostAnswer(`${host.url} answered with something that cannot be read`)
}

type Answer = {
  readonly status: number
  readonly body: AsyncIterable<Uint8Array> | readonly Uint8Array[]
}

async function sendToPeer(
  { open }: PeerLine,
  { path, body }: HostRequest<z.ZodType>,
  signal: AbortSignal,
): Promise<Answer> {
  const socket = await open(signal).catch((error: unknown) => {
    signal.throwIfAborted()
    throw new NotReached(errorMessage(error))
  })
  const hangUp = () => socket.destroy()
  // A caller that gave up in the meantime has sent nothing.
  if (signal.aborted) hangUp()
  signal.throwIfAborted()
  // Neither a machine that works nor one without power says anything; the system's own probes tell them apart.
  socket.setKeepAlive(true, KEEP_ALIVE_MS)
  signal.addEventListener('abort', hangUp, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', hangUp))
  try {
    const response = await ask(socket, { path, body }, signal)
    return { status: response.statusCode ?? 0, body: response }
  } catch (error) {
    hangUp()
    signal.throwIfAborted()
    throw new LostAnswer(errorMessage(error))
  }
}

const KEEP_ALIVE_MS = 15_000

async function sendTo(
  { url, token }: RemoteHost,
  { path, body }: HostRequest<z.ZodType>,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const response = await undiciFetch(`${url.replace(/\/+$/, '')}${path}`, {
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
    return { status: response.status, body: response.body ?? [] }
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

async function readBounded(body: Answer['body'], signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of body) {
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

/** Of what a host says about a refusal, for people. */
const MAX_SHOWN = 500

/** A host that failed inside may have begun; every other refusal came before. */
function refusal({ url, token, peer }: RemoteHost, status: number, body: unknown): Error {
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {}
  const message = typeof error['message'] === 'string' ? error['message'] : `it answered ${status}`
  const said = oneLine(clip(message, MAX_SHOWN))
  if (status >= 500 && status !== 507) return new LostAnswer(`${url}: ${said}`)
  if (status === 401 && token === undefined) return new AppError('credential', tokenMissing(url))
  if (status === 401)
    return new AppError('credential', `The tool host ${url} does not know this token. ${said}`)
  if (status === 403 && peer) return new AppError('permission-denied', scopeMissing(url, peer))
  if (status === 403) return new AppError('permission-denied', `The tool host ${url} refused: ${said}`)
  if (status === 404)
    return new AppError('config-invalid', `${url} is not a tool host; \`covey tools serve\` starts one.`)
  return new AppError('tool-failed', `The tool host ${url} refused: ${said}`)
}

const tokenMissing = (url: string): string =>
  `The tool host ${url} needs a token: make one there with \`covey token add NAME --scope tools\`, and set it here as ` +
  'COVEY_TOOL_HOST__TOKEN or `token` of [tool_host].'

const scopeMissing = (url: string, { ownId }: PeerLine): string =>
  `${url} does not let this machine run tools; there, type \`covey peers scope ${shortId(ownId)} generate,status,tools\`.`
