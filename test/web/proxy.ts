/** Stands between a tab and the server and breaks what a test wants broken: answers, requests, whole connections. */
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

type Fault =
  /** The server has answered; the client gets no byte of it. */
  | 'cut-answer'
  /** The server has answered; the client waits. */
  | 'hold-answer'
  /** It never reaches the server, and the client waits. */
  | 'hold-request'

export type Proxy = {
  /** The same address, through the proxy. */
  through(address: string): string
  /** For requests whose `METHOD /path` matches; `undefined` ends it. */
  break(pattern: RegExp, fault: Fault | undefined): void
  /** As a network that is gone: nothing comes or goes, and nothing is closed. */
  freeze(isFrozen: boolean): void
  /** How many requests reached the proxy. */
  count(pattern: RegExp): number
  close(): void
}

export async function openProxy(target: string): Promise<Proxy> {
  const faults = new Map<string, { readonly pattern: RegExp; readonly fault: Fault }>()
  const seen: string[] = []
  const sockets = new Set<Socket>()
  let isFrozen = false
  const server = createServer((request, response) => {
    const name = `${request.method} ${request.url}`
    seen.push(name)
    const fault = [...faults.values()].find(({ pattern }) => pattern.test(name))?.fault
    if (fault === 'hold-request' || isFrozen) return void request.resume()
    forward(target, { request, response, fault, isFrozen: () => isFrozen })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    through(address) {
      const url = new URL(address)
      url.port = String(port)
      return url.href
    },
    break(pattern, fault) {
      if (fault === undefined) faults.delete(pattern.source)
      else faults.set(pattern.source, { pattern, fault })
    },
    freeze: (is) => (isFrozen = is),
    count: (pattern) => seen.filter((name) => pattern.test(name)).length,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

type Forwarding = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly fault: Fault | undefined
  isFrozen(): boolean
}

function forward(target: string, { request, response, fault, isFrozen }: Forwarding): void {
  const { method, headers, url } = request
  const sent = httpRequest(new URL(url ?? '/', target), { method, headers, agent: false }, (reply) => {
    if (fault === 'cut-answer') return void reply.resume().on('end', () => response.socket?.destroy())
    if (fault === 'hold-answer') return void reply.resume()
    response.writeHead(reply.statusCode ?? 502, reply.rawHeaders)
    response.flushHeaders()
    reply.on('data', (data) => isFrozen() || response.write(data))
    reply.on('end', () => isFrozen() || response.end())
    reply.on('error', () => isFrozen() || response.destroy())
  })
  sent.on('error', () => isFrozen() || response.destroy())
  response.on('close', () => sent.destroy())
  request.pipe(sent)
}
