/**
 * Machines that are known by their key, on the port of all other clients: the first byte of a connection shows whether
 * it is TLS. The key alone identifies such a client; nothing it sends, such as a token, changes that. Whose key it is,
 * and what that machine may do, is handed in.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createServer, type TlsOptions, type TLSSocket } from 'node:tls'
import type { Unproven } from '../../lib/unproven.ts'
import { defineProblem, ProblemError } from '../http/errors.ts'
import type { Scope } from '../http/route.ts'

export type PeerAccess = {
  /** The key this machine shows, and that others have to show theirs. */
  readonly tls: TlsOptions
  /** The machine at the other end; undefined while it may not run tools. */
  who(socket: TLSSocket): Promise<{ readonly id: string; readonly name: string } | undefined>
  /** The only way to authenticate: connections without TLS are closed. */
  readonly isOnlyAccess: boolean
}

export type Patience = {
  /** Until the first byte has come, and again until keys are shown. */
  readonly ms: number
  /** Aborts when the server closes. */
  readonly signal: AbortSignal
  /** Those of whom no request was admitted yet. */
  readonly unproven: Unproven
}

/** Puts the door before a server: from then on it gets what arrives in the clear, and what TLS was taken off. */
export function openPeerAccess(
  server: Server,
  { tls, isOnlyAccess }: PeerAccess,
  { ms, signal, unproven }: Patience,
): Server {
  const toHttp = server.listeners('connection') as ((socket: Socket) => void)[]
  const enter = (socket: Socket) => {
    for (const listener of toHttp) listener.call(server, socket)
  }
  const secure = createServer({ ...tls, handshakeTimeout: ms }, enter)
  secure.on('tlsClientError', (_error, socket) => socket.destroy())
  const sockets = new Set<Socket>()
  signal.addEventListener('abort', () => sockets.forEach((socket) => socket.destroy()), { once: true })

  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    unproven.add(socket)
    onFirstBytes(socket, ms, (first) => {
      if (first === HANDSHAKE) return void secure.emit('connection', socket)
      if (isOnlyAccess) return void socket.destroy()
      enter(socket)
      socket.resume()
    })
  })
  return server
}

/** What every TLS connection begins with, and no HTTP request. */
const HANDSHAKE = 0x16

/** Paused, and with nothing taken from it: the next reader starts at the first byte. */
function onFirstBytes(socket: Socket, ms: number, then: (first: number | undefined) => void): void {
  const hangUp = () => socket.destroy()
  socket.on('error', hangUp)
  socket.once('end', hangUp)
  socket.setTimeout(ms, hangUp)
  socket.once('data', (bytes: Buffer) => {
    socket.off('end', hangUp)
    socket.setTimeout(0, hangUp)
    socket.pause()
    socket.unshift(bytes)
    then(bytes[0])
  })
}

/** Checked for every request. Every refusal reads the same, so that probing reveals nothing. */
export async function admitPeer(socket: TLSSocket, door: PeerAccess | undefined) {
  const peer = await door?.who(socket)
  if (!door || !peer) {
    throw new ProblemError(defineProblem(403, 'machine_refused', 'This machine may not run tools here.'))
  }
  const { id, name } = peer
  const scopes: readonly Scope[] = ['tools']
  return {
    // Names may be shared; and with a slash it is the name of no token.
    client: `peer/${id}`,
    shown: `${name} (${id.slice(0, 8)})`,
    scopes,
    isStillValid: async () => (await door.who(socket))?.id === id,
  }
}
