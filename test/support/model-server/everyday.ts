/**
 * Servers as a stranger meets them: an OpenAI-compatible API on a random port with one thing that is not as expected. Real
 * HTTP, also without vitest.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { sendReply } from './send.ts'

export type EverydayOptions = {
  readonly models?: readonly string[]
  /** Where its API is; empty = at the root. */
  readonly prefix?: string
  /** Requests without this key get 401. */
  readonly key?: string
  /** Every path answers with a web page. */
  readonly html?: boolean
  /** Takes requests and never answers. */
  readonly silent?: boolean
  /** What the embeddings route answers; without it there is no such route. */
  readonly embedding?: { readonly status: number; readonly vector: readonly number[] }
  /** Serves https with this certificate. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

export type EverydayServer = {
  /** Without a path, as a person would type it. */
  readonly origin: string
  /** Method and path of every request. */
  readonly requests: readonly string[]
  /** The models that chats asked for. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

export async function startEveryday(options: EverydayOptions = {}): Promise<EverydayServer> {
  const { tls, prefix = '/v1' } = options
  const requests: string[] = []
  const asked: string[] = []
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests.push(`${incoming.method} ${incoming.url}`)
    if (options.silent) return
    if (options.html) return send(response, 200, '<!doctype html><title>Router</title>', 'text/html')
    if (options.key !== undefined && incoming.headers.authorization !== `Bearer ${options.key}`) {
      return send(response, 401, { error: { message: 'Missing or invalid API key' } })
    }
    const route = `${incoming.method} ${incoming.url}`
    if (route === `GET ${prefix}/models`) {
      const data = (options.models ?? ['heron-7b']).map((id) => ({ id, object: 'model' }))
      return send(response, 200, { object: 'list', data })
    }
    const body = await bodyOf(incoming)
    if (route === `POST ${prefix}/chat/completions`) {
      asked.push(String(body['model']))
      return sendReply({ text: 'Hello from the server.' }, body, response)
    }
    if (route === `POST ${prefix}/embeddings` && options.embedding) {
      const { status, vector } = options.embedding
      return send(response, status, { data: [{ index: 0, embedding: vector }] })
    }
    return send(response, 404, { error: { message: 'not found' } })
  }
  const listener = (incoming: IncomingMessage, response: ServerResponse): void => {
    answer(incoming, response).catch((error: unknown) => response.destroy(error as Error))
  }
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    asked,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function send(response: ServerResponse, status: number, body: unknown, type = 'application/json'): void {
  response.writeHead(status, { 'content-type': type })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

async function bodyOf(incoming: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
}
