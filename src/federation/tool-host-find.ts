/**
 * Which machine runs the tools of a session: the one that is named, or with `auto` the first that answers, on this
 * machine's own network address and then at its peers. No token is sent while looking.
 */
import { networkInterfaces } from 'node:os'
import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import { openRemoteTools, type RemoteTools } from './tool-host.ts'
import { askHost } from './tool-host-call.ts'

export type HostWish = {
  /** An address, or `auto`; absent = tools run here. */
  readonly url?: string
  readonly token?: string
  readonly workspace?: string
  /** Addresses of machines this one is paired with. */
  readonly peers: readonly string[]
}

export async function openWishedTools(
  { url, peers, ...rest }: HostWish,
  signal: AbortSignal,
): Promise<RemoteTools | undefined> {
  if (url === undefined) return undefined
  return openRemoteTools(
    { ...rest, url: url === 'auto' ? await findToolHost({ peers }, signal) : url },
    signal,
  )
}

type FindParts = Pick<HostWish, 'peers'> & {
  readonly port?: number
  /** Addresses of this machine; absent = those its network cards have. */
  readonly own?: readonly string[]
  readonly waitMs?: number
}

const PORT = 17_616
const WAIT_MS = 1_500

/** Throws `config-invalid` with where it looked. */
export async function findToolHost(parts: FindParts, signal: AbortSignal): Promise<string> {
  const { peers, port = PORT, own = ownAddresses(), waitMs = WAIT_MS } = parts
  const urls = [...own, '127.0.0.1', ...peers].map(
    (address) => `http://${address.includes(':') ? `[${address}]` : address}:${port}`,
  )
  for (const url of new Set(urls)) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
    const isThere = await askHost({ url }, { path: '/health', answer: Alive }, limit).catch(() => undefined)
    signal.throwIfAborted()
    if (isThere) return url
  }
  throw new AppError(
    'config-invalid',
    `No tool host answers at ${[...new Set(urls)].join(', ')}; start one with \`covey tools serve\`, or give its address.`,
  )
}

const Alive = z.object({ status: z.literal('ok') })

/** Of private networks, so that nothing outside is asked. */
const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ family, internal, address }) => family === 'IPv4' && !internal && PRIVATE.test(address))
    .map(({ address }) => address)

const PRIVATE = /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/
