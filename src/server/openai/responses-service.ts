/** Responses after they were asked for: looked at again, deleted, or ended while they are being written. */
import { z } from 'zod'
import { ResponseReply } from './responses-reply.ts'
import { createResponseStore, type ResponseStore } from './responses-store.ts'
import { defineProblem, ProblemError } from '../http/errors.ts'
import { defineRoute, type Route, type RouteRequest } from '../http/route.ts'

export type ResponseService = ResponseStore & {
  /** One that is being written; `end` must follow. `signal` aborts when its client cancels it. */
  open(head: ResponseReply, client: string): { readonly signal: AbortSignal; end(): void }
  /** Those being written, of one client. */
  opened(id: string, client: string): OpenResponse | undefined
}

type OpenResponse = { readonly head: ResponseReply; cancel(): void }

export function createResponseService(store: ResponseStore = createResponseStore()): ResponseService {
  const open = new Map<string, OpenResponse & { readonly client: string }>()
  return {
    ...store,
    open(head, client) {
      const stop = new AbortController()
      open.set(head.id, { head, client, cancel: () => stop.abort(cancelled(head.id)) })
      return { signal: stop.signal, end: () => void open.delete(head.id) }
    },
    opened(id, client) {
      const found = open.get(id)
      return found?.client === client ? found : undefined
    },
  }
}

const cancelled = (id: string): ProblemError =>
  new ProblemError(
    defineProblem(409, 'response_cancelled', `The response ${id} was cancelled by its client.`),
  )

const Deleted = z.strictObject({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) })

export const responseServiceRoutes = (service: ResponseService): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/v1/responses/:id',
    scope: 'chat',
    summary: 'A response that was kept, or one that is being written.',
    reply: ResponseReply,
    async handle(request) {
      const { id, client } = named(request)
      const body = service.opened(id, client)?.head ?? service.find(id, client)?.response
      if (!body) throw unknownResponse(id)
      return { kind: 'json', body }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/responses/:id',
    scope: 'chat',
    summary: 'Forgets a response; no request can go on from it.',
    reply: Deleted,
    async handle(request) {
      const { id, client } = named(request)
      if (!service.remove(id, client)) throw unknownResponse(id)
      return { kind: 'json', body: { id, object: 'response', deleted: true } }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/responses/:id/cancel',
    scope: 'chat',
    summary: 'Ends a response that is being written.',
    reply: ResponseReply,
    async handle(request) {
      const { id, client } = named(request)
      const found = service.opened(id, client)
      if (!found) throw service.find(id, client) ? alreadyOver(id) : unknownResponse(id)
      found.cancel()
      return { kind: 'json', body: { ...found.head, status: 'cancelled' } }
    },
  }),
]

const named = ({ params, client }: RouteRequest) => ({ id: params['id'] ?? '', client })

const unknownResponse = (id: string): ProblemError =>
  new ProblemError(
    defineProblem(404, 'not_found', `The response ${id.slice(0, 100)} is not known here (any more).`),
  )

const alreadyOver = (id: string): ProblemError =>
  new ProblemError(defineProblem(400, 'invalid_value', `The response ${id} is over; it cannot be cancelled.`))
