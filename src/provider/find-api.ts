/**
 * Where the API of a server is, and which models it has. A person types the address a server prints, with or without
 * `/v1`; what answers with a list of models is the API. For everything else the error says what was tried.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { modelIdsIn, ownerIn } from '../lib/model-ids.ts'
import { defined } from '../lib/object.ts'
import { AppError } from '../protocol/error.ts'
import { createServerClient, type ServerAddress } from './server-client.ts'
import { shownUrl } from './shown-url.ts'

export type ServerApi = {
  /** Where `/chat/completions` and `/models` are. */
  readonly baseUrl: string
  readonly models: readonly string[]
  /** Who owns them, as the list says. */
  readonly owner?: string
}

export type FindOptions = {
  /** For one answer. */
  readonly limitMs?: number
  /** How long to wait in all for a server that is loading its model. */
  readonly loadingMs?: number
  /** A server that is just being started is asked once more. */
  readonly tryAgain?: boolean
}

const LIMIT_MS = 10_000
const LOADING_MS = 60_000
const AGAIN_MS = 1_000

type Wanted = ServerAddress & { readonly baseUrl: string }

/** Throws an AppError with what to do next where there is no API, no answer, or no right to ask. */
export async function findApi(
  address: Wanted,
  options: FindOptions,
  signal: AbortSignal,
): Promise<ServerApi> {
  const failed: Failed[] = []
  for (const baseUrl of candidates(address.baseUrl)) {
    try {
      const answer = await askPatiently({ ...address, baseUrl }, options, signal)
      const models = modelIdsIn(answer)
      if (models) return { baseUrl, models, ...defined({ owner: ownerIn(answer) }) }
      failed.push({ baseUrl, what: 'answered with something else than a list of models' })
    } catch (error) {
      if (!(error instanceof AppError) || !isAboutPath(error)) throw error
      failed.push({ baseUrl, what: whatHappened(error), error })
    }
  }
  throw noApi(address, failed)
}

type Failed = { readonly baseUrl: string; readonly what: string; readonly error?: AppError }

/**
 * In the order they are tried. At the root of a server `/v1` comes first: some answer there for any path, with a page.
 * What was copied with a route of the API is cut off.
 */
function candidates(given: string): readonly string[] {
  const base = given.replace(/[?#].*$/, '').replace(/\/+$/, '')
  const cut = base.replace(/\/(?:chat\/completions|completions|embeddings|models|responses)$/, '')
  if (cut.endsWith('/v1')) return [cut, cut.replace(/\/v1$/, '')]
  const isRoot = new URL(cut).pathname === '/'
  if (isRoot) return [`${cut}/v1`, cut]
  // Ollama's own API is at /api.
  const beside = cut.endsWith('/api') ? [cut.replace(/api$/, 'v1')] : []
  return [cut, `${cut}/v1`, ...beside]
}

/** A wrong path: another one may be right. Everything else holds for the whole server. */
const isAboutPath = ({ code, details: { status } }: AppError): boolean =>
  (code === 'request-invalid' && status !== undefined) ||
  status === 200 ||
  (code === 'model-unavailable' && status === 501)

const whatHappened = ({ details: { status } }: AppError): string =>
  status === 200 ? 'did not answer with JSON' : `answered ${status ?? 'nothing'}`

async function askPatiently(address: Wanted, options: FindOptions, signal: AbortSignal): Promise<unknown> {
  const { loadingMs = LOADING_MS, tryAgain = false } = options
  const until = performance.now() + loadingMs
  for (let tries = 1; ; tries++) {
    try {
      return await askOnce(address, options, signal)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { connection, loading } = error.details
      const mayStart = tryAgain && tries === 1 && connection === 'refused'
      if (!mayStart && !(loading && performance.now() < until)) throw error
      await wait(AGAIN_MS, undefined, { signal })
    }
  }
}

async function askOnce(
  address: Wanted,
  { limitMs = LIMIT_MS }: FindOptions,
  signal: AbortSignal,
): Promise<unknown> {
  const limit = AbortSignal.timeout(limitMs)
  const { get, toError } = createServerClient(address)
  try {
    return await get('/v1/models', AbortSignal.any([signal, limit]))
  } catch (error) {
    signal.throwIfAborted()
    if (limit.aborted) throw silent(address, limitMs)
    throw toError(error)
  }
}

const silent = ({ id, baseUrl }: Wanted, limitMs: number): AppError =>
  new AppError(
    'model-unavailable',
    `${nameOf(id)}${tidy(baseUrl)}/models did not answer within ${limitMs / 1000} s. The server is busy, or this is not ` +
      'the port of a model server. Look at its log, or correct the address.',
  )

function noApi({ id, baseUrl }: Wanted, failed: readonly Failed[]): AppError {
  const errors = failed.flatMap(({ error }) => error ?? [])
  const redirect = errors.find(({ details: { status = 0 } }) => status >= 300 && status < 400)
  if (redirect) return redirect
  const tried = failed.map((one) => `${tidy(one.baseUrl)}/models ${one.what}`).join(', ')
  const wantsTls = errors.some(({ message }) => /HTTP request .*HTTPS/i.test(message))
  const next = wantsTls
    ? 'The server expects TLS: begin the address with https://.'
    : 'Use the address of the API, such as http://127.0.0.1:8080/v1; for a server without a list of models name the ' +
      'model with --model.'
  return new AppError(
    'request-invalid',
    `${nameOf(id)}no OpenAI-compatible API was found at ${tidy(baseUrl)}: ${tried}. ${next}`,
    errors[0] ? { cause: errors[0] } : {},
  )
}

/** An address without a path is shown without its slash. */
const tidy = (url: string): string => shownUrl(url).replace(/\/$/, '')

const nameOf = (id: string): string => (id === '' ? '' : `${id}: `)
