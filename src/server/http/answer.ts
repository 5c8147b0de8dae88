/** From a request that passed the locks to what is written: calls the route, sends its value, its stream or its error. */
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
import type { Visit } from './request.ts'

/** What every request of one server stands on. */
export type House = LockParts & {
  readonly audit: TellAudit
  readonly metrics: Metrics
  readonly log?: Pick<Logger, 'info' | 'error'>
  readonly visits: Map<IncomingMessage, Visit>
  /** Connections to the door of `peers` of whom no request was admitted yet. */
  readonly unproven: Unproven
  isClosing: boolean
}

export async function answer(
  house: House,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const visit = requireVisit(house, request)
  const result = await route.handle(toRouteRequest(visit, route, request))
  if (result.kind === 'stream') return answerStream(house, visit, result, reply)
  if (result.kind === 'text') reply.type(result.mediaType).send(result.body)
  else {
    reply.code(result.status ?? 200).headers(result.headers ?? {})
    reply.type('application/json; charset=utf-8').send(JSON.stringify(result.body))
  }
}

/** Whatever was thrown, in the shape that the clients of this route read. */
export function answerProblem(
  house: House,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const visit = requireVisit(house, request)
  const { signal } = visit.controller
  if (signal.aborted && !house.isClosing) return void reply.raw.destroy()
  const problem = toProblem(signal.aborted ? signal.reason : error)
  if (!visit.admission && error instanceof ProblemError) tellRefusal(house, visit, problem.message)
  if (problem.status === 500)
    house.log?.error({ id: visit.id, error: error instanceof Error ? error.stack : String(error) }, 'failed')
  if (problem.retryAfterS !== undefined) reply.header('retry-after', problem.retryAfterS)
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer realm="covey"')
  if (problem.allow !== undefined) reply.header('allow', problem.allow)
  const shape = visit.route?.errors ?? shapeOfPath(visit.path)
  reply
    .code(problem.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(toErrorBody(problem, shape, visit.id)))
}

const tellRefusal = ({ audit }: House, { route, path, address }: Visit, why: string): void =>
  audit({ what: 'refused', client: address, route: route?.path ?? path, why })

function requireVisit({ visits }: House, { raw }: FastifyRequest): Visit {
  const visit = visits.get(raw)
  if (!visit) throw new Error('a request without a visit')
  return visit
}

function toRouteRequest(visit: Visit, route: Route, request: FastifyRequest): RouteRequest {
  return {
    id: visit.id,
    body: route.body ? route.body.parse(request.body) : request.body,
    params: request.params as Record<string, string>,
    query: queryOf(request.raw.url ?? ''),
    headers: withoutCredentials(request),
    client: visit.admission?.client ?? visit.address,
    scopes: visit.admission?.scopes ?? [],
    signal: visit.controller.signal,
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
  house: House,
  visit: Visit,
  result: StreamReply,
  reply: FastifyReply,
): Promise<void> {
  visit.isWatch = result.isWatch ?? false
  const opened = await openStream(result, house.limits.streamGraceMs)
  reply.hijack()
  house.metrics.streamOpened()
  try {
    await sendStream(reply.raw, opened, {
      limits: house.limits,
      headers: visit.headers,
      controller: visit.controller,
      isAllowed: async () => visit.admission?.isStillValid() ?? false,
      tell: (error) => house.log?.info({ id: visit.id, why: errorMessage(error) }, 'stream ended early'),
    })
  } finally {
    house.metrics.streamClosed()
  }
}
