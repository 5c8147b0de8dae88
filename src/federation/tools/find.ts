/**
 * Which machine runs the tools of a session: the one that is named, or with `auto` the first that answers, on this
 * machine's own network address and then at its peers. While looking no token is sent, and to a peer never.
 */
import { networkInterfaces } from 'node:os'
import { z } from 'zod'
import { AppError } from '../../protocol/error.ts'
import { toAddress } from '../dial.ts'
import { openRemoteTools, type RemoteTools } from './host.ts'
import { askHost, type RemoteHost } from './call.ts'
import { isPeerWish, listPeerHosts, type PeerHosts, requirePeerHost, TOOL_HOST_PORT } from './peer.ts'

export type HostWish = {
  /** An address, `peer/NAME`, or `auto`; absent = tools run here. */
  readonly url?: string
  readonly token?: string
  readonly workspace?: string
  readonly peers: PeerHosts
}

export async function openWishedTools(
  { url, token, peers, ...rest }: HostWish,
  signal: AbortSignal,
): Promise<RemoteTools | undefined> {
  if (url === undefined) return undefined
  const host = await hostOf(url, peers, signal)
  return openRemoteTools({ ...rest, ...host, ...(token !== undefined && !host.peer && { token }) }, signal)
}

async function hostOf(url: string, peers: PeerHosts, signal: AbortSignal): Promise<RemoteHost> {
  if (url === 'auto') return findToolHost({ peers }, signal)
  return isPeerWish(url) ? requirePeerHost(url, peers) : { url }
}

type FindParts = Pick<HostWish, 'peers'> & {
  readonly port?: number
  /** Addresses of this machine; absent = those its network cards have. */
  readonly own?: readonly string[]
  readonly waitMs?: number
}

const WAIT_MS = 1_500

/** Throws `config-invalid` with where it looked. */
export async function findToolHost(parts: FindParts, signal: AbortSignal): Promise<RemoteHost> {
  const { peers, port = TOOL_HOST_PORT, own = ownAddresses(), waitMs = WAIT_MS } = parts
  const here = new Set([...own, '127.0.0.1'].map((address) => `http://${toAddress(address, port)}`))
  const hosts: readonly RemoteHost[] = [
    ...Array.from(here, (url) => ({ url })),
    ...(await listPeerHosts(peers, port)),
  ]
  const refusals: string[] = []
  for (const host of hosts) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
    const isThere = await askHost(host, { path: '/health', answer: Alive }, limit).catch((error: unknown) => {
      if (host.peer && error instanceof AppError) refusals.push(error.message)
      return undefined
    })
    signal.throwIfAborted()
    if (isThere) return host
  }
  const where = hosts.map(({ url }) => url).join(', ')
  throw new AppError('config-invalid', [`No tool host answers at ${where}; ${ADVICE}`, ...refusals].join(' '))
}

const ADVICE = 'start one with `covey tools serve`, or give its address.'

const Alive = z.object({ status: z.literal('ok') })

/** Of private networks, so that nothing outside is asked. */
const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ family, internal, address }) => family === 'IPv4' && !internal && PRIVATE.test(address))
    .map(({ address }) => address)

const PRIVATE = /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/
