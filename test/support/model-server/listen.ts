/** HTTP for the fake servers: routes in, answers out, every request kept. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { Refusal, type FakeQuirks } from './fake-model.ts'
import type { ServerReply } from './reply.ts'
import { sendReply } from './send.ts'

export type Body = Record<string, unknown>

/** One JSON value, a stream of lines, or a chat completion of OpenAI's. */
export type Answer =
  | { readonly json: unknown }
  | { readonly lines: readonly object[]; readonly as: 'sse' | 'ndjson' }
  | { readonly completion: ServerReply }

export type Routes = Readonly<Record<string, (body: Body) => Answer>>

export type FakeServer = {
  /** Ends in /v1. */
  readonly url: string
  /** What was asked, in order. */
  readonly requests: readonly { readonly path: string; readonly body: Body }[]
  /** The bodies sent to one path. */
  sent(path: string): Body[]
}

export type FakeServerParts = {
  readonly quirks: FakeQuirks
  readonly routes: Routes
  /** How an error is reported. */
  errorBody(refusal: Refusal): object
  /** Paths that answer while the model loads. */
  readonly always?: readonly string[]
}

export async function listen({
  quirks,
  routes,
  errorBody,
  always = [],
}: FakeServerParts): Promise<FakeServer> {
  const requests: { path: string; body: Body }[] = []
  let loading = quirks.loadingRequests ?? 0

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = ''] = (incoming.url ?? '').split('?')
    const body = await bodyOf(incoming)
    requests.push({ path, body })
    try {
      if (loading > 0 && !always.includes(path)) {
        loading--
        throw new Refusal(503, 'Loading model')
      }
      const route = routes[`${incoming.method} ${path}`]
      if (!route) throw new Refusal(404, 'not found')
      const given = route(body)
      if (!('json' in given) && quirks.prefillMs) await wait(quirks.prefillMs)
      await send(given, body, response)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      response.writeHead(error.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(errorBody(error)))
    }
  }
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => response.destroy(error as Error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    sent: (path) => requests.filter((request) => request.path === path).map(({ body }) => body),
  }
}

export const openAiError = ({ status, message }: Refusal): object => ({
  error: {
    code: status,
    message,
    type: status < 500 ? 'invalid_request_error' : 'unavailable_error',
    param: null,
  },
})

async function send(answer: Answer, body: Body, response: ServerResponse): Promise<void> {
  if ('completion' in answer) return sendReply(answer.completion, body, response)
  if ('json' in answer) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer.json))
    return
  }
  const isSse = answer.as === 'sse'
  response.writeHead(200, { 'content-type': isSse ? 'text/event-stream' : 'application/x-ndjson' })
  for (const line of answer.lines) {
    response.write(isSse ? `data: ${JSON.stringify(line)}\n\n` : `${JSON.stringify(line)}\n`)
    await new Promise((resolve) => setImmediate(resolve))
  }
  response.end()
}

async function bodyOf(incoming: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return text === '' ? {} : (JSON.parse(text) as Body)
}
