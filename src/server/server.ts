/**
 * Puts routes behind the locks of `guard-order.ts` and on the network. Every route goes through `register`, and the answers
 * for unknown paths, wrong methods and unreadable addresses pass the same locks; there is no other way in. Fastify finds
 * the route and reads the body.
 */
import type { Server as HttpServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { createUnproven } from '../lib/unproven.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import { answer, answerProblem, type ServerState } from './http/answer.ts'
import { readBody } from './http/body.ts'
import { defineProblem, type Problem, ProblemError } from './http/errors.ts'
import { admit, tooLarge } from './http/guard-order.ts'
import { defaultLimits, type Limits } from './http/limits.ts'
import { type Address, addressesFor, addressOf, bindAll, createHttp, type Refusal } from './http/listen.ts'
import type { TellAudit } from './parts.ts'
import { openPeerAccess } from './admin/peer-access.ts'
import type { Route } from './http/route.ts'
import { beginExchange, toRequestHead, type Exchange } from './http/request.ts'
import { createWrongTokens } from './http/token-failures.ts'

export type ServerParts = Pick<ServerState, 'tokens' | 'peers' | 'audit' | 'metrics' | 'log'> & {
  readonly routes: readonly Route[]
  /** Everyone on this machine may do everything. Host and Origin are looked at all the same. */
  readonly isAuthOff: boolean
  /** Names this server goes by beside those of loopback. */
  readonly hosts: readonly string[]
  readonly limits?: Partial<Limits>
}

export type Server = {
  readonly routes: readonly Route[]
  /** The addresses really bound: both of loopback when no host is wished for. Port 0 lets the system choose. */
  listen(wish: { readonly host?: string; readonly port: number }): Promise<readonly Address[]>
  /** Takes nothing new, gives running requests a moment, then ends them. */
  close(): Promise<void>
}

export async function createServer(parts: ServerParts): Promise<Server> {
  const state = createState(parts)
  const app = createApp(state)
  for (const route of parts.routes) register(app, route, state)
  refuseOtherMethods(app, parts.routes)
  app.setNotFoundHandler(async () => refuse(NOT_FOUND))
  await app.ready()
  let servers: readonly HttpServer[] = []
  const closed = new AbortController()
  return {
    routes: parts.routes,
    async listen({ host, port }) {
      // Sockets of our own, two of them for loopback; the one that Fastify made never listens.
      const make = () => {
        const http = createHttp(
          (request, response) => app.routing(request, response),
          state.limits,
          (refusal) => state.audit(toAudit(refusal)),
        )
        const patience = { ms: state.limits.headersMs, signal: closed.signal, unproven: state.unproven }
        return state.peers ? openPeerAccess(http, state.peers, patience) : http
      }
      servers = await bindAll(make, addressesFor(host), port)
      return servers.map(addressOf)
    },
    close: () => closeState(state, app, { servers, hangUp: () => closed.abort() }),
  }
}

const toAudit = ({ problem, address }: Refusal) =>
  ({ what: 'refused', client: address, route: 'unread', why: problem.message }) as const

const NOT_FOUND = defineProblem(404, 'not_found', 'No route has this path; /openapi.json lists the routes.')

function createState(parts: ServerParts): ServerState {
  const limits = { ...defaultLimits, ...parts.limits }
  return {
    ...parts,
    limits,
    audit: (entry) => tellSafely(parts, entry),
    allowedHosts: new Set(['localhost', '127.0.0.1', '[::1]', ...parts.hosts.map(toHostName)]),
    unproven: createUnproven({ ...UNPROVEN, ms: limits.headersMs }),
    wrongTokens: createWrongTokens(limits.wrongTokensPerMinute),
    exchanges: new Map(),
    isClosing: false,
  }
}

/** Of the connections of a tool host, for those of whom no request was admitted yet. */
const UNPROVEN = { most: 64, perAddress: 32 } as const

/** What is refused stays refused, also when the disk is too full to say so. */
function tellSafely({ audit, log }: ServerParts, entry: Parameters<TellAudit>[0]): void {
  try {
    audit(entry)
  } catch (error) {
    log?.error({ error: errorMessage(error) }, 'the audit line could not be written')
  }
}

const toHostName = (host: string): string => {
  const name = host.toLowerCase()
  return name.includes(':') && !name.startsWith('[') ? `[${name}]` : name
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent for unknown paths and wrong methods. */
    route?: Route
  }
}

