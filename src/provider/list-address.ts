/** Where and as whom to ask for the list of models, for every kind of provider. */
import type { ArmSettings } from '../protocol/arm.ts'
import { BASE_URLS } from './create.ts'
import type { ServerAddress } from './server-client.ts'

export function listAddress(settings: ArmSettings): ServerAddress & { readonly baseUrl: string } {
  const { kind, apiKey = '', ...rest } = settings
  if (kind === 'openai-compatible') return { ...settings, baseUrl: settings.baseUrl ?? '' }
  const { apiKey: bearer, headers = {} } = makers[kind](apiKey)
  return {
    ...rest,
    baseUrl: settings.baseUrl ?? BASE_URLS[kind],
    headers: { ...settings.headers, ...headers },
    ...(bearer !== undefined && { apiKey: bearer }),
  }
}

type Credentials = { readonly apiKey?: string; readonly headers?: Readonly<Record<string, string>> }

const makers: Readonly<Record<keyof typeof BASE_URLS, (key: string) => Credentials>> = {
  openai: (apiKey) => ({ apiKey }),
  anthropic: (key) => ({ headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' } }),
  google: (key) => ({ headers: { 'x-goog-api-key': key } }),
}
