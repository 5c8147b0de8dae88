/**
 * The locks before every route, in their order: size, Host, Origin, token, wrong tokens, scope, media type. Host and
 * Origin keep web pages out that reach this machine under another name (DNS rebinding) or from another site; they hold
 * for a right token as well. A TLS client is identified by its key instead. Everything here happens before a byte of
 * the body is read.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { clip } from '../../lib/text.ts'
import { defineProblem, type Problem, ProblemError } from './errors.ts'
import type { Limits } from './limits.ts'
import { admitPeer, type PeerAccess } from '../admin/peer-access.ts'
import { type Scope, scopes } from './route.ts'
import type { Tokens } from './tokens.ts'
import type { WrongTokens } from './token-failures.ts'
import type { Validity } from './validity.ts'

/** What the locks look at. */
export type RequestHead = {
  readonly method: string
  /** As the client wrote it. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  /** How many Host headers there are. */
  readonly hosts: number
  readonly address: string
  /** The route that answers reads no body. */
  readonly isBodiless: boolean
  /** Where a key was shown: then that says who it is, and nothing else does. */
  readonly secure?: TLSSocket | undefined
}

export type Admission = Validity & {
  readonly client: string
  /** What people call the client; absent where `client` is its name. */
  readonly shown?: string
  readonly scopes: readonly Scope[]
}

export type LockParts = {
  /** Lower case, without a port; IPv6 in brackets. */
  readonly allowedHosts: ReadonlySet<string>
  readonly isAuthOff: boolean
  readonly tokens: Pick<Tokens, 'find' | 'onRevoke'>
  readonly wrongTokens: WrongTokens
  readonly limits: Limits
  /** Absent where machines are not known by their keys. */
  readonly peers?: PeerAccess
}

/** Throws a ProblemError at the first lock that holds. `scope` is undefined where no route answers. */
export async function admit(
  head: RequestHead,
  scope: Scope | 'open' | undefined,
  parts: LockParts,
  signal: AbortSignal,
): Promise<Admission> {
  const peer = head.secure && (await admitPeer(head.secure, parts.peers))
  const problem = sizeProblem(head, parts.limits) ?? (peer ? undefined : pageProblem(head, parts))
  if (problem) throw new ProblemError(problem)
  const admission = peer ?? (scope === 'open' ? anonymous : await authenticate(head, parts, signal))
  const refused = scopeProblem(admission, scope) ?? mediaProblem(head)
  if (refused) throw new ProblemError(refused)
  return admission
}

function sizeProblem({ headers }: RequestHead, limits: Limits): Problem | undefined {
  if (Number(headers['content-length'] ?? 0) <= limits.bodyBytes) return undefined
  return tooLarge(limits.bodyBytes)
}

export const tooLarge = (bytes: number): Problem =>
  defineProblem(413, 'body_too_large', `The body is larger than ${Math.round(bytes / 1_048_576)} MB.`)

/** No page can show a key, so machines that did need no look at this. */
const pageProblem = (head: RequestHead, { allowedHosts }: LockParts): Problem | undefined =>
  hostProblem(head, allowedHosts) ?? originProblem(head)

const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253}?)\.?(?::\d{1,5})?$/

function hostProblem(
  { headers, hosts, target }: RequestHead,
  allowed: ReadonlySet<string>,
): Problem | undefined {
  const host = headers.host?.toLowerCase() ?? ''
  const name = HOST.exec(host)?.[1]
  // A whole URL as the target would count instead of the Host header.
  const isPlain = target.startsWith('/') && hosts === 1
  if (isPlain && name !== undefined && allowed.has(name)) return undefined
  const shown = clip(JSON.stringify(headers.host ?? ''), 80)
  return defineProblem(
    403,
    'host_refused',
    `Host ${shown} is not served here; use the address that \`covey serve\` printed.`,
  )
}

