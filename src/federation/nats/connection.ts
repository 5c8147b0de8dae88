/**
 * The connection to the broker: how it is made, what is refused before a byte is sent, and what the broker's refusals
 * mean in words a person can act on. Once made it is made again for ever; nothing that waits for it is lost.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { BlockList, createConnection, isIP } from 'node:net'
import { JetStreamApiError } from '@nats-io/jetstream'
import {
  type Authenticator,
  AuthorizationError,
  ConnectionError,
  connect,
  credsAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
  PermissionViolationError,
  RequestError,
  UserAuthenticationExpiredError,
} from '@nats-io/transport-node'
import type { Logger } from '../../lib/log.ts'
import { AppError, errorMessage } from '../../protocol/error.ts'
import { toAddress } from '../dial.ts'
import { requirePrivate } from './private-file.ts'
import { defined } from '../../lib/object.ts'

export type NatsServer = {
  /** `nats://host:port`, or `tls://host:port` where only an encrypted connection will do. */
  readonly url: string
  readonly user?: string
  readonly password?: string
  /** A `.creds` file, instead of user and password. */
  readonly credentialsFile?: string
  /** The certificate authority of the broker, where it is not a public one. */
  readonly caFile?: string
  /** Go without TLS to a host outside of the local network. */
  readonly allowPlain?: boolean
}

/** `inbox` is the subject below which answers to this machine arrive. */
export async function connectNats(
  server: NatsServer,
  { inbox, name, log }: { readonly inbox: string; readonly name: string; readonly log: Logger },
): Promise<NatsConnection> {
  const address = readAddress(server)
  const url = toAddress(address.name, address.port)
  let attempts = 0
  const options: NodeConnectionOptions = {
    servers: url,
    name: `covey ${name}`,
    inboxPrefix: inbox,
    // A broker that is being set up again may refuse for a while; a client that was accepted once keeps trying.
    ignoreAuthErrorAbort: true,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: () => pauseBefore(attempts),
    pingInterval: 20_000,
    ...(address.tls && { tls: await tlsOptions(server, address) }),
    ...(await credentials(server, address)),
  }
  requireSecret(server, address)
  const connection = await requireAnswer(address)
    .then(() => connect(options))
    .catch((error: unknown) => {
      throw natsError(error, server.url)
    })
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'reconnecting') attempts++
      if (status.type === 'reconnect') attempts = 0
      if (status.type === 'disconnect') log.warn({ url }, 'the NATS server is gone; trying again')
      if (status.type === 'reconnect') log.info({ url }, 'the NATS server is back')
      if (status.type === 'error') log.warn({ url }, natsError(status.error, server.url).message)
    }
  })()
  return connection
}

/**
 * When no server answers, the library gives up but leaves its connection to the system, which tries for minutes
 * and keeps the program from ending. So it connects only where a server listens.
 */
async function requireAnswer({ name, port }: Address): Promise<void> {
  const socket = createConnection({ host: name, port })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(ANSWER_MS) })
  } catch (error) {
    throw isAbort(error) ? new Error(`no answer within ${ANSWER_MS / 1000} s`) : error
  } finally {
    socket.destroy()
  }
}

const ANSWER_MS = 5_000

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'

type Address = {
  readonly name: string
  readonly port: number
  readonly tls: boolean
  readonly user?: string
  readonly password?: string
}

/** Throws `config-invalid` for an invalid URL, and for one that would send everything unencrypted. */
export function readAddress({ url, caFile, allowPlain }: NatsServer): Address {
  if (!/^(?:nats|tls):\/\//.test(url) || !URL.canParse(url)) {
    const message = `${withoutPassword(url)} is not the URL of a NATS server; write nats://HOST:4222 or tls://HOST:4222.`
    throw new AppError('config-invalid', message)
  }
  const { protocol, hostname, port, username, password } = new URL(url)
  const tls = protocol === 'tls:' || caFile !== undefined
  if (!tls && !allowPlain && !isNear(hostname)) {
    const message =
      `${protocol}//${hostname} is outside of this network and nats:// does not encrypt; write tls://${hostname}, ` +
      'or set federation.nats.allow_plain = true if something else does.'
    throw new AppError('config-invalid', message)
  }
  return {
    name: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 4222),
    tls,
    ...(username && { user: decodeURIComponent(username), password: decodeURIComponent(password) }),
  }
}

/** Everything before the last @: in a malformed URL the end of the password is unknown. */
export const withoutPassword = (url: string): string => url.replace(/\/\/.*@/s, '//')

/** A name can point anywhere tomorrow; only addresses, and names that never leave the network, are near. */
function isNear(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const family = isIP(host)
  if (family === 0) return host === 'localhost' || /\.(?:localhost|local)$/.test(host)
  return NEAR.check(host, family === 6 ? 'ipv6' : 'ipv4')
}

const NEAR = new BlockList()
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const) {
  NEAR.addSubnet(network, bits, 'ipv4')
}
NEAR.addAddress('::1', 'ipv6')
NEAR.addSubnet('fc00::', 7, 'ipv6')
NEAR.addSubnet('fe80::', 10, 'ipv6')

