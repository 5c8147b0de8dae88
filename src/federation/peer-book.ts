/**
 * The machines this one trusts: for each the fingerprint of its key, what it may do here, and where it was last. Who is
 * taken out is out at the next request.
 */
import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import { shortId } from './identity.ts'
import { openShelf } from './shelf.ts'

/** What a peer may do here: ask the models, run tools, see how busy this machine is. */
const peerScopes = ['generate', 'tools', 'status'] as const
export type PeerScope = (typeof peerScopes)[number]

/** The scopes of a new peer. Running tools must be granted by name. */
const USUAL_SCOPES: readonly PeerScope[] = ['generate', 'status']

const address = z.string().max(300)

const peerSchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{64}$/),
  /** For people; several may share it. */
  name: z.string().max(60),
  scopes: z.array(z.enum(peerScopes)),
  /** `host:port`, the one that answered last first. Only hints: who answers there is known by the key. */
  addresses: z.array(address).max(8),
  pairedAt: z.iso.datetime(),
})
export type Peer = z.output<typeof peerSchema>

const bookSchema = z.strictObject({ version: z.literal(1), peers: z.array(peerSchema).max(256) })

export type PeerBook = {
  list(): Promise<readonly Peer[]>
  find(id: string): Promise<Peer | undefined>
  /** Who is paired again keeps its scopes. */
  add(peer: Pick<Peer, 'id' | 'name' | 'addresses'>): Promise<Peer>
  /** It answered here. */
  met(id: string, address: string): Promise<void>
  setScopes(wish: string, scopes: readonly PeerScope[]): Promise<Peer>
  remove(wish: string): Promise<Peer>
}

export function openPeerBook(path: string, now: () => number = Date.now): PeerBook {
  const shelf = openShelf({ path, schema: bookSchema, empty: { version: 1, peers: [] } })
  const list = async () => (await shelf.read()).peers
  const change = <Result>(how: (peers: readonly Peer[]) => readonly [readonly Peer[], Result]) =>
    shelf.update((book) => {
      const [peers, result] = how(book.peers)
      return [peers === book.peers ? book : { ...book, peers: [...peers] }, result]
    })
  const replace = (wish: string, how: (peer: Peer) => Peer | undefined) =>
    change((peers) => {
      const found = requirePeer(peers, wish)
      return [peers.flatMap((peer) => (peer === found ? (how(peer) ?? []) : [peer])), how(found) ?? found]
    })
  return {
    list,
    find: async (id) => (await list()).find((peer) => peer.id === id),
    add: ({ id, name, addresses }) =>
      change((peers) => {
        const before = peers.find((peer) => peer.id === id)
        const peer: Peer = {
          id,
          name: name.slice(0, 60),
          scopes: before?.scopes ?? [...USUAL_SCOPES],
          addresses: addresses.slice(0, MAX_ADDRESSES),
          pairedAt: new Date(now()).toISOString(),
        }
        if (!before && peers.length >= MAX_PEERS) throw tooMany()
        return [[...peers.filter((other) => other.id !== id), peer], peer]
      }),
    met: (id, place) =>
      change((peers) => {
        const peer = peers.find((other) => other.id === id)
        if (!peer || peer.addresses[0] === place) return [peers, undefined]
        const addresses = [place, ...peer.addresses.filter((other) => other !== place)]
        const met = { ...peer, addresses: addresses.slice(0, MAX_ADDRESSES) }
        return [peers.map((other) => (other === peer ? met : other)), undefined]
      }),
    setScopes: (wish, scopes) => replace(wish, (peer) => ({ ...peer, scopes: [...scopes] })),
    remove: (wish) => replace(wish, () => undefined),
  }
}

const MAX_PEERS = 256
const MAX_ADDRESSES = 8

const tooMany = () =>
  new AppError('config-invalid', `${MAX_PEERS} machines are paired; remove one with \`covey peers rm\`.`)

/** By name where only one has it, or by the beginning of its id. */
export function requirePeer(peers: readonly Peer[], wish: string): Peer {
  const named = peers.filter(({ name, id }) => name === wish || (wish.length >= 6 && id.startsWith(wish)))
  const [found] = named
  if (!found) {
    const known = peers.map(({ name, id }) => `${name} (${shortId(id)})`).join(', ') || 'none yet'
    throw new AppError('config-invalid', `no peer is called "${wish}"; paired are ${known}.`)
  }
  if (named.length > 1) {
    const which = named.map(({ id }) => shortId(id)).join(', ')
    throw new AppError('config-invalid', `${named.length} peers are called "${wish}"; say which: ${which}.`)
  }
  return found
}