function originProblem({ headers }: RequestHead): Problem | undefined {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  const isOwnPage = origin === undefined || origin.toLowerCase() === `http://${headers.host?.toLowerCase()}`
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none'
  if (isOwnPage && isOwnSite) return undefined
  return defineProblem(403, 'origin_refused', 'Requests from web pages of other sites are refused.')
}

const anonymous: Admission = { client: 'anyone', scopes: [], isStillValid: async () => true }

/** Who runs with --no-auth trusts everyone on this machine, but not other machines: they need a token. */
const everyone: Admission = {
  client: 'local',
  scopes: scopes.filter((scope) => scope !== 'peer'),
  isStillValid: async () => true,
}

async function authenticate(
  { headers, address }: RequestHead,
  parts: LockParts,
  signal: AbortSignal,
): Promise<Admission> {
  if (parts.isAuthOff) return everyone
  const token = credentialOf(headers)
  if (token === undefined) throw new ProblemError(defineProblem(401, 'token_missing', MISSING))
  const known = await parts.tokens.find(token)
  if (known) {
    const { name, sha256, expiresAt } = known
    const { onRevoke } = parts.tokens
    const isStillValid = async () => (await parts.tokens.find(token))?.sha256 === sha256
    const until = expiresAt === undefined ? {} : { expiresAt: Date.parse(expiresAt) }
    return { client: name, scopes: covered(known.scopes), isStillValid, onRevoke, ...until }
  }
  const retryAfterS = parts.wrongTokens.count(address)
  if (retryAfterS !== undefined) {
    throw new ProblemError(defineProblem(429, 'too_many_wrong_tokens', TOO_MANY, { retryAfterS }))
  }
  await delay(parts.limits.wrongTokenMs, undefined, { signal }).catch(() => undefined)
  throw new ProblemError(defineProblem(401, 'token_wrong', WRONG))
}

const WRONG = 'This token is not known here; `covey token ls` lists the names of those that are.'

const MISSING =
  'A token is needed: send it as `Authorization: Bearer TOKEN` or `x-api-key: TOKEN`. `covey token add NAME` makes one.'
const TOO_MANY = 'Too many wrong tokens; wait before the next one.'

/** `Authorization` counts where both are sent: a wrong one is not fixed by the other. Never from the address. */
function credentialOf(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers
  if (authorization !== undefined) return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ''
  const key = headers['x-api-key']
  return Array.isArray(key) ? '' : key
}

/** Who may administer may also ask, run tools and approve; who runs tools may look at them. Being a peer is apart. */
const covered = (given: readonly Scope[]): readonly Scope[] => {
  const all: readonly Scope[] = given.includes('admin') ? ['chat', 'tools', 'approve', ...given] : given
  return [...new Set<Scope>(all.includes('tools') ? ['read', ...all] : all)]
}

function scopeProblem(admission: Admission, scope: Scope | 'open' | undefined): Problem | undefined {
  if (scope === undefined || scope === 'open' || admission.scopes.includes(scope)) return undefined
  const { client, shown = `The token "${client}"` } = admission
  return defineProblem(403, 'scope_missing', `${shown} lacks the scope \`${scope}\`; ${remedy(scope)}`)
}

const remedy = (scope: Scope): string =>
  `use one that has it; \`covey token add NAME --scope ${scope}\` makes it.`

/** A page of another site can send forms and plain text without being asked first, but no JSON. */
function mediaProblem({ method, headers, isBodiless }: RequestHead): Problem | undefined {
  if (method !== 'POST' || (isBodiless && isEmpty(headers))) return undefined
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  const isJson = type.trim().toLowerCase() === 'application/json'
  const encoding = headers['content-encoding'] ?? 'identity'
  if (isJson && encoding === 'identity') return undefined
  return defineProblem(415, 'media_type', 'Send the body as plain `content-type: application/json`.')
}

/** As SDKs cancel. A form says its type even where it is empty, and what a script sends has an Origin. */
const isEmpty = (headers: IncomingHttpHeaders): boolean =>
  headers['content-type'] === undefined &&
  headers['transfer-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) === 0
