/**
 * Why no connection to a server could be made, in words: what failed, why, and what to do next. The codes are those of
 * Node and undici, as data: a new one is a new line here.
 */
import { AppError, type ErrorDetails } from '../protocol/error.ts'
import { shownUrl } from './shown-url.ts'

type Target = {
  readonly url: string
  readonly local: boolean
  /** Bytes of an answer had come. */
  readonly hasAnswered?: boolean
}

type Reason = {
  readonly codes: RegExp
  /** Absent = it never came to a connection. */
  readonly what?: string
  why(place: Target): string
  next(place: Target): string
  /** Absent = it may pass by itself, so the usual retries hold. */
  readonly connection?: NonNullable<ErrorDetails['connection']>
}

const CHECK = 'Check the address and the network.'
const DOCTOR = '`covey doctor` lists the servers that answer on this machine'
const portOf = (url: string): string => {
  const { port, protocol } = new URL(url)
  return port || (protocol === 'https:' ? '443' : '80')
}
const hostOf = ({ url }: Target): string => new URL(url).hostname

const reasons: readonly Reason[] = [
  {
    codes: /^ECONNREFUSED$/,
    connection: 'refused',
    why: ({ url }) => `connection refused: no program listens on port ${portOf(url)}`,
    next: ({ local }) => (local ? `Start the server or correct the address; ${DOCTOR}.` : CHECK),
  },
  {
    codes: /^ENOTFOUND$/,
    connection: 'refused',
    why: (place) => `there is no host "${hostOf(place)}"`,
    next: () => CHECK,
  },
  {
    codes: /^EAI_AGAIN$/,
    connection: 'refused',
    why: (place) => `the host name "${hostOf(place)}" cannot be resolved at the moment`,
    next: () => 'Check the network, then try again.',
  },
  {
    codes: /^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EHOSTDOWN|ENETDOWN)$/,
    connection: 'refused',
    why: (place) => `there is no route to the host "${hostOf(place)}"`,
    next: () => CHECK,
  },
  {
    codes: /^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/,
    connection: 'refused',
    why: () => 'the host did not accept the connection in time',
    next: () => 'Check the address, the port and the firewall in between.',
  },
  {
    codes: /^CERT_HAS_EXPIRED$/,
    connection: 'impossible',
    why: () => 'its TLS certificate has expired',
    next: () => 'Renew the certificate of the server, or use its http:// address if it has one.',
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    connection: 'impossible',
    why: (place) => `its TLS certificate is not issued for "${hostOf(place)}"`,
    next: () => 'Use the host name that the certificate was issued for.',
  },
  {
    codes: /^(?:DEPTH_|SELF_|UNABLE_|CERT_|ERR_TLS_)/,
    connection: 'impossible',
    why: () => 'its TLS certificate is not trusted',
    next: () =>
      'For a server of your own set NODE_EXTRA_CA_CERTS=FILE.pem to its certificate, or use its http:// address.',
  },
  {
    codes: /^(?:ERR_SSL_|EPROTO$)/,
    connection: 'impossible',
    why: ({ url }) => `port ${portOf(url)} does not answer with TLS`,
    next: () => 'Use http:// instead of https://, or the port that serves https.',
  },
  {
    codes: /^HPE_/,
    connection: 'impossible',
    why: ({ url }) => `what listens on port ${portOf(url)} does not answer with HTTP`,
    next: () => `Check the port, and whether the address must begin with https://; ${DOCTOR}.`,
  },
  {
    codes: /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    what: 'lost the connection to',
    why: () => 'the server closed it before its answer was complete',
    next: ({ url, hasAnswered }) =>
      `Look at the log of the server${url.startsWith('http:') && !hasAnswered ? '; if it serves https, begin the address with https://' : ''}.`,
  },
]

export function connectionError(
  code: string,
  { arm, ...place }: Target & { readonly arm: string },
  cause: unknown,
): AppError {
  const reason = reasons.find(({ codes }) => codes.test(code))
  const what = reason?.what ?? 'cannot connect to'
  const why = reason?.why(place) ?? 'the connection failed'
  const next =
    reason?.next({ ...place, hasAnswered: bytesBefore(cause) > 0 }) ??
    (place.local ? 'Check that the server is running.' : CHECK)
  const known = code === 'ECONNREFUSED' ? '' : ` (${code})`
  return new AppError(
    'model-unavailable',
    `${arm === '' ? '' : `${arm}: `}${what} ${shownUrl(place.url)}: ${why}${known}. ${next}`,
    { cause, ...(reason?.connection && { connection: reason.connection }) },
  )
}

/** What undici had read on the connection that was closed. */
function bytesBefore(error: unknown): number {
  const { socket, cause } = (error instanceof Error ? error : {}) as {
    readonly socket?: { readonly bytesRead?: number }
    readonly cause?: unknown
  }
  return socket?.bytesRead ?? (cause === undefined ? 0 : bytesBefore(cause))
}

/** The code of a connection that failed; undefined for every other error. */
export function connectionCode(error: unknown): string | undefined {
  // undici gives no code to an answer that is not HTTP.
  if (error instanceof Error && error.name === 'HTTPParserError') return 'HPE_INVALID'
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^(?:E[A-Z]|UND_ERR|CERT|DEPTH|SELF|UNABLE|HPE_)/.test(code)
    ? code
    : undefined
}
