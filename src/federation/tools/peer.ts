/**
 * Tool hosts that are paired machines: `peer/NAME`. Each is looked for where it was last, at the port of tool hosts,
 * and is known by its key; nothing is sent, least of all a token, before that key was shown. So what fails before has
 * run nothing.
 */
import { AppError, errorMessage } from '../../protocol/error.ts'
import { dial, dialFirst, endpointOf, toAddress } from '../dial.ts'
import type { Identity } from '../identity.ts'
import { type Peer, type PeerBook, requirePeer } from '../peer-book.ts'
import { usualTiming } from '../timing.ts'
import type { PeerLine, RemoteHost } from './call.ts'

export type PeerHosts = {
  readonly book: Pick<PeerBook, 'list'>
  /** Of this machine; only loaded when a peer will see it. */
  identity(): Promise<Identity>
  /** Where else paired machines may be, `host:port`. */
  readonly addresses: readonly string[]
}

export const TOOL_HOST_PORT = 17_616

const WISH = /^peer\/(.+?)(?::(\d{1,5}))?$/

export const isPeerWish = (url: string): boolean => url.startsWith('peer/')

/** Throws `config-invalid` when no such machine is paired, or its address is unknown. */
export async function requirePeerHost(wish: string, hosts: PeerHosts): Promise<RemoteHost> {
  const [, name = '', port = TOOL_HOST_PORT] = WISH.exec(wish) ?? []
  const peer = requireKnown(await hosts.book.list(), name)
  const places = placesOf(peer, hosts, Number(port))
  if (places.length > 0) return { url: wish, peer: createLine(peer, places, await hosts.identity()) }
  const message = `no address of ${peer.name} is known. ${NEEDED} Give one in \`peers\` of [federation], as host:port.`
  throw new AppError('config-invalid', message)
}

const NEEDED = 'Tools run on paired machines that have an address here; through NATS only models are reached.'

function requireKnown(peers: readonly Peer[], name: string): Peer {
  try {
    return requirePeer(peers, name)
  } catch (error) {
    throw new AppError('config-invalid', `${errorMessage(error)} ${NEEDED}`, { cause: error })
  }
}

/** Every paired machine that has an address. */
export async function listPeerHosts(hosts: PeerHosts, port: number): Promise<readonly RemoteHost[]> {
  const known = (await hosts.book.list()).flatMap((peer) => {
    const places = placesOf(peer, hosts, port)
    return places.length === 0 ? [] : [{ peer, places }]
  })
  if (known.length === 0) return []
  const identity = await hosts.identity()
  return known.map(({ peer, places }) => ({
    url: `peer/${peer.name}`,
    peer: createLine(peer, places, identity),
  }))
}

/** What is written down is where it answers for its models; its tools are at the same machine. */
const placesOf = (peer: Peer, { addresses }: PeerHosts, port: number): readonly string[] => [
  ...new Set([...peer.addresses, ...addresses].map((address) => toAddress(endpointOf(address).host, port))),
]

function createLine({ id }: Peer, places: readonly string[], identity: Identity): PeerLine {
  const dialling = { identity, expected: id, timeoutMs: usualTiming.dialMs }
  let last: string | undefined
  return {
    ownId: identity.id,
    async open(signal) {
      const again = last === undefined ? undefined : dial({ ...dialling, address: last }, signal)
      const usual = await again?.catch(() => undefined)
      if (usual) return usual
      const { socket, address } = await dialFirst(places, dialling, signal)
      last = address
      return socket
    },
  }
}
