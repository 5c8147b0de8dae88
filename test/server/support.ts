/** A real server on loopback with routes of its own, and clients that behave as badly as a test wants. */
import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { createMetrics } from '../../src/server/admin/metrics.ts'
import { openapiRoute } from '../../src/server/admin/openapi.ts'
import type { TellAudit } from '../../src/server/parts.ts'
import { defineRoute, type Route, type Scope, type StreamPart } from '../../src/server/http/route.ts'
import { createServer, type Server, type ServerParts } from '../../src/server/server.ts'
import { openTokens, type Tokens } from '../../src/server/http/tokens.ts'

export type TestServer = {
  readonly server: Server
  readonly port: number
  readonly url: string
  readonly token: string
  readonly tokens: Tokens
  readonly tokensPath: string
  readonly audit: Parameters<TellAudit>[0][]
  /** Everything that was logged, as text. */
  logged(): string
  ask(options?: Ask): Promise<Reply>
  addToken(name: string, scopes: readonly Scope[]): Promise<string>
}

export type Ask = {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: string | Uint8Array
}

export type Reply = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  json(): unknown
}

export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'covey-server-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export async function openTestServer(
  routes: readonly Route[],
  options: Partial<ServerParts> = {},
  wishedPort = 0,
): Promise<TestServer> {
  const tokensPath = join(await tempFolder(), 'tokens')
  const tokens = openTokens(tokensPath)
  const token = await tokens.add('tester', ['chat', 'tools', 'admin'])
  const audit: Parameters<TellAudit>[0][] = []
  const lines: string[] = []
  const log = (...values: unknown[]) => void lines.push(JSON.stringify(values))
  const server = await createServer({
    routes: [...routes, openapiRoute(routes, '0.0.0')],
    tokens,
    isAuthOff: false,
    hosts: [],
    audit: (entry) => void audit.push(entry),
    metrics: createMetrics('0.0.0'),
    log: { info: log, error: log },
    ...options,
    limits: { wrongTokenMs: 1, closeMs: 300, ...options.limits },
  })
  const [address] = await server.listen({ port: wishedPort })
  onTestFinished(() => server.close())
  const port = address?.port ?? 0
  return {
    server,
    port,
    url: `http://127.0.0.1:${port}`,
    token,
    tokens,
    tokensPath,
    audit,
    logged: () => lines.join('\n'),
    ask: (ask = {}) => send(port, { ...ask, headers: { authorization: `Bearer ${token}`, ...ask.headers } }),
    addToken: (name, scopes) => tokens.add(name, scopes),
  }
}

/** Exactly these headers; an undefined one is left out. */
export function send(
  port: number,
  { method = 'GET', path = '/echo', headers = {}, body }: Ask,
): Promise<Reply> {
  const sent = Object.entries({
    ...(method === 'POST' && { 'content-type': 'application/json' }),
    ...headers,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, method, path, headers: Object.fromEntries(sent), agent: false },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (piece: string) => (text += piece))
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode = 0, headers } = response
          resolve({ status: statusCode, headers, text, json: () => JSON.parse(text) as unknown })
        })
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

/** A socket for what no HTTP client would send; what came back is all that was read so far. */
export async function rawClient(
  port: number,
): Promise<{ socket: Socket; read(): string; closed: Promise<void> }> {
  const socket = connect({ host: '127.0.0.1', port })
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.on('data', (data) => (text += data.toString('latin1')))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return { socket, read: () => text, closed }
}

/** One route of each kind; `handled` tells which were really reached. */
export function testRoutes(handled: string[] = []): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/echo',
      scope: 'chat',
      summary: 'Says what it was asked',
      handle: async ({ query, client, headers }) => {
        handled.push('GET /echo')
        return { kind: 'json', body: { query, client, headers } }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/echo',
      scope: 'chat',
      summary: 'Says what it was sent',
      body: z.object({ text: z.string().optional(), n: z.int().optional() }).catchall(z.unknown()),
      handle: async ({ body }) => {
        handled.push('POST /echo')
        return { kind: 'json', body }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/things/:id',
      scope: 'admin',
      summary: 'Takes one away',
      handle: async ({ params }) => {
        handled.push('DELETE /things')
        return { kind: 'json', body: params }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/stream',
      scope: 'chat',
      summary: 'Three parts',
      handle: async () => {
        handled.push('GET /stream')
        return streamOf(three())
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/page/*',
      scope: 'chat',
      summary: 'A static page',
      handle: async () => {
        handled.push('GET /page')
        return { kind: 'text', mediaType: 'text/html; charset=utf-8', body: '<p>hello</p>' }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/health',
      scope: 'open',
      summary: 'Lives',
      handle: async () => ({ kind: 'json', body: { status: 'ok' } }),
    }),
  ]
}

async function* three(): AsyncGenerator<StreamPart> {
  for (const data of ['1', '2', '3']) yield { data }
}

export const streamOf = (parts: AsyncIterable<StreamPart>, format: 'sse' | 'ndjson' = 'sse') =>
  ({
    kind: 'stream',
    format,
    parts,
    failure: (error: unknown) => [
      { event: 'error', data: error instanceof Error ? error.message : 'failed' },
    ],
  }) as const

export const streamRoute = (parts: (signal: AbortSignal) => AsyncIterable<StreamPart>): Route =>
  defineRoute({
    method: 'GET',
    path: '/parts',
    scope: 'chat',
    summary: 'Parts of the test',
    handle: async ({ signal }) => streamOf(parts(signal)),
  })
