/**
 * A route is a piece of data with a handle(); `server/server.ts` puts the same locks before every one of them, so that no
 * route can forget one. A route never sees the socket: it returns a value, or the pieces of a stream.
 */
import type { z } from 'zod'

export const scopes = ['read', 'chat', 'tools', 'approve', 'admin', 'peer'] as const
export type Scope = (typeof scopes)[number]

export type RouteRequest<Body = unknown> = {
  readonly id: string
  /** As the route's schema read it. */
  readonly body: Body
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Whose token or key it came with; turns at a busy model are fair between clients. */
  readonly client: string
  /** What its token allows. A route that runs tools for some requests only asks for `tools` here. */
  readonly scopes: readonly Scope[]
  /** Aborts when the client goes away or the server closes. */
  readonly signal: AbortSignal
}

/** One piece of a stream. As NDJSON only `data` is written. */
export type StreamPart = { readonly data: string; readonly event?: string; readonly id?: string }

export type RouteReply =
  | {
      readonly kind: 'json'
      readonly body: unknown
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'text'
      readonly mediaType: string
      readonly body: string | Uint8Array
      readonly headers?: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'stream'
      readonly format: 'sse' | 'ndjson'
      /** Thrown before the first piece: an HTTP error. Thrown later: told by `failure`, then the stream ends. */
      readonly parts: AsyncIterable<StreamPart>
      failure(error: unknown): readonly StreamPart[]
      /** It only watches: a server that closes does not wait for its end. */
      readonly isWatch?: boolean
    }

/** How an error looks to the clients of a route. */
export type ErrorShape = 'openai' | 'anthropic' | 'ollama'

export type RouteDeclaration<Schema extends z.ZodType> = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** With `:name` for parameters, `*` for the rest. */
  readonly path: string
  /** What a token must allow; `open` answers without one. */
  readonly scope: Scope | 'open'
  readonly summary: string
  readonly body?: Schema
  /** What comes back as JSON, for the description at `/openapi.json`; tests hold replies against it. */
  readonly reply?: z.ZodType
  readonly errors?: ErrorShape
  handle(request: RouteRequest<z.infer<Schema>>): Promise<RouteReply>
}

export type Route = Omit<RouteDeclaration<z.ZodType>, 'handle'> & {
  handle(request: RouteRequest): Promise<RouteReply>
}

/** Erases the type of the body after binding it to the schema; the server parses with `route.body` first. */
export const defineRoute = <Schema extends z.ZodType>(declaration: RouteDeclaration<Schema>): Route => ({
  ...declaration,
  handle: (request) => declaration.handle(request as RouteRequest<z.infer<Schema>>),
})
