/**
 * The way to other machines on the local network: who is paired is in a file, where they are comes from that file,
 * from flags and from mDNS, and each is asked every few seconds how it is. `listen` lets them in; without it this
 * machine only asks.
 */
import { rm } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { writeAtomic } from '../../lib/atomic-write.ts'
import { advertised, type AddressChoice } from '../address.ts'
import { createPeerHandler } from '../handler.ts'
import { announcedId, type Discovery, type Hint, startDiscovery } from '../discovery.ts'
import { type Identity, openIdentity } from '../identity.ts'
import { type Invites, openInvites } from '../invites.ts'
import type { AddressSource, KnownAddresses } from './addresses.ts'
import { type Listener, openListener } from '../listener.ts'
import type { Offer, Transport } from '../machine.ts'
import { createMember, type Member } from '../member.ts'
import { openPeerBook, type PeerBook } from '../peer-book.ts'
import { type LanTiming, usualTiming } from '../timing.ts'

export type LanOptions = {
  readonly dataFolder: string
  /** What people call this machine. */
  readonly name: string
  /** `host:port` of machines that may not be found by themselves. */
  readonly peers?: readonly string[]
  /** Find and be found by mDNS. */
  readonly discover: boolean
  readonly timing?: Partial<LanTiming>
  /** This machine's clock; it need not agree with any other. */
  readonly now?: () => number
}

export type ListenAddress = { readonly host: string; readonly port: number }

export type Listening = ListenAddress & { readonly advertised: readonly AddressChoice[] }

export interface Lan extends Transport {
  readonly id: string
  /** Lets others in, at this address. */
  listen(place: ListenAddress, offer: Offer): Promise<Listening>
  /** Asks everybody now; done when all have answered, or not. */
  look(): Promise<void>
  /** Machines that announce themselves and are not paired. */
  strangers(): readonly Hint[]
  /** Why machines cannot be found by themselves, where they cannot. */
  problem(): string | undefined
}

/** What the machines of one data folder know of each other, for pairing, listing and removing them. */
export type LanFiles = { readonly book: PeerBook; readonly invites: Invites; identity(): Promise<Identity> }

export const lanFiles = (dataFolder: string, now: () => number = Date.now): LanFiles => ({
  book: openPeerBook(join(dataFolder, 'peers.json'), now),
  invites: openInvites(join(dataFolder, 'invites.json'), now),
  identity: () => openIdentity(join(dataFolder, 'keys', 'peer')),
})

/** Where a running server says at which address it lets peers in. */
export const listeningFile = (dataFolder: string): string => join(dataFolder, 'listening.json')

export async function openLan(options: LanOptions): Promise<Lan> {
  const files = lanFiles(options.dataFolder, options.now)
  const lan = new OpenLan(options, files, await files.identity())
  await lan.start()
  return lan
}

const MAX_STRANGERS = 64

class OpenLan implements Lan {
  readonly #options: LanOptions
  readonly #files: LanFiles
  readonly #identity: Identity
  readonly #timing: LanTiming
  readonly #members = new Map<string, Member>()
  readonly #strangers = new Map<string, Hint>()
  #listener: Listener | undefined
  #discovery: Discovery | undefined
  #problem: string | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #closing = new AbortController()
  /** What was begun and is waited for at the end. */
  readonly #begun = new Set<Promise<unknown>>()

  constructor(options: LanOptions, files: LanFiles, identity: Identity) {
    this.#options = options
    this.#files = files
    this.#identity = identity
    this.#timing = { ...usualTiming, ...options.timing }
  }

  get id(): string {
    return this.#identity.id
  }

  async start(): Promise<void> {
    await this.#readBook()
    if (this.#options.discover) await this.#discover(undefined)
    this.#timer = setInterval(() => {
      this.#discovery?.look()
      this.#begin(this.look())
    }, this.#timing.healthMs).unref()
  }

