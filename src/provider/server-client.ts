/**
 * A model server's own API, outside the AI SDK: questions about itself, raw prompts, Ollama's chat, embeddings. Failures
 * are the same AppErrors as everywhere; what a server says in error inside a stream is one too.
 */
import { APICallError } from '@ai-sdk/provider'
import type { ArmSettings } from '../protocol/arm.ts'
import { readText } from './body.ts'
import { brokenStream, htmlAnswer, secretsOf, toAppError, type Endpoint } from './errors.ts'
import { networkFetch, type Fetch } from './fetch.ts'
import { isObject } from '../lib/json.ts'

/** What of an arm's settings says where and as whom to ask. */
export type ServerAddress = Pick<ArmSettings, 'id' | 'baseUrl' | 'apiKey' | 'headers' | 'local'>

export type ServerClient = {
  readonly endpoint: Endpoint
  get(path: string, signal: AbortSignal): Promise<unknown>
  post(path: string, body: object, signal: AbortSignal): Promise<unknown>
  /** A streamed answer, one value per event or line. Ends where the server says `[DONE]` or closes. */
  stream(path: string, body: object, signal: AbortSignal): AsyncGenerator<unknown>
}

/** `baseUrl` ends in /v1; paths begin at the root of the server. */
export function createServerClient(address: ServerAddress, send?: Fetch): ServerClient {
  const root = (address.baseUrl ?? '').replace(/\/+$/, '').replace(/\/v1$/, '')
  const endpoint: Endpoint = {
    arm: address.id,
    url: root,
    local: address.local,
    secrets: secretsOf(address),
  }
  const request = createRequest(address, endpoint, send ?? networkFetch(address.local))
  return {
    endpoint,
    get: async (path, signal) => readJson(await request(root + path, { signal }), endpoint),
    post: async (path, body, signal) => readJson(await request(root + path, { body, signal }), endpoint),
    async *stream(path, body, signal) {
      const response = await request(root + path, { body, signal })
      yield* readValues(response.body, endpoint)
    },
  }
}

type Asked = { readonly body?: object; readonly signal: AbortSignal }

function createRequest({ apiKey, headers }: ServerAddress, endpoint: Endpoint, send: Fetch) {
  return async (url: string, { body, signal }: Asked): Promise<Response> => {
    const response = await send(url, {
      method: body ? 'POST' : 'GET',
      headers: {
        ...headers,
        ...(apiKey && { authorization: `Bearer ${apiKey}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      // A redirect would carry the key to another host.
      redirect: 'manual',
      signal,
    })
    if (!response.ok) throw await refused(response, url, endpoint)
    if (!response.headers.get('content-type')?.includes('text/html')) return response
    await response.body?.cancel()
    throw htmlAnswer(endpoint)
  }
}

async function refused(response: Response, url: string, endpoint: Endpoint): Promise<Error> {
  const error = new APICallError({
    message: response.statusText || `status ${response.status}`,
    url,
    requestBodyValues: {},
    statusCode: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody: await readText(response.body),
  })
  return toAppError(error, endpoint)
}

async function readJson(response: Response, endpoint: Endpoint): Promise<unknown> {
  return parsed(await readText(response.body), endpoint)
}

const LONGEST_LINE = 16 * 1024 * 1024

/** Server-sent events and JSON lines alike: in both, one line is one value. */
async function* readValues(
  body: ReadableStream<Uint8Array> | null,
  endpoint: Endpoint,
): AsyncGenerator<unknown> {
  const decoder = new TextDecoder()
  let held = ''
  for await (const chunk of body ?? []) {
    const lines = (held + decoder.decode(chunk, { stream: true })).split('\n')
    held = lines.pop() ?? ''
    if (held.length > LONGEST_LINE) throw brokenStream(endpoint, 'one event is larger than 16 MiB')
    for (const line of lines) {
      if (isDone(line)) return
      yield* valueIn(line, endpoint)
    }
  }
  if (!isDone(held)) yield* valueIn(held, endpoint)
}

const isDone = (line: string): boolean => /^data:\s*\[DONE\]\s*$/.test(line)

function* valueIn(line: string, endpoint: Endpoint): Generator<unknown> {
  const text = line.replace(/^data:\s*/, '').trim()
  // The other fields of server-sent events, and comments that keep a connection alive.
  if (text === '' || /^(?::|(?:event|id|retry):)/.test(text)) return
  const value = parsed(text, endpoint)
  if (isObject(value) && value['error'] !== undefined && value['error'] !== null)
    throw toAppError(value, endpoint)
  yield value
}

const SHOWN = 80

function parsed(text: string, endpoint: Endpoint): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw brokenStream(endpoint, `this is not JSON: ${text.slice(0, SHOWN)}`, error)
  }
}