/**
 * The library tells Node a name to hold against the certificate, but no address: without one it would be `localhost`.
 */
async function tlsOptions({ caFile }: NatsServer, { name }: Address) {
  return { host: name, ...(caFile !== undefined && { ca: await readText(caFile, 'certificate authority') }) }
}

/** A password is sent as it is; a key in a `.creds` file only signs. */
function requireSecret({ allowPlain, ...server }: NatsServer, { name, tls, password }: Address): void {
  const isSent = server.credentialsFile === undefined && (server.password ?? password) !== undefined
  if (tls || allowPlain || !isSent || isLoopback(name)) return
  const message =
    `The password for the NATS server would go to ${name} in the clear; write tls://${name} in federation.nats.url, ` +
    'or set federation.nats.allow_plain = true if something else encrypts.'
  throw new AppError('config-invalid', message)
}

const isLoopback = (host: string): boolean =>
  /^(?:localhost|.*\.localhost)$/i.test(host) ||
  (isIP(host) > 0 && LOOPBACK.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'))

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

async function credentials(server: NatsServer, address: Address): Promise<Partial<NodeConnectionOptions>> {
  if (server.credentialsFile !== undefined) {
    return { authenticator: await credentialsOf(server.credentialsFile) }
  }
  const user = server.user ?? address.user
  const pass = server.password ?? address.password
  return { ...defined({ user, pass }) }
}

/**
 * Read anew for each connection: such files are renewed. One that is damaged by then would end the connection for
 * good.
 */
async function credentialsOf(path: string): Promise<Authenticator> {
  await requirePrivate(path, 'the NATS credentials')
  let known = credsAuthenticator(Buffer.from(await readText(path, 'credentials')))
  try {
    known('')
  } catch (error) {
    const message = `${path} holds no NATS credentials; it must be a .creds file with a JWT and a seed.`
    throw new AppError('config-invalid', message, { cause: error })
  }
  return (nonce) => {
    try {
      const renewed = credsAuthenticator(readFileSync(path))
      renewed('')
      known = renewed
    } catch {
      // What was read last still holds, or the server says that it does not.
    }
    return known(nonce)
  }
}

async function readText(path: string, what: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new AppError('config-invalid', `Cannot read the NATS ${what} ${path}: ${errorMessage(error)}`)
  })
}

/** Uneven, so that a hundred machines do not come back in the same moment. */
const pauseBefore = (attempt: number): number =>
  Math.min(10_000, 200 * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random() / 2)

/** What a refusal of the broker means, and what to do about it. */
export function natsError(error: unknown, url: string): AppError {
  if (error instanceof AppError) return error
  const where = withoutPassword(url)
  const cause = error instanceof RequestError ? error.cause : error
  if (cause instanceof PermissionViolationError) {
    const deed = cause.operation === 'publish' ? 'publish to' : 'subscribe to'
    const message = `The NATS server ${where} does not let this user ${deed} "${cause.subject}"; add it to the user's permissions.`
    return new AppError('credential', message, { cause: error })
  }
  if (cause instanceof AuthorizationError || cause instanceof UserAuthenticationExpiredError) {
    const message = `The NATS server ${where} refused the credentials (${cause.message}); correct federation.nats.user and password, or credentials.`
    return new AppError('credential', message, { cause: error })
  }
  if (isWithoutJetStream(error)) {
    const message = `The NATS server ${where} runs without JetStream; add \`jetstream {}\` to its configuration.`
    return new AppError('config-invalid', message, { cause: error })
  }
  if (error instanceof JetStreamApiError) {
    const message = `The NATS server ${where} says: ${error.message}; see its log and limits.`
    return new AppError('model-unavailable', message, { cause: error })
  }
  const why = error instanceof ConnectionError && error.cause instanceof Error ? error.cause : error
  const insecure = tlsProblem(why, where)
  if (insecure !== undefined) return new AppError('credential', insecure, { cause: error })
  const message = `Cannot reach the NATS server ${where}: ${errorMessage(why)}; is it running?`
  return new AppError('model-unavailable', message, { cause: error })
}

/** What is wrong with the encryption, and the next step; nothing for what is no matter of it. */
function tlsProblem(why: unknown, where: string): string | undefined {
  const code = why instanceof Error && 'code' in why ? String(why.code) : ''
  const said = errorMessage(why)
  if (/server does not support 'tls'/.test(said)) {
    return `The NATS server ${where} offers no TLS; add a \`tls\` block to its configuration (docs/nats.md), or write nats:// if it is on this network.`
  }
  if (/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/.test(code)) {
    return `The certificate of the NATS server ${where} is not valid at this time (${said}); renew it, or set this machine's clock.`
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `The certificate of the NATS server ${where} is for another name (${said}); write that name in federation.nats.url.`
  }
  if (/CERT|ISSUER|SELF_SIGNED|VERIFY/.test(code) || /self-signed certificate|unable to verify/.test(said)) {
    return `The certificate of the NATS server ${where} is not known (${said}); name its authority with federation.nats.ca = "/path/to/ca.pem".`
  }
  return undefined
}

/** The library does not export the class. */
export const isWithoutJetStream = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'JetStreamNotEnabled'
