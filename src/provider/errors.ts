/**
 * Every failure of a model server, mapped once to an AppError. The code says what the caller can do next, the message
 * names the arm, the address and the next step, and no key ever gets into it.
 */
import { APICallError, InvalidResponseDataError, JSONParseError, TypeValidationError } from '@ai-sdk/provider'
import { isObject } from '../lib/json.ts'
import { AppError, errorMessage, type ErrorDetails } from '../protocol/error.ts'
import { connectionCode, connectionError } from './connection-error.ts'
import {
  excerpt,
  jsonText,
  messageIn,
  overflowNumbers,
  saysBadKey,
  saysInvalidBody,
  saysLoading,
  saysNoModel,
  saysNoTools,
  saysOverflow,
  saysUnparsedCall,
  serverText,
} from './error-text.ts'
import { shownUrl } from './shown-url.ts'

const MAX_REASON = 200

/** Where an arm's requests go, as its errors tell it. */
export type Endpoint = {
  /** Empty for a server that is only known by its address. */
  readonly arm: string
  readonly url: string
  readonly local: boolean
  /** Keys that must not appear in a message. */
  readonly secrets: readonly string[]
  /** What to do when the key is missing or refused, as a sentence. */
  readonly keyHint?: string
}

type Keys = {
  readonly apiKey?: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * A header may hold a key, alone or behind a word such as `Bearer`; a short one ("true") holds none and would black out
 * ordinary words.
 */
export const secretsOf = ({ apiKey, headers = {} }: Keys): string[] => [
  ...(apiKey ? [apiKey] : []),
  ...Object.values(headers)
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .filter((value) => value.length >= 8),
]

export function toAppError(error: unknown, endpoint: Endpoint, now = Date.now()): AppError {
  const chain = causes(error)
  const known = chain.find((cause) => cause instanceof AppError)
  if (known) return known

  const refused = chain.find((cause) => APICallError.isInstance(cause) && isFailure(cause.statusCode))
  if (refused) return fromResponse(refused as APICallError, endpoint, now)

  if (chain.some((cause) => APICallError.isInstance(cause) && cause.statusCode === 200)) {
    return brokenStream(endpoint, reasonOf(chain), error)
  }
  const network = chain.map(connectionCode).find((code) => code !== undefined)
  if (network === 'UND_ERR_INVALID_ARG') return unsendable(endpoint, error)
  if (network !== undefined) return connectionError(network, endpoint, error)

  const inStream = chain.map(streamedError).find((found) => found !== undefined)
  if (inStream) return fromFailure(inStream, endpoint, error)
  if (chain.some(isBrokenStream)) return brokenStream(endpoint, reasonOf(chain), error)

  const text = excerpt(errorMessage(error), endpoint.secrets, MAX_REASON)
  return new AppError('request-invalid', `${named(endpoint)}the request could not be sent: ${text}`, {
    cause: error,
  })
}

const named = ({ arm }: Pick<Endpoint, 'arm'>): string => (arm === '' ? '' : `${arm}: `)

/** The reply did not come to its end. Nothing of it may be executed. */
export function brokenStream(endpoint: Endpoint, reason: string, cause?: unknown): AppError {
  return new AppError(
    'model-unavailable',
    `${named(endpoint)}the reply from ${shownUrl(endpoint.url)} broke off: ${withoutPeriod(excerpt(reason, endpoint.secrets, MAX_REASON))}. ` +
      'Try again; if it happens every time, look at the log of the server.',
    cause === undefined ? {} : { cause },
  )
}

/** It took the request and then said nothing for longer than its measured speed explains. */
export const silentServer = (endpoint: Endpoint, waitedMs: number): AppError =>
  new AppError(
    'model-unavailable',
    `${named(endpoint)}${shownUrl(endpoint.url)} sent nothing for ${Math.round(waitedMs / 1000)} s: the server is stuck ` +
      'or busy with other requests. Look at its log, or try again.',
  )

/** `status` keeps the retry rule away: a wrong address stays wrong. */
export const htmlAnswer = (endpoint: Endpoint): AppError =>
  new AppError(
    'model-unavailable',
    `${named(endpoint)}${shownUrl(endpoint.url)} answered with HTML: this is a web page, not the API. ` +
      'Use the address of the API; it usually ends in /v1.',
    { status: 200 },
  )

/** A whole answer, not one that broke off: sending the request again would not help. */
export const notJson = (endpoint: Endpoint, text: string): AppError =>
  new AppError(
    'model-unavailable',
    `${named(endpoint)}${shownUrl(endpoint.url)} did not answer with JSON but with "${excerpt(text, endpoint.secrets, 80)}". ` +
      'Use the address of the API; it usually ends in /v1.',
    { status: 200 },
  )

type Failure = { readonly status: number; readonly text: string; readonly retryAfterMs?: number }

function fromResponse(error: APICallError, endpoint: Endpoint, now: number): AppError {
  const body = error.responseBody ?? ''
  const retryAfterMs = retryAfter(error.responseHeaders ?? {}, now)
  const failure = {
    status: error.statusCode ?? 500,
    text: body.trim() === '' ? error.message : body,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
  const address = { ...endpoint, url: error.url || endpoint.url }
  const location = error.responseHeaders?.['location']
  return location ? redirected(location, failure.status, address) : fromFailure(failure, address, error)
}

function fromFailure(failure: Failure, endpoint: Endpoint, cause: unknown): AppError {
  const { status, text, retryAfterMs } = failure
  const answer = `${named(endpoint)}${shownUrl(endpoint.url)} answered ${status}: ${withoutPeriod(serverText(text, endpoint.secrets))}`
  const details: ErrorDetails & { cause: unknown } = {
    status,
    cause,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
  if (status === 401 || status === 403 || (status < 429 && saysBadKey(text))) {
    return new AppError('credential', `${answer}. ${endpoint.keyHint ?? KEY_HINT}`, details)
  }
  if (status === 429) {
    return new AppError('rate-limited', `${answer}. Wait a little, or use another model.`, details)
  }
  if (status === 413 || saysOverflow(text)) {
    const numbers = overflowNumbers(text)
    return new AppError('context-overflow', `${answer}. The conversation must be made shorter.`, {
      ...details,
      ...numbers,
    })
  }
  if (saysNoTools(text)) {
    return withoutNativeTools(`${answer}. It takes no tools for this model as it was started.`, details)
  }
  if (status === 408 || (status >= 500 && !saysInvalidBody(text))) return serverFailed(answer, text, details)
  return new AppError('request-invalid', answer + hintFor(status, text), details)
}

const KEY_HINT = 'Set or correct the key of this arm: `api_key` in config.toml.'

function serverFailed(answer: string, text: string, details: ErrorDetails): AppError {
  if (saysUnparsedCall(text)) {
    return withoutNativeTools(`${answer}. The server could not read the model's tool call.`, details)
  }
  if (details.status === 503 && saysLoading(text)) {
    return new AppError('model-unavailable', `${answer}. It is loading its model.`, {
      ...details,
      loading: true,
    })
  }
  return new AppError(
    'model-unavailable',
    `${answer}. Look at the log of the server, or use another model.`,
    {
      ...details,
    },
  )
}

/** Both for a call it could not parse and for tools it does not take: the arm can be asked with tools as text. */
const withoutNativeTools = (message: string, details: ErrorDetails): AppError =>
  new AppError('model-unavailable', message, { ...details, unparsedCall: true })

/** A page instead of JSON where an API should be: nearly always a base URL without its path. */
function hintFor(status: number, text: string): string {
  if (saysNoModel(text))
    return '. `covey models` lists the models of the servers in use; with --base-url, leave out --model.'
  if (status !== 404 || text.trimStart().startsWith('{')) return ''
  return '. This is not the address of the API, which usually ends in /v1. Correct the base URL.'
}

const redirected = (location: string, status: number, endpoint: Endpoint): AppError =>
  new AppError(
    'request-invalid',
    `${named(endpoint)}${shownUrl(endpoint.url)} redirects to ${shownUrl(location)}. Use that as base URL.`,
    { status },
  )

/** Nothing was sent: a key that was copied with its line break, mostly. */
const unsendable = (endpoint: Endpoint, cause: unknown): AppError =>
  new AppError(
    'credential',
    `${named(endpoint)}the key or a header holds a character that cannot be sent, such as a line break. ` +
      'Copy the key again, without the line break.',
    { cause },
  )

/** An error object the server put into the stream, with the status it stands for. */
function streamedError(error: unknown): Failure | undefined {
  const value = TypeValidationError.isInstance(error) ? error.value : error
  if (!isObject(value) || value instanceof Error) return undefined
  const inner = isObject(value['error']) ? value['error'] : value
  const text = messageIn(value)
  return text === undefined ? undefined : { status: statusOf(inner), text: jsonText(value) || text }
}

function statusOf(error: Record<string, unknown>): number {
  const given = [error['statusCode'], error['code'], error['status'], error['type']].filter(isPlain)
  const status = given.map(Number).find((number) => isFailure(number))
  if (status !== undefined) return status
  const kind = given.join(' ')
  if (/overloaded/i.test(kind)) return 529
  if (/rate_limit|quota/i.test(kind)) return 429
  if (/authentication|permission/i.test(kind)) return 401
  return 500
}

const isPlain = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number'

const isFailure = (status: number | undefined): boolean =>
  status !== undefined && status >= 300 && status <= 599

/** Seconds, an HTTP date, or the milliseconds some servers add. */
function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const milliseconds = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (milliseconds >= 0) return milliseconds
  const value = headers['retry-after']
  if (value === undefined) return undefined
  const delay = /^\s*[\d.]+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isFinite(delay) ? Math.max(0, delay) : undefined
}

const isBrokenStream = (error: unknown): boolean =>
  InvalidResponseDataError.isInstance(error) ||
  JSONParseError.isInstance(error) ||
  TypeValidationError.isInstance(error) ||
  (error instanceof TypeError && /terminated|fetch failed/.test(error.message))

function reasonOf(chain: readonly unknown[]): string {
  for (const error of chain) {
    if (JSONParseError.isInstance(error)) return `this is not JSON: ${error.text}`
    if (TypeValidationError.isInstance(error))
      return `this is not a chat completion: ${jsonText(error.value)}`
  }
  return errorMessage(chain.at(-1)).replace(/^Response stream/, 'it')
}

/** The error and what caused it, outermost first. Several addresses of one host fail as one AggregateError. */
function causes(error: unknown): unknown[] {
  const chain: unknown[] = []
  for (let cause = error; cause !== undefined && chain.length < 10;) {
    chain.push(cause)
    cause = cause instanceof Error ? (cause.cause ?? firstOf(cause)) : undefined
  }
  return chain
}

const firstOf = (error: Error): unknown =>
  error instanceof AggregateError ? (error.errors[0] as unknown) : undefined

const withoutPeriod = (text: string): string => text.replace(/\.$/, '')
