/** A server that runs already. Its headers may hold a key, so no redirect is followed; what it sends is bounded. */
import { setTimeout as pause } from 'node:timers/promises'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { AppError } from '../protocol/error.ts'

const MAX_RESPONSE = 32 * 1024 * 1024

export const createHttpTransport = (
  url: string,
  headers: Readonly<Record<string, string>>,
): StreamableHTTPClientTransport =>
  new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch,
    // A broken stream is not restored in the background: the next call reconnects.
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1,
    },
  })

const LEAVE_MS = 1_000

/** Tells a server that keeps sessions that ours is over; not for long, and whatever it says. */
export async function leave(transport: StreamableHTTPClientTransport): Promise<void> {
  if (transport.sessionId === undefined) return
  const told = transport.terminateSession().catch(() => undefined)
  await Promise.race([told, pause(LEAVE_MS, undefined, { ref: false })])
}

async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' })
  if (!response.body) return response
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(atMost(MAX_RESPONSE)), { status, statusText, headers })
}

function atMost(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let heard = 0
  return new TransformStream({
    transform(chunk, controller) {
      heard += chunk.length
      if (heard > bytes) controller.error(new AppError('tool-failed', 'the server sent more than 32 MiB'))
      else controller.enqueue(chunk)
    },
  })
}
