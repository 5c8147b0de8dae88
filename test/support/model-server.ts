/**
 * A scripted OpenAI-compatible server on loopback: real HTTP, one reply per request, every fault a server can have.
 * `requests` holds what it was asked.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServerReply } from './model-server/reply.ts'
import { sendReply } from './model-server/send.ts'

type ServerRequest = {
  readonly model: string
  readonly messages: readonly Record<string, unknown>[]
  readonly [key: string]: unknown
}

export type ScriptedServerReply = ServerReply | ((request: ServerRequest) => ServerReply)

export type ModelServerOptions = {
  /** Refuse longer requests as llama.cpp does; counted as four characters to a token. */
  readonly window?: number
  /** Refuse requests without this key. */
  readonly key?: string
  /** Say the last reply again when the script is at its end. */
  readonly repeatLast?: boolean
}

export type ModelServer = {
  /** Ends in /v1. */
  readonly url: string
  readonly requests: readonly ServerRequest[]
  readonly headers: readonly IncomingMessage['headers'][]
  /** Resolves when a client first goes away before its reply was complete. */
  readonly clientGone: Promise<void>
  close(): Promise<void>
}

export async function startModelServer(
  script: readonly ScriptedServerReply[],
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const requests: ServerRequest[] = []
  const headers: IncomingMessage['headers'][] = []
  let noticeGone = () => {}
  const clientGone = new Promise<void>((resolve) => (noticeGone = resolve))

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('close', () => !response.writableFinished && noticeGone())
    if (incoming.url === '/v1/models') return sendReply({ body: MODELS }, {}, response)
    if (isAboutServer(incoming.url ?? '')) return sendReply({ status: 404, body: 'not found' }, {}, response)
    // It is neither Ollama nor llama.cpp, and answers probes accordingly.
    if (/^\/(?:api|props|slots|completion)\b/.test(incoming.url ?? '')) {
      return sendReply({ status: 404, body: { error: { message: 'not found' } } }, {}, response)
    }
    const request = JSON.parse(await textOf(incoming)) as ServerRequest
    headers.push(incoming.headers)
    requests.push(request)
    const next = script[requests.length - 1] ?? (options.repeatLast ? script.at(-1) : undefined)
    const reply = refusal(incoming, request, options) ?? scripted(next, request)
    return sendReply(reply, request, response)
  }
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => response.destroy(error as Error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1`, requests, headers, clientGone, close }
}

/** What the probe asks of servers it knows; this one is none of them. */
const isAboutServer = (path: string): boolean => /^\/(?:api\/|props|version|slots)/.test(path)

const MODELS = {
  object: 'list',
  data: [{ id: 'test-model', object: 'model', created: 1, owned_by: 'test' }],
}

const scripted = (reply: ScriptedServerReply | undefined, request: ServerRequest): ServerReply => {
  if (reply === undefined) return { status: 418, body: { error: { message: 'the script is at its end' } } }
  return typeof reply === 'function' ? reply(request) : reply
}

function refusal(
  incoming: IncomingMessage,
  request: ServerRequest,
  { key, window = Number.POSITIVE_INFINITY }: ModelServerOptions,
): ServerReply | undefined {
  if (key !== undefined && incoming.headers.authorization !== `Bearer ${key}`) {
    const given = incoming.headers.authorization?.slice('Bearer '.length) ?? 'none'
    return { status: 401, body: { error: { message: `Incorrect API key provided: ${given}.` } } }
  }
  const tokens = Math.ceil(JSON.stringify([request.messages, request['tools']]).length / 4)
  if (tokens <= window) return undefined
  const message = `request (${tokens} tokens) exceeds the available context size (${window} tokens), try increasing it`
  return {
    status: 400,
    body: {
      error: {
        code: 400,
        message,
        type: 'exceed_context_size_error',
        n_prompt_tokens: tokens,
        n_ctx: window,
      },
    },
  }
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
