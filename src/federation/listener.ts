/**
 * Where other machines connect: TLS 1.3, one request to a connection, no resumption. A machine that is not paired gets
 * a version and nothing else, a small share of the connections, and a moment for its request. What paired machines may
 * do is in the peer book, looked at for every request.
 */
import { constants } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import type { TlsOptions, TLSSocket } from 'node:tls'
import { errnoOf } from '../lib/atomic-write.ts'
import { createUnproven, type Unproven } from '../lib/unproven.ts'
import { AppError } from '../protocol/error.ts'
import { idOfPeer } from './dial.ts'
import type { Identity } from './identity.ts'
import { readText } from './messages.ts'
import { type LanTiming, STRANGER_MS } from './timing.ts'
import { WIRE_VERSION } from './wire.ts'

/** One request whose sender has shown a key; who it is was not judged yet. */
export type PeerRequest = {
  readonly peer: string
  readonly path: string
  /** Undefined where it was no JSON. */
  readonly body: unknown
  readonly socket: TLSSocket
  readonly response: ServerResponse
  /** Aborts when the other end goes away, or the listener closes. */
  readonly signal: AbortSignal
}

export type ListenerParts = {
  readonly identity: Identity
  readonly host: string
  readonly port: number
  readonly timing: LanTiming
  /** Whether this machine is paired; absent = none is. */
  isPaired?(peer: string): Promise<boolean>
  /** Bytes of body this peer may send to this path; 0 = it is not listened to. */
  allowance(peer: string, path: string): Promise<number>
  handle(incoming: PeerRequest): Promise<void>
}

export type Listener = { readonly port: number; close(): Promise<void> }

const MAX_CONNECTIONS = 512
/** Of these, for machines that are not paired, or have not shown a key yet. */
const STRANGERS = { most: 64, perAddress: 48 } as const
/** Connections of one paired machine. */
const MAX_OF_PEER = 64
const HEAD_BYTES = 8 * 1024

export async function openListener(parts: ListenerParts): Promise<Listener> {
  const { identity, host, port, timing } = parts
  const closing = new AbortController()
  const strangers = createUnproven({ ...STRANGERS, ms: timing.strangerMs ?? STRANGER_MS })
  const receiving = { ...parts, closing: closing.signal, strangers }
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    receive(request, response, receiving).catch(() => response.destroy())
  }
  const server = createServer(
    {
      ...tlsOptionsOf(identity),
      handshakeTimeout: timing.dialMs,
      headersTimeout: timing.answerMs,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: timing.answerMs,
      maxHeaderSize: HEAD_BYTES,
      requireHostHeader: false,
    },
    serve,
  )
  // Node would answer these by itself, and say more than a version.
  server.on('checkContinue', serve)
  server.on('checkExpectation', serve)
  server.maxConnections = MAX_CONNECTIONS
  server.on('connection', (socket: Socket) => strangers.add(socket))
  server.on('secureConnection', admitPaired(strangers, parts))
  server.on('clientError', (_error, socket) => socket.destroy())
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  server.listen({ host, port })
  await once(server, 'listening').catch((error: unknown) => {
    throw bindError(error, host, port)
  })
  const bound = server.address()
  return {
    port: typeof bound === 'object' && bound ? bound.port : port,
    async close() {
      closing.abort()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** A paired machine does not count among the strangers, and cannot take the place of the other paired ones either. */
function admitPaired(strangers: Unproven, { isPaired }: ListenerParts): (socket: TLSSocket) => void {
  const connected = new Map<string, number>()
  return (socket) => {
    const peer = idOfPeer(socket)
    if (peer === undefined || !isPaired) return
    const admit = (paired: boolean): void => {
      if (!paired || socket.destroyed) return
      const count = connected.get(peer) ?? 0
      if (count >= MAX_OF_PEER) return void socket.destroy()
      connected.set(peer, count + 1)
      strangers.release(socket)
      socket.once('close', () => {
        const left = (connected.get(peer) ?? 1) - 1
        if (left > 0) connected.set(peer, left)
        else connected.delete(peer)
      })
    }
    // A peer book that cannot be read leaves it a stranger.
    isPaired(peer).then(admit, () => {})
  }
}

/** Both sides present a key, anew in every connection; the caller judges whose key it is. */
export const tlsOptionsOf = ({ key, certificate }: Identity): TlsOptions => ({
  key,
  cert: certificate,
  minVersion: 'TLSv1.3',
  requestCert: true,
  rejectUnauthorized: false,
  secureOptions: constants.SSL_OP_NO_TICKET,
})

const REQUEST_MS = 60_000

function bindError(error: unknown, host: string, port: number): AppError {
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program has it; set `federation.port` to another one',
    EADDRNOTAVAIL: 'it is not an address of this machine; pass one with --host',
  }
  const said = why[errnoOf(error) ?? ''] ?? String(error)
  return new AppError('config-invalid', `cannot listen for peers on ${host} port ${port}: ${said}.`, {
    cause: error,
  })
}

type Receiving = ListenerParts & { readonly closing: AbortSignal; readonly strangers: Unproven }

async function receive(request: IncomingMessage, response: ServerResponse, parts: Receiving): Promise<void> {
  response.setHeader('connection', 'close')
  response.sendDate = false
  const socket = request.socket as TLSSocket
  const peer = idOfPeer(socket)
  const path = request.url ?? '/'
  const allowed = peer === undefined ? 0 : await parts.allowance(peer, path)
  if (peer === undefined || allowed === 0 || request.method !== 'POST') return refuse(response)
  const text = await readBody(request, allowed)
  if (text === undefined) return refuse(response)
  parts.strangers.heard(socket)
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const signal = AbortSignal.any([gone.signal, parts.closing])
  await parts.handle({ peer, path, body: readText(text), socket, response, signal })
}

/** The same to everybody who may not, so that nothing can be learnt by asking. */
function refuse(response: ServerResponse): void {
  sendJson(response, 403, { version: WIRE_VERSION })
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.writableEnded || response.destroyed) return
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

/** Nothing for what is too long or no UTF-8. */
async function readBody(request: IncomingMessage, most: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > most) return undefined
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    return undefined
  }
}
