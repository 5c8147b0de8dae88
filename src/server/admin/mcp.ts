/** `/mcp`: our tools over the Model Context Protocol (Streamable HTTP), behind the same locks as every other route. */
import { z } from 'zod'
import { defineRoute, type Route, type RouteRequest } from '../http/route.ts'

/** Turns one message of the protocol into its answer; nothing is kept between two of them. */
export type AnswerMcp = (
  message: Pick<RouteRequest, 'body' | 'headers' | 'client'>,
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly body?: unknown }>

export const mcpRoute = (answer: AnswerMcp): Route =>
  defineRoute({
    method: 'POST',
    path: '/mcp',
    scope: 'tools',
    summary: 'Tools over the Model Context Protocol (Streamable HTTP)',
    body: z.union([z.looseObject({}), z.array(z.looseObject({}))]),
    async handle({ body, headers, client, signal }) {
      const { status, body: said } = await answer({ body, headers, client }, signal)
      return { kind: 'json', status, body: said }
    },
  })