function createApp(state: ServerState): FastifyInstance {
  const app = fastify({
    bodyLimit: state.limits.bodyBytes,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 500 },
    frameworkErrors: (_error, request, reply) => void answerBadAddress(state, request, reply),
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_: FastifyRequest, body: Buffer) => readBody(body, state.limits.jsonDepth),
  )
  app.addHook('onRequest', (request, reply) => enter(state, request, reply))
  app.setErrorHandler((error, request, reply) =>
    answerProblem(state, fromFastify(error, state.limits), request, reply),
  )
  return app
}

/** The one door. Runs before the body is read, for every route and for what is none. */
async function enter(state: ServerState, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { route } = request.routeOptions.config
  const exchange = beginExchange(request.raw, reply.raw, route)
  state.exchanges.set(request.raw, exchange)
  reply.headers(exchange.headers)
  void exchange.done.then(() => leave(state, request, reply))
  if (state.isClosing) throw closing
  const head = toRequestHead(request.raw, route)
  exchange.admission = await admit(head, route?.scope, state, exchange.controller.signal)
  // What is open to anybody proves nothing.
  if (exchange.admission.scopes.length > 0) state.unproven.release(request.raw.socket)
}

const closing = new AppError('model-unavailable', 'The server is closing; try again in a moment.')

function leave(
  { exchanges, metrics, log }: ServerState,
  { raw, method }: FastifyRequest,
  reply: FastifyReply,
): void {
  const exchange = exchanges.get(raw)
  if (!exchange) return
  exchanges.delete(raw)
  const route = exchange.route?.path ?? 'none'
  const status = reply.raw.statusCode
  const seconds = (performance.now() - exchange.startedAt) / 1000
  metrics.answered({ method, route, status, seconds })
  const client = exchange.admission?.shown ?? exchange.admission?.client ?? exchange.address
  log?.info({ id: exchange.id, method, route, status, client, ms: Math.round(seconds * 1000) }, 'request')
}

async function answerBadAddress(
  state: ServerState,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  try {
    await enter(state, request, reply)
    refuse(defineProblem(400, 'malformed_address', 'The URL is malformed.'))
  } catch (error) {
    answerProblem(state, error, request, reply)
  }
}

function register(app: FastifyInstance, route: Route, state: ServerState): void {
  app.route({
    method: route.method,
    url: route.path,
    config: { route },
    handler: (request, reply) => answer(state, route, request, reply),
  })
}

const METHODS = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'] as const

function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[]): void {
  for (const url of new Set(routes.map(({ path }) => path))) {
    const taken = new Set<string>(routes.filter(({ path }) => path === url).map(({ method }) => method))
    const allow = [...taken].join(', ')
    const problem = defineProblem(405, 'method_not_allowed', `${url} takes ${allow} only.`, { allow })
    const method = METHODS.filter((name) => !taken.has(name))
    app.route({ method, url, handler: async () => refuse(problem) })
  }
}

function refuse(problem: Problem): never {
  throw new ProblemError(problem)
}

/** Fastify's own refusals, all about the body, in our words. */
function fromFastify(error: unknown, { bodyBytes }: Limits): unknown {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  if (error instanceof AppError || typeof status !== 'number' || status >= 500) return error
  if (status === 413) return new ProblemError(tooLarge(bodyBytes))
  return new ProblemError(
    defineProblem(status, 'bad_body', error instanceof Error ? error.message : 'The body is invalid.'),
  )
}

type Lines = { readonly servers: readonly HttpServer[]; hangUp(): void }

async function closeState(
  state: ServerState,
  app: FastifyInstance,
  { servers, hangUp }: Lines,
): Promise<void> {
  state.isClosing = true
  const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
  end(state, ({ isWatch }) => isWatch)
  await settled(state)
  end(state, () => true)
  await settled(state)
  for (const server of servers) server.closeAllConnections()
  hangUp()
  await Promise.all(closed)
  await app.close()
}

function end({ exchanges }: ServerState, which: (exchange: Exchange) => boolean): void {
  for (const exchange of exchanges.values()) if (which(exchange)) exchange.controller.abort(closing)
}

/** Until every answer is out, but not for ever. */
async function settled({ exchanges, limits }: ServerState): Promise<void> {
  const isOver = new AbortController()
  const patience = delay(limits.closeMs, undefined, { signal: isOver.signal }).catch(() => undefined)
  await Promise.race([Promise.all([...exchanges.values()].map(({ done }) => done)), patience])
  isOver.abort()
}
