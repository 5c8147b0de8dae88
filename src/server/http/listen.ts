/**
 * The sockets. Loopback means both 127.0.0.1 and ::1 on one port: a stranger who took the other one would get what
 * clients send to `localhost`. Garbage, slow and oversized heads are answered here, before there is a request.
 */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { AppError } from '../../protocol/error.ts'
import { errnoOf } from '../../lib/atomic-write.ts'
import { defineProblem, type Problem, toErrorBody } from './errors.ts'
import { type Evicted, limitConnections } from './connections.ts'
import type { Limits } from './limits.ts'
import { newRequestId } from './request.ts'

export type Address = { readonly host: string; readonly port: number }

export type Refusal = { readonly problem: Problem; readonly address: string }

export function createHttp(
  handler: RequestListener,
  limits: Limits,
  tell: (refusal: Refusal) => void,
): Server {
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      // Our own lock refuses a missing Host, with a reason.
      requireHostHeader: false,
    },
    handler,
  )
  server.maxConnections = limits.connections
  limitConnections(server, limits, (evicted) => tell(toRefusal(evicted)))
  server.on('clientError', (error, socket) => refuse(error, socket, tell))
  return server
}

const toRefusal = ({ address, count, why }: Evicted): Refusal => {
  const what =
    why === 'late' ? 'sent no whole request in time' : 'were too many of one address without a request'
  return { address, problem: defineProblem(408, 'connections_closed', `${count} connections ${what}.`) }
}

/** Addresses for a wish; without one, this machine only. */
export const addressesFor = (host: string | undefined): readonly string[] =>
  host === undefined || host === 'localhost' ? ['127.0.0.1', '::1'] : [host.replace(/^\[(.*)\]$/, '$1')]

const ATTEMPTS = 10

/** All addresses on one port, or none. A machine without IPv6 has no ::1; that is no error. */
export async function bindAll(
  make: () => Server,
  hosts: readonly string[],
  port: number,
): Promise<readonly Server[]> {
  for (let attempt = 1; ; attempt++) {
    const bound: Server[] = []
    try {
      for (const host of hosts) bound.push(...(await bind(make(), host, bound[0] ? portOf(bound[0]) : port)))
      return bound
    } catch (error) {
      for (const server of bound) server.close()
      // With a port of the system's choice the second address may be taken where the first was free.
      const isUnlucky = port === 0 && errnoOf(error) === 'EADDRINUSE' && attempt < ATTEMPTS
      if (!isUnlucky) throw bindError(error, hosts, port)
    }
  }
}

/** None on a machine without this address. */
function bind(server: Server, host: string, port: number): Promise<readonly Server[]> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const isMissing = host === '::1' && ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(errnoOf(error) ?? '')
      if (isMissing) resolve([])
      else reject(error)
    })
    server.listen({ host, port }, () => resolve([server]))
  })
}

export const addressOf = (server: Server): Address => {
  const address = server.address()
  return typeof address === 'object' && address
    ? { host: address.address, port: address.port }
    : { host: String(address), port: 0 }
}

const portOf = (server: Server): number => addressOf(server).port

function bindError(error: unknown, hosts: readonly string[], port: number): AppError {
  const code = errnoOf(error)
  const place = `${hosts.join(' and ')} port ${port}`
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: `${place} is taken by another program; choose another port with --port.`,
    EACCES: `${place} may not be used without more rights; choose a port above 1023 with --port.`,
    EADDRNOTAVAIL: `${place} is not an address of this machine; pass one with --host.`,
    ENOTFOUND: `${place} is not an address of this machine; pass one with --host.`,
  }
  return new AppError('config-invalid', why[code ?? ''] ?? `${place} cannot be used: ${String(error)}`, {
    cause: error,
  })
}

const problems: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: defineProblem(431, 'headers_too_large', 'The headers are larger than 16 KB.'),
  ERR_HTTP_REQUEST_TIMEOUT: defineProblem(408, 'request_timeout', 'The request did not arrive in time.'),
}

const LINGER_MS = 1_000

const malformed = defineProblem(400, 'malformed_request', 'The HTTP request is malformed.')

function refuse(error: Error, socket: Duplex, tell: (refusal: Refusal) => void): void {
  const code = errnoOf(error)
  // A TLS client that sends no valid request has not proven that it may see an error.
  if (code === 'ECONNRESET' || !socket.writable || socket instanceof TLSSocket) return void socket.destroy()
  const problem = problems[code ?? ''] ?? malformed
  const address = 'remoteAddress' in socket ? String(socket.remoteAddress).replace(/^::ffff:/, '') : 'unknown'
  tell({ problem, address })
  const id = newRequestId()
  const body = JSON.stringify(toErrorBody(problem, 'openai', id))
  socket.end(
    `HTTP/1.1 ${problem.status} Refused\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: ${id}\r\n` +
      `connection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  // Destroyed at once it could lose the answer; left alone it stays until the client closes its side, which may be
  // never.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
