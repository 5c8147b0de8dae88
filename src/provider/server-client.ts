/**
 * A model server's own API, outside the AI SDK: questions about itself, raw prompts, Ollama's chat, embeddings.
 * Failures are the same AppErrors as everywhere; what a server says in error inside a stream is one too.
 */
import { StringDecoder } from 'node:string_decoder'
import { APICallError } from '@ai-sdk/provider'
import type { ArmSettings } from '../protocol/arm.ts'
import type { AppError } from '../protocol/error.ts'
import { readText } from './body.ts'
import { brokenStream, htmlAnswer, notJson, secretsOf, toAppError, type Endpoint } from './errors.ts'
import type { Fetch } from './fetch.ts'
import type { Answer } from './arrival.ts'
import { createSend, type Send, sendBy } from './send.ts'
import { isObject } from '../lib/json.ts'

/** What of an arm's settings says where and as whom to ask. */
export type ServerAddress = Pick<ArmSettings, 'id' | 'baseUrl' | 'apiKey' | 'headers' | 'local' | 'keyHint'>

export type ServerClient = {
  readonly endpoint: Endpoint
  /** What was thrown, in words for a person. */
  toError(error: unknown): AppError
  get(path: string, signal: AbortSignal): Promise<unknown>
  post(path: string, body: object, signal: AbortSignal): Promise<unknown>
  /** A streamed answer, one value per event or line. Ends where the server says `[DONE]` or closes. */
  stream(path: string, body: object, signal: AbortSignal): AsyncGenerator<unknown>
  /** `/chat/completions` below the base URL, as `reader` reads it; the body is JSON already. */
  chat<Part>(body: string, reader: ValueReader<Part>, signal: AbortSignal): AsyncGenerator<Part>
}

export type ValueReader<Part> = {
  /** Values that arrived together. */
  read(values: readonly unknown[]): readonly Part[]
  /** Nothing more comes; `isDone` where the server said so. */
  end(isDone: boolean): readonly Part[]
}

/**
 * Paths begin at the root of the server, which is `baseUrl` without its `/v1`. Those that begin with `/v1` are part of
 * the API, and so are below `baseUrl` also where that ends in something else.
 */
export function createServerClient(address: ServerAddress, fetch?: Fetch): ServerClient {
  const base = (address.baseUrl ?? '').replace(/\/+$/, '')
  const root = base.replace(/\/v1$/, '')
  const endpoint: Endpoint = {
    arm: address.id,
    url: root,
    local: address.local,
    secrets: secretsOf(address),
    ...(address.keyHint !== undefined && { keyHint: address.keyHint }),
  }
  const urlOf = (path: string): string =>
    path.startsWith('/v1/') ? base + path.slice('/v1'.length) : root + path
  const chatEndpoint: Endpoint = { ...endpoint, url: base }
  const send = fetch ? sendBy(fetch) : createSend(address.local)
  const request = createRequest(address, endpoint, send)
  const chat = createRequest(address, chatEndpoint, send)
  return {
    endpoint,
    toError: (error) => toAppError(error, chatEndpoint),
    get: async (path, signal) => readJson(await request(urlOf(path), { signal }), endpoint),
    post: async (path, body, signal) =>
      readJson(await request(urlOf(path), { body: JSON.stringify(body), signal }), endpoint),
    stream: (path, body, signal) =>
      readParts(() => request(urlOf(path), { body: JSON.stringify(body), signal }), asTheyAre, endpoint),
    chat: (body, reader, signal) =>
      readParts(() => chat(`${base}/chat/completions`, { body, signal }), reader, chatEndpoint),
  }
}

const asTheyAre: ValueReader<unknown> = { read: (values) => values, end: () => [] }

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
    if (!answer.type.includes('text/html')) return answer
    answer.leave(false)
    throw htmlAnswer(endpoint)
  }
}

async function refused(answer: Answer, url: string, endpoint: Endpoint): Promise<Error> {
  const error = new APICallError({
    message: answer.statusText || `status ${answer.status}`,
    url,
    requestBodyValues: {},
    statusCode: answer.status,
    responseHeaders: answer.headers(),
    responseBody: await wholeText(answer),
  })
  return toAppError(error, endpoint)
}