  machines(): readonly Member[] {
    return [...this.#members.values()]
  }

  strangers(): readonly Hint[] {
    return [...this.#strangers.values()]
  }

  problem(): string | undefined {
    return this.#problem
  }

  async look(): Promise<void> {
    await this.#readBook()
    await Promise.all(this.machines().map((member) => member.look()))
  }

  async listen(place: ListenAddress, offer: Offer): Promise<Listening> {
    const { book, invites } = this.#files
    const handler = createPeerHandler({
      identity: this.#identity,
      name: this.#options.name,
      book,
      invites,
      offer,
      timing: this.#timing,
      heard: (peer, address) => this.#begin(this.#heard(peer, address)),
    })
    this.#listener = await openListener({
      identity: this.#identity,
      ...place,
      timing: this.#timing,
      ...handler,
    })
    const { port } = this.#listener
    const told = advertised(place.host, networkInterfaces())
    const [best] = told
    const written = JSON.stringify({ addresses: told.map(({ address }) => address), port })
    await writeAtomic(listeningFile(this.#options.dataFolder), `${written}\n`, { mode: 0o600 })
    if (this.#options.discover && best) {
      // The network it listens on is the one to be found on.
      await this.#discovery?.close()
      await this.#discover(best.address)
      this.#discovery?.announce({ id: this.id, address: best.address, port })
    }
    return { host: place.host, port, advertised: told }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#closing.abort()
    if (this.#listener) await rm(listeningFile(this.#options.dataFolder), { force: true })
    await Promise.all([this.#listener?.close(), this.#discovery?.close()])
    while (this.#begun.size > 0) await Promise.all(this.#begun)
  }

  async #discover(address: string | undefined): Promise<void> {
    this.#discovery = await startDiscovery({
      ...(address !== undefined && { address }),
      onHint: (hint) => this.#hinted(hint),
      onProblem: (why) => (this.#problem = `machines of this network cannot be found by mDNS: ${why}`),
    })
  }

  /** Members are those in the file, as it stands now. */
  async #readBook(): Promise<void> {
    const peers = await this.#files.book.list()
    const paired = new Set(peers.map(({ id }) => id))
    for (const id of this.#members.keys()) if (!paired.has(id)) this.#members.delete(id)
    for (const { id, name, addresses } of peers) {
      const known = this.#members.get(id)
      // Paired again, it may have another name and be somewhere else.
      for (const address of addresses) known?.hint(address, 'proven')
      if (known?.name === name) continue
      const configured = this.#options.peers ?? []
      this.#members.set(id, this.#member({ id, name, addresses: { proven: addresses, configured } }))
      this.#strangers.delete(announcedId(id))
    }
  }

  #member(peer: { readonly id: string; readonly name: string; readonly addresses: KnownAddresses }): Member {
    return createMember({
      ...peer,
      identity: this.#identity,
      timing: this.#timing,
      port: () => this.#listener?.port,
      signal: this.#closing.signal,
      onMet: (address) => this.#begin(this.#met(peer.id, address)),
    })
  }

  /** Where a peer was is worth a write only when it is news. */
  async #met(id: string, address: string): Promise<void> {
    const { book } = this.#files
    const known = await book.find(id)
    if (known && known.addresses[0] !== address && !this.#closing.signal.aborted) await book.met(id, address)
  }

  /** What fails here is tried again at the next look. */
  #begin(work: Promise<unknown>): void {
    const done = work.catch(() => undefined).finally(() => this.#begun.delete(done))
    this.#begun.add(done)
  }

  #hinted(hint: Hint): void {
    if (hint.id === announcedId(this.id)) return
    const member = this.machines().find(({ id }) => announcedId(id) === hint.id)
    if (member) return this.#tryAt(member, hint.address, 'announced')
    this.#strangers.delete(hint.id)
    this.#strangers.set(hint.id, hint)
    const [oldest] = this.#strangers.keys()
    if (this.#strangers.size > MAX_STRANGERS && oldest !== undefined) this.#strangers.delete(oldest)
  }

  #tryAt(member: Member, address: string, from: AddressSource): void {
    member.hint(address, from)
    if (member.state().state === 'gone') this.#begin(member.look())
  }

  /** A peer that sent a request is online: no need to wait for the next poll. */
  async #heard(peer: string, address: string | undefined): Promise<void> {
    if (!this.#members.has(peer)) await this.#readBook()
    const member = this.#members.get(peer)
    if (member && address !== undefined) this.#tryAt(member, address, 'told')
  }
}
