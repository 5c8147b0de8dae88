/**
 * The only way for tools to the web. Every hop is judged before it is made, and the connection goes to the address that
 * was judged. No cookies, no credentials of this machine, bounded in bytes and time.
 */
import { Agent, fetch as undiciFetch, type Response } from 'undici'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { Rule } from '../protocol/guard.ts'
import type { Fetch, FetchedPage, FetchOptions } from '../protocol/tool.ts'
import { looksBinary } from '../lib/text.ts'
import { findPlace, type PlaceOptions } from './check-url.ts'
import { toPageText } from './page-text.ts'
import { rulesFor, urlRule } from './permission/rules.ts'

export type FetchParts = PlaceOptions & {
  /** Those that deny a URL hold for redirects as well. */
  readonly rules?: readonly Rule[]
  /** Every use of the network is switched off. */
  readonly offline?: boolean
  readonly maxBytes?: number
  readonly timeoutMs?: number
}

const MAX_BYTES = 10 * 1024 * 1024
const TIMEOUT_MS = 30_000
const MAX_REDIRECTS = 5

export const createFetch =
  ({
    offline = false,
    maxBytes = MAX_BYTES,
    timeoutMs = TIMEOUT_MS,
    rules = [],
    ...place
  }: FetchParts = {}): Fetch =>
  async (url, options) => {
    if (offline) throw new AppError('offline', `${url} was not fetched: the configuration says offline.`)
    const limit = AbortSignal.timeout(timeoutMs)
    const signal = AbortSignal.any([options.signal, limit])
    try {
      return await follow(
        url,
        { ...options, signal },
        { place, maxBytes, rules: rulesFor('fetch_url', rules) },
      )
    } catch (error) {
      if (options.signal.aborted || error instanceof AppError) throw error
      const why = limit.aborted ? `it took longer than ${timeoutMs / 1000} s` : reasonOf(error)
      throw failed(url, why, limit.aborted)
    }
  }

type Bounds = { readonly place: PlaceOptions; readonly maxBytes: number; readonly rules: readonly Rule[] }

async function follow(start: string, options: FetchOptions, bounds: Bounds): Promise<FetchedPage> {
  let url = start
  let headers = options.headers ?? {}
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const { response, close } = await visit(url, { ...options, headers }, bounds)
    try {
      const next = redirectOf(response, url)
      if (next === undefined) return await toPage(response, url, bounds.maxBytes)
      // Headers for one origin are not sent to another.
      if (new URL(next).origin !== new URL(url).origin) headers = {}
      url = next
    } finally {
      await close()
    }
  }
  throw failed(start, `it was redirected more than ${MAX_REDIRECTS} times`)
}

type Visit = { readonly response: Response; close(): Promise<void> }

async function visit(url: string, options: FetchOptions, { place, rules }: Bounds): Promise<Visit> {
  const rule = urlRule(url, rules)
  if (rule?.verdict === 'deny') throw refused(url, `the rule "${rule.tool} ${rule.pattern ?? ''}" denies it`)
  const found = await findPlace(url, place)
  if (!found.ok) throw refused(url, found.why)
  const dispatcher = pinned(found.addresses)
  const close = (): Promise<void> => dispatcher.destroy().catch(() => undefined)
  try {
    const response = await undiciFetch(found.url, {
      dispatcher,
      redirect: 'manual',
      signal: options.signal,
      headers: { 'user-agent': 'covey', accept: 'text/html,text/*;q=0.9,*/*;q=0.5', ...options.headers },
    })
    return { response, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Connects to these addresses whatever the name resolves to by now. */
const pinned = (addresses: readonly string[]): Agent =>
  new Agent({
    connect: {
      lookup: (_host, { all }, answer) => {
        const known = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
        const [first] = known
        if (all || !first) answer(null, known)
        else answer(null, first.address, first.family)
      },
    },
  })

function redirectOf(response: Response, url: string): string | undefined {
  const location = response.headers.get('location')
  if (response.status < 300 || response.status > 399 || location === null) return undefined
  if (!URL.canParse(location, url)) throw failed(url, `it redirects to ${location}, which is no URL`)
  return new URL(location, url).href
}

async function toPage(response: Response, url: string, maxBytes: number): Promise<FetchedPage> {
  const type = response.headers.get('content-type') ?? ''
  const bytes = await readBody(response, url, maxBytes)
  const mediaType = type.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (looksBinary(bytes) || /^(?:image|audio|video|font)\//.test(mediaType)) {
    throw failed(url, `it is no text but ${mediaType || 'binary'} (${bytes.length} bytes)`)
  }
  const text = decode(bytes, type)
  const isPage = /html/.test(mediaType) || /^\s*<(?:!doctype html|html)\b/i.test(text)
  return { url, status: response.status, mediaType, ...(isPage ? toPageText(text) : { text }) }
}

/** Counted after decompression: a small file may unpack to a very large one. */
async function readBody(response: Response, url: string, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > maxBytes) throw failed(url, `it is larger than ${Math.floor(maxBytes / 1024)} KiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function decode(bytes: Uint8Array, type: string): string {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  const charset =
    /charset=["']?([\w-]+)/i.exec(type)?.[1] ?? /<meta[^>]{0,200}charset=["']?([\w-]+)/i.exec(start)?.[1]
  try {
    return new TextDecoder(charset ?? 'utf-8').decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

const refused = (url: string, why: string): AppError =>
  new AppError('permission-denied', `${url} is not fetched: ${why}.`, { failure: 'denied' })

const failed = (url: string, why: string, late = false): AppError =>
  new AppError('tool-failed', `${url} could not be fetched: ${why}.`, {
    failure: late ? 'timeout' : 'failed',
  })

/** undici says "fetch failed" and keeps the reason to itself. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined ? errorMessage(error.cause) : errorMessage(error)
