/** Makes the Model of one arm from plain values: which wire format, where it is, what it is called there. */
import { maskUrls } from '../lib/mask-url.ts'
import { AppError } from '../protocol/error.ts'
import type { Model } from '../protocol/model.ts'
import { createAiSdkModel, type AiSdkModelOptions, type StreamingModel } from './sdk/ai-sdk.ts'
import type { ArmRendering } from './sdk/call-options.ts'
import { createChatModel } from './chat/model.ts'
import { secretsOf, type Endpoint } from './errors.ts'
import { createFetch, type Fetch } from './fetch.ts'
import { isLoadedByOllama, type LoadingOptions, withLoadingSigns } from './loading-model.ts'
import { createOllamaModel } from './ollama.ts'
import { quirksFor, type ProviderKind } from './quirks.ts'
import { createServerClient, type ServerClient } from './server-client.ts'

export type ProviderSpec = ArmRendering &
  Pick<AiSdkModelOptions, 'name' | 'readReply' | 'firstTokenMs'> & {
    readonly kind: ProviderKind
    /** What the server calls the model. */
    readonly model: string
    /** Needed for `openai-compatible`; the others know their own. */
    readonly baseUrl?: string
    readonly apiKey?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly local: boolean
    readonly keyHint?: string
    /** The server is Ollama: it is asked by its own API, for a window of so many tokens. */
    readonly numCtx?: number
    readonly fetch?: Fetch
  }

/** Given in full, because the SDK would otherwise take them from the environment. */
export const BASE_URLS: Readonly<Record<Exclude<ProviderKind, 'openai-compatible'>, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
}

export function createProviderModel(spec: ProviderSpec): Model {
  const baseUrl = requireBaseUrl(spec)
  const endpoint: Endpoint = {
    arm: spec.name,
    url: baseUrl,
    local: spec.local,
    secrets: secretsOf(spec),
    ...(spec.keyHint !== undefined && { keyHint: spec.keyHint }),
  }
  const fetch = needsKey(spec) ? refuseWithoutKey(endpoint) : createFetch(endpoint, spec.fetch)
  const quirks = quirksFor(spec, spec.quirks)
  if (spec.kind === 'openai-compatible' && spec.numCtx === undefined) {
    return createChatModel({ ...spec, endpoint, quirks, client: clientOf({ ...spec, baseUrl }) })
  }
  const model = createAiSdkModel({
    ...spec,
    endpoint,
    quirks,
    model: once(() => languageModel(spec, baseUrl, fetch)),
  })
  return spec.numCtx === undefined ? model : withLoadingSigns(model, ollamaSigns({ ...spec, baseUrl }))
}

function ollamaSigns(spec: ProviderSpec): LoadingOptions {
  const client = once(async () => clientOf(spec))
  return { isLoaded: async (signal) => isLoadedByOllama(await client(), spec.model, signal) }
}

function requireBaseUrl({ kind, name, baseUrl }: ProviderSpec): string {
  const url = baseUrl ?? (kind === 'openai-compatible' ? undefined : BASE_URLS[kind])
  if (url !== undefined && URL.canParse(url)) return url
  throw new AppError(
    'config-invalid',
    `${name}: ${url === undefined ? 'the base URL is missing' : `"${maskUrls(url)}" is not a URL`}. ` +
      'Set `base_url` (or --base-url) to the address of the server, such as http://127.0.0.1:8080/v1.',
  )
}

/** A server of one's own may do without; the makers' own addresses never do. */
const needsKey = ({ kind, apiKey, baseUrl }: ProviderSpec): boolean =>
  kind !== 'openai-compatible' && !apiKey && baseUrl === undefined

const refuseWithoutKey =
  ({ arm, url, keyHint = 'Set `api_key` of this arm in config.toml.' }: Endpoint): Fetch =>
  () =>
    Promise.reject(new AppError('credential', `${arm}: there is no key for ${maskUrls(url)}. ${keyHint}`))

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

/** Loaded when it is first asked: most people use one wire format, and never wait for the others. */
async function languageModel(spec: ProviderSpec, baseURL: string, fetch: Fetch): Promise<StreamingModel> {
  const common = { baseURL, fetch, ...(spec.headers && { headers: { ...spec.headers } }) }
  // An empty key keeps the SDK from looking for one in the environment.
  const keyed = { ...common, apiKey: spec.apiKey ?? '' }
  switch (spec.kind) {
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(keyed).responses(spec.model)
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(keyed)(spec.model)
    case 'google':
      return (await import('@ai-sdk/google')).createGoogleGenerativeAI(keyed)(spec.model)
    case 'openai-compatible':
      return createOllamaModel(clientOf(spec), { model: spec.model, numCtx: spec.numCtx ?? 0 })
  }
}

const clientOf = (spec: ProviderSpec): ServerClient =>
  createServerClient({ ...spec, id: spec.name, headers: spec.headers ?? {} }, spec.fetch)
