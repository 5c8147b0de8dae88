/**
 * A model server's own API, outside the AI SDK: questions about itself, raw prompts, Ollama's chat, embeddings. Failures
 * are the same AppErrors as everywhere; what a server says in error inside a stream is one too.
 */
import { APICallError } from '@ai-sdk/provider'
import type { ArmSettings } from '../protocol/arm.ts'
import { readText } from './body.ts'
import { brokenStream, htmlAnswer, secretsOf, toAppError, type Endpoint } from './errors.ts'
import type { Fetch } from './fetch.ts'
import { type Answer, createSend, type Send, sendBy } from './send.ts'
import { isObject } from '../lib/json.ts'

/** What of an arm's settings says where and as whom to ask. */
export type ServerAddress = Pick<ArmSettings, 'id' | 'baseUrl' | 'apiKey' | 'headers' | 'local'>

export type ServerClient = {
  readonly endpoint: Endpoint
  get(path: string, signal: AbortSignal): Promise<unknown>
  post(path: string, body: object, signal: AbortSignal): Promise<unknown>
  /** A streamed answer, one value per event or line. Ends where the server says `[DONE]` or closes. */
  stream(path: string, body: object, signal: AbortSignal): AsyncGenerator<unknown>
  /**
   * `/chat/completions` below the base URL; the body is JSON already. Yields what arrived together, returns whether the
   * server said `[DONE]`.
   */
  chat(body: string, signal: AbortSignal): AsyncGenerator<readonly unknown[], boolean>
}

/** `baseUrl` ends in /v1; paths begin at the root of the server. */
export function createServerClient(address: ServerAddress, fetch?: Fetch): ServerClient {
  const base = (address.baseUrl ?? '').replace(/\/+$/, '')
  const root = base.replace(/\/v1$/, '')
  const endpoint: Endpoint = {
    arm: address.id,
    url: root,
    local: address.local,
    secrets: secretsOf(address),
  }
  const chatEndpoint: Endpoint = { ...endpoint, url: base }
  const send = fetch ? sendBy(fetch) : createSend(address.local)
  const request = createRequest(address, endpoint, send)
  const chat = createRequest(address, chatEndpoint, send)
  return {
    endpoint,
    get: async (path, signal) => readJson(await request(root + path, { signal }), endpoint),
    post: async (path, body, signal) =>
      readJson(await request(root + path, { body: JSON.stringify(body), signal }), endpoint),
    async *stream(path, body, signal) {
      const answer = await request(root + path, { body: JSON.stringify(body), signal })
      for await (const values of readValues(answer, endpoint)) yield* values
    },
    async *chat(body, signal) {
      const answer = await chat(`${base}/chat/completions`, { body, signal })
      return yield* readValues(answer, chatEndpoint)
    },
  }
}

type Question = { readonly body?: string; readonly signal: AbortSignal }

function createRequest({ apiKey, headers }: ServerAddress, endpoint: Endpoint, send: Send) {
  return async (url: string, { body, signal }: Question): Promise<Answer> => {
    const answer = await send(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...headers,
        ...(apiKey && { authorization: `Bearer ${apiKey}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
      signal,
    })
    if (answer.status < 200 || answer.status > 299) throw await refused(answer, url, endpoint)
    if (!answer.headers['content-type']?.includes('text/html')) return answer
    await answer.drop()
    throw htmlAnswer(endpoint)
  }
}

async function refused(answer: Answer, url: string, endpoint: Endpoint): Promise<Error> {
  const error = new APICallError({
    message: answer.statusText || `status ${answer.status}`,
    url,
    requestBodyValues: {},
    statusCode: answer.status,
    responseHeaders: { ...answer.headers },
    responseBody: await readText(answer.body),
  })
  return toAppError(error, endpoint)
}

async function readJson({ body }: Answer, endpoint: Endpoint): Promise<unknown> {
  return parsed(await readText(body), endpoint)
}

const LONGEST_LINE = 16 * 1024 * 1024

/** Server-sent events and JSON lines alike: in both, one line is one value. Values that came in one packet come together. */
async function* readValues(
  { body, headers }: Answer,
  endpoint: Endpoint,
): AsyncGenerator<readonly unknown[], boolean> {
  if (headers['content-type']?.includes('application/json')) {
    const whole = await readText(body)
    yield [...valueIn(whole, endpoint)]
    return /"choices"\s*:/.test(whole)
  }
  const decoder = new TextDecoder()
  let held = ''
  for await (const chunk of body) {
    const lines = (held + decoder.decode(chunk, { stream: true })).split('\n')
    held = lines.pop() ?? ''
    if (held.length > LONGEST_LINE) throw brokenStream(endpoint, 'one event is longer than 16 MiB')
    const last = lines.findIndex(isDone)
    yield* valuesOf(last < 0 ? lines : lines.slice(0, last), endpoint)
    if (last >= 0) return true
  }
  if (isDone(held)) return true
  yield* valuesOf([held], endpoint)
  return false
}

/** What was said before a mistake is told before it is thrown. */
function* valuesOf(lines: readonly string[], endpoint: Endpoint): Generator<readonly unknown[]> {
  const values: unknown[] = []
  let failure: { readonly error: unknown } | undefined
  for (const line of lines) {
    try {
      values.push(...valueIn(line, endpoint))
    } catch (error) {
      failure = { error }
      break
    }
  }
  if (values.length > 0) yield values
  if (failure) throw failure.error
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
