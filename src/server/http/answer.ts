/**
 * From a request that passed the locks to what is written: calls the route, sends its value, its stream or its error.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '../../lib/log.ts'
import type { Unproven } from '../../lib/unproven.ts'
import { errorMessage } from '../../protocol/error.ts'
import { ProblemError, shapeOfPath, toErrorBody, toProblem } from './errors.ts'
import type { LockParts } from './guard-order.ts'
import type { Metrics } from '../admin/metrics.ts'
import type { TellAudit } from '../parts.ts'
import type { Route, RouteRequest } from './route.ts'
import { openStream, sendStream, type StreamReply } from './stream.ts'
import type { Exchange } from './request.ts'

/** What every request of one server stands on. */
export type ServerState = LockParts & {
  readonly audit: TellAudit
  readonly metrics: Metrics
  readonly log?: Pick<Logger, 'info' | 'error'>
  readonly exchanges: Map<IncomingMessage, Exchange>
  /** Connections to the door of `peers` of whom no request was admitted yet. */
  readonly unproven: Unproven
  isClosing: boolean
}

export async function answer(
  state: ServerState,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const exchange = requireExchange(state, request)
  const result = await route.handle(toRouteRequest(exchange, route, request))
  if (result.kind === 'stream') return answerStream(state, exchange, result, reply)
  if (result.kind === 'text')
    reply
      .headers(result.headers ?? {})
      .type(result.mediaType)
      .send(typeof result.body === 'string' ? result.body : Buffer.from(result.body))
  else {
    reply.code(result.status ?? 200).headers(result.headers ?? {})
    reply.type('application/json; charset=utf-8').send(JSON.stringify(result.body))
  }
}

/** Whatever was thrown, in the shape that the clients of this route read. */
export function answerProblem(
  state: ServerState,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const exchange = requireExchange(state, request)
  const { signal } = exchange.controller
  if (signal.aborted && !state.isClosing) return void reply.raw.destroy()
  const problem = toProblem(signal.aborted ? signal.reason : error)
  if (!exchange.admission && error instanceof ProblemError) tellRefusal(state, exchange, problem.message)
  if (problem.status === 500)
    state.log?.error(
      { id: exchange.id, error: error instanceof Error ? error.stack : String(error) },
      'failed',
    )
  if (problem.retryAfterS !== undefined) reply.header('retry-after', problem.retryAfterS)
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer realm="covey"')
  if (problem.allow !== undefined) reply.header('allow', problem.allow)
  const shape = exchange.route?.errors ?? shapeOfPath(exchange.path)
  reply
    .code(problem.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(toErrorBody(problem, shape, exchange.id)))
}

const tellRefusal = ({ audit }: ServerState, { route, path, address }: Exchange, why: string): void =>
  audit({ what: 'refused', client: address, route: route?.path ?? path, why })

function requireExchange({ exchanges }: ServerState, { raw }: FastifyRequest): Exchange {
  const exchange = exchanges.get(raw)
  if (!exchange) throw new Error('a request without an exchange')
  return exchange
}

function toRouteRequest(exchange: Exchange, route: Route, request: FastifyRequest): RouteRequest {
  return {
    id: exchange.id,
    body: route.body ? route.body.parse(request.body) : request.body,
    params: request.params as Record<string, string>,
    query: queryOf(request.raw.url ?? ''),
    headers: withoutCredentials(request),
    client: exchange.admission?.client ?? exchange.address,
    scopes: exchange.admission?.scopes ?? [],
    signal: exchange.controller.signal,
  }
}

function queryOf(target: string): Record<string, string> {
  const at = target.indexOf('?')
  return at < 0 ? {} : Object.fromEntries(new URLSearchParams(target.slice(at)))
}

const CREDENTIALS = new Set(['authorization', 'x-api-key', 'cookie'])

/** No route can hand on or log a token that it never sees. */
function withoutCredentials({ headers }: FastifyRequest): Record<string, string | undefined> {
  const kept: Record<string, string | undefined> = {}
  for (const name in headers) {
    if (CREDENTIALS.has(name)) continue
    const value = headers[name]
    kept[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return kept
}

async function answerStream(
  state: ServerState,
  exchange: Exchange,
  result: StreamReply,
  reply: FastifyReply,
): Promise<void> {
  exchange.isWatch = result.isWatch ?? false
  const opened = await openStream(result, state.limits.streamGraceMs)
  reply.hijack()
  state.metrics.streamOpened()
  try {
    await sendStream(reply.raw, opened, {
      limits: state.limits,
      headers: exchange.headers,
      controller: exchange.controller,
      validity: exchange.admission ?? { isStillValid: async () => false },
      tell: (error) => state.log?.info({ id: exchange.id, why: errorMessage(error) }, 'stream ended early'),
    })
  } finally {
    state.metrics.streamClosed()
  }
}
