/**
 * Whether a URL leads to the public web. The name is resolved once and every address it has must be public; the caller
 * must connect to one of the addresses that were checked; otherwise a name that changes in between gets through.
 */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { errorMessage } from '../protocol/error.ts'
import { refusedAddress } from './addresses.ts'

type Resolve = (host: string) => Promise<readonly string[]>

export type UrlOptions = {
  /** How names become addresses; absent = the system's way. */
  readonly resolve?: Resolve
}

export type UrlCheck = { readonly ok: boolean; readonly why?: string }

export async function checkUrl(url: string, options: UrlOptions = {}): Promise<UrlCheck> {
  const place = await findPlace(url, options)
  return place.ok ? { ok: true } : { ok: false, why: place.why }
}

export type Place =
  | { readonly ok: true; readonly url: URL; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly why: string }

export type PlaceOptions = UrlOptions & {
  /** Why an address is refused. */
  readonly refused?: (address: string) => string | undefined
}

/** As `checkUrl`, with what to connect to. */
export async function findPlace(
  text: string,
  { resolve = systemResolve, refused = refusedAddress }: PlaceOptions,
): Promise<Place> {
  const read = readUrl(text)
  if (typeof read === 'string') return { ok: false, why: read }
  const host = read.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  try {
    const addresses = isIP(host) ? [host] : isLocalName(host) ? [] : await resolve(host)
    if (addresses.length === 0) return { ok: false, why: `${host} is not a public name` }
    for (const address of addresses) {
      const why = refused(address)
      if (why !== undefined)
        return { ok: false, why: `${host}${address === host ? '' : ` (${address})`} ${why}` }
    }
    return { ok: true, url: read, addresses }
  } catch (error) {
    return { ok: false, why: `${host} could not be found: ${errorMessage(error)}` }
  }
}

/** The URL, or why it is none that is fetched. */
function readUrl(text: string): URL | string {
  // Readers of URLs disagree about these; a person cannot see where they lead.
  if (/[\\\s\p{C}]/u.test(text)) return 'it holds a backslash, a blank or an invisible character'
  if (!URL.canParse(text)) return 'it is no URL'
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return `only http and https are fetched, not ${url.protocol}`
  if (url.username !== '' || url.password !== '') return 'it carries a name or password'
  return url
}

/** Names that only exist on this machine or its network. */
const isLocalName = (host: string): boolean =>
  !host.includes('.') ||
  /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|private|home\.arpa)$/i.test(host)

const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address)
