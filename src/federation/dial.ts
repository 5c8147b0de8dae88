/**
 * A connection to another machine, TLS 1.3 with a key shown at both ends. Nothing is sent before the other end has
 * shown the key it is expected to have; whose address it was counts for nothing.
 */
import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { connect, type TLSSocket } from 'node:tls'
import { startAwakeTimer } from '../lib/awake-timer.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import { type Identity, idOf, shortId } from './identity.ts'

export type Dialling = {
  readonly identity: Identity
  /** `host:port`; IPv6 in brackets. */
  readonly address: string
  /** The id that must answer. */
  readonly expected: string
  readonly timeoutMs: number
}

export async function dial(
  { identity, address, expected, timeoutMs }: Dialling,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const socket = connect({
    ...endpointOf(address),
    key: identity.key,
    cert: identity.certificate,
    minVersion: 'TLSv1.3',
    // The certificate proves its key, nothing else; the key is compared below.
    rejectUnauthorized: false,
  })
  const late = new AbortController()
  const timer = startAwakeTimer(timeoutMs, () => late.abort())
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.any([signal, late.signal]) })
  } catch (error) {
    socket.on('error', () => {}).destroy()
    throw unreachable(address, late.signal.aborted ? `no answer in ${timeoutMs} ms` : error)
  } finally {
    timer.end()
  }
  socket.on('error', () => {})
  const id = idOfPeer(socket)
  if (id === expected) return socket
  socket.destroy()
  const who = id === undefined ? 'something without a key' : `the key ${shortId(id)}`
  throw unreachable(address, `${who} answers there, not ${shortId(expected)}`)
}

type Reached = { readonly socket: TLSSocket; readonly address: string }

/** The first of these addresses that presents the right key; later connections are closed. */
export async function dialFirst(
  addresses: readonly string[],
  dialling: Omit<Dialling, 'address'>,
  signal: AbortSignal,
): Promise<Reached> {
  const tried = addresses.map(async (address): Promise<Reached> => ({
    address,
    socket: await dial({ ...dialling, address }, signal),
  }))
  const first = await Promise.any(tried).catch((error: AggregateError) => {
    throw new AppError('model-unavailable', error.errors.map(errorMessage).join('; '), { cause: error })
  })
  const hangUp = ({ socket }: Reached) => socket !== first.socket && socket.destroy()
  for (const other of tried) void other.then(hangUp, () => {})
  return first
}

/** Nothing where no key was shown; a resumed session shows none. */
export function idOfPeer(socket: TLSSocket): string | undefined {
  if (socket.isSessionReused()) return undefined
  const certificate = socket.getPeerX509Certificate()
  return certificate && idOf(certificate)
}

const unreachable = (address: string, why: unknown): AppError =>
  new AppError('model-unavailable', `${address}: ${errorMessage(why)}`, { cause: why })

const DEFAULT_PORT = 17_617

export function endpointOf(address: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(address) ?? []
  return { host: bracketed ?? plain ?? address, port: Number(port ?? DEFAULT_PORT) }
}

/** An address as it is kept and shown. */
export const toAddress = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

/** Without a body it is a GET. */
export type Question = { readonly path: string; readonly body?: unknown }

/** One question on a connection of its own; ending the reading ends the connection. */
export async function ask(
  socket: TLSSocket,
  { path, body }: Question,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = httpRequest({
    createConnection: () => socket,
    method: body === undefined ? 'GET' : 'POST',
    path,
    maxHeaderSize: 16 * 1024,
    headers: { host: 'covey', 'content-type': 'application/json', connection: 'close' },
  })
  // A caller that gave up destroys the connection; the error that follows has no listener any more.
  request.on('error', () => {})
  request.end(JSON.stringify(body))
  const [response] = (await once(request, 'response', { signal })) as [IncomingMessage]
  response.on('error', () => {})
  return response
}

const MAX_JSON = 2 ** 20

/** The whole answer to a short question. */
export async function askJson(socket: TLSSocket, question: Question, timeoutMs: number): Promise<Answered> {
  const late = new AbortController()
  const timer = startAwakeTimer(timeoutMs, () => {
    late.abort()
    socket.destroy()
  })
  try {
    const response = await ask(socket, question, late.signal)
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) {
      text += String(chunk)
      if (text.length > MAX_JSON) throw new Error('it says too much')
    }
    return { status: response.statusCode ?? 0, body: JSON.parse(text) as unknown }
  } catch (error) {
    const why = late.signal.aborted ? `no answer in ${timeoutMs} ms` : errorMessage(error)
    throw new AppError('model-unavailable', why, { cause: error })
  } finally {
    timer.end()
    socket.destroy()
  }
}

export type Answered = { readonly status: number; readonly body: unknown }