async function readJson(answer: Answer, endpoint: Endpoint): Promise<unknown> {
  const text = await wholeText(answer)
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw notJson(endpoint, text)
  }
}

async function wholeText(answer: Answer): Promise<string> {
  try {
    return await readText(chunksOf(answer))
  } finally {
    answer.leave(false)
  }
}

async function* chunksOf(answer: Answer): AsyncGenerator<Uint8Array> {
  for (let chunk = await answer.next(); chunk; chunk = await answer.next()) yield chunk
}

const LONGEST_LINE = 16 * 1024 * 1024

/** Server-sent events and JSON lines alike: in both, one line is one value. */
async function* readParts<Part>(
  ask: () => Promise<Answer>,
  reader: ValueReader<Part>,
  endpoint: Endpoint,
): AsyncGenerator<Part> {
  const answer = await ask()
  if (answer.type.includes('application/json')) {
    const whole = await wholeText(answer)
    yield* reader.read([valueOf(dataIn(whole), endpoint)])
    return yield* reader.end(/"choices"\s*:/.test(whole))
  }
  const lines = createLineReader(reader, endpoint)
  try {
    for (;;) {
      const { parts, failure, isLast } = await nextPacket(answer, lines)
      for (const part of parts) yield part
      // Text before an error is delivered before the error is thrown.
      if (failure) throw failure.error
      if (isLast) break
    }
    for (const part of reader.end(lines.isDone())) yield part
  } finally {
    answer.leave(lines.isDone())
  }
}

/** Not in the generator itself, which would keep the bytes of one packet while it waits for the next. */
async function nextPacket<Part>(answer: Answer, lines: LineReader<Part>): Promise<Packet<Part>> {
  const chunk = await answer.next()
  return chunk ? lines.take(chunk) : lines.end()
}

type Packet<Part> = {
  readonly parts: readonly Part[]
  readonly failure?: { readonly error: unknown }
  /** The server said that it is done, or closed. */
  readonly isLast: boolean
}

type LineReader<Part> = {
  take(chunk: Uint8Array): Packet<Part>
  end(): Packet<Part>
  isDone(): boolean
}

/** Reads whole packets: of a stream that waits for its next token, nothing is kept but half a line. */
function createLineReader<Part>(reader: ValueReader<Part>, endpoint: Endpoint): LineReader<Part> {
  const decoder = new StringDecoder('utf8')
  let held = ''
  let isDone = false
  const read = (text: string): Packet<Part> => {
    const end = text.lastIndexOf('\n')
    // Only what is new is searched: a line that never ends would otherwise be read again with every packet.
    const lines = end === -1 ? [] : (held + text.slice(0, end)).split('\n')
    held = end === -1 ? held + text : text.slice(end + 1)
    const values: unknown[] = []
    let failure: Packet<Part>['failure']
    try {
      if (held.length > LONGEST_LINE) throw brokenStream(endpoint, 'one event is longer than 16 MiB')
      for (const line of lines) {
        const data = dataIn(line)
        isDone = data === DONE
        if (isDone) break
        if (data !== '') values.push(valueOf(data, endpoint))
      }
    } catch (error) {
      failure = { error }
    }
    return { parts: reader.read(values), isLast: isDone, ...(failure && { failure }) }
  }
  return {
    take: (chunk) => read(decoder.write(chunk)),
    end: () => ({ ...read(`${decoder.end()}\n`), isLast: true }),
    isDone: () => isDone,
  }
}

const DONE = '[DONE]'

/** Nothing for the other fields of server-sent events, and comments that keep a connection alive. */
function dataIn(line: string): string {
  const text = line.trim()
  if (text.startsWith('data:')) return text.slice('data:'.length).trimStart()
  return /^(?::|(?:event|id|retry):)/.test(text) ? '' : text
}

function valueOf(text: string, endpoint: Endpoint): unknown {
  const value = parsed(text, endpoint)
  if (isObject(value) && value['error'] !== undefined && value['error'] !== null)
    throw toAppError(value, endpoint)
  return value
}

function parsed(text: string, endpoint: Endpoint): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw brokenStream(endpoint, `this is not JSON: ${text}`, error)
  }
}
