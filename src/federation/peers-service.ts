/**
 * What a person does about other machines: invite one, join one, see who is paired and how they are. Works beside a
 * running server or without one; both use the same files.
 */
import { readFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { z } from 'zod'
import { advertised } from './address.ts'
import { dial, toAddress } from './dial.ts'
import type { Identity } from './identity.ts'
import { readInviteCode, writeInviteCode } from './invite-code.ts'
import { joinPeer } from './join.ts'
import { lanFiles, listeningFile, openLan, type LanOptions } from './lan/open.ts'
import type { Machine } from './machine.ts'
import type { Peer, PeerScope } from './peer-book.ts'
import { drawQr } from './qr.ts'
import { usualTiming } from './timing.ts'

type Invitation = {
  readonly code: string
  /** The code for a camera; absent where it is too long for that. */
  readonly drawing?: string
  readonly addresses: readonly string[]
  /** Whether a server is there to let the other machine in. */
  readonly isServing: boolean
}

export type PeersService = {
  invite(): Promise<Invitation>
  join(code: string, signal: AbortSignal): Promise<Peer>
  /** Of this machine. */
  id(): Promise<string>
  list(): Promise<readonly Peer[]>
  /** Every paired machine, asked now. */
  look(): Promise<readonly Machine[]>
  setScopes(wish: string, scopes: readonly PeerScope[]): Promise<Peer>
  remove(wish: string): Promise<Peer>
}

export type PeersServiceParts = Pick<LanOptions, 'dataFolder' | 'name' | 'peers' | 'timing'> & {
  /** As configured; what a running server says counts more. */
  readonly host?: string
  readonly port: number
}

/** In a code that a person may have to read out; the likeliest come first. */
const MAX_ADDRESSES = 3
const PATIENCE_MS = 1_500

export function openPeersService(parts: PeersServiceParts): PeersService {
  const { dataFolder, name, peers, timing = {} } = parts
  const { book, invites, identity } = lanFiles(dataFolder)
  return {
    async invite() {
      const own = await identity()
      const serving = await whoListens(dataFolder, own)
      const { addresses, port } = serving ?? { addresses: ownAddresses(parts), port: parts.port }
      const places = addresses.slice(0, MAX_ADDRESSES)
      const secret = await invites.create()
      const code = writeInviteCode({ secret, id: own.id, port, addresses: places })
      const drawing = drawQr(code)
      const isServing = serving !== undefined
      return { code, addresses: places, isServing, ...(drawing !== undefined && { drawing }) }
    },
    async join(code, signal) {
      const own = await identity()
      const serving = await whoListens(dataFolder, own)
      const joining = { identity: own, name, book, timing: { ...usualTiming, ...timing } }
      const port = serving?.port
      return joinPeer(readInviteCode(code), { ...joining, ...(port !== undefined && { port }) }, signal)
    },
    id: async () => (await identity()).id,
    list: book.list,
    async look() {
      const patience = { ...timing, dialMs: PATIENCE_MS, answerMs: PATIENCE_MS }
      const options = { dataFolder, name, timing: patience, discover: false }
      const lan = await openLan({ ...options, ...(peers && { peers }) })
      try {
        await lan.look()
        return lan.machines()
      } finally {
        await lan.close()
      }
    },
    setScopes: book.setScopes,
    remove: book.remove,
  }
}

const ownAddresses = ({ host = '0.0.0.0' }: PeersServiceParts): readonly string[] =>
  advertised(host, networkInterfaces()).map(({ address }) => address)

const listeningSchema = z.object({ addresses: z.array(z.string()), port: z.int() })

/**
 * The address file of a running server. A killed server leaves it behind, so a listener with our own key must answer.
 */
async function whoListens(
  dataFolder: string,
  identity: Identity,
): Promise<z.output<typeof listeningSchema> | undefined> {
  try {
    const listening = listeningSchema.parse(JSON.parse(await readFile(listeningFile(dataFolder), 'utf8')))
    const address = toAddress(listening.addresses[0] ?? '', listening.port)
    const dialling = { identity, address, expected: identity.id, timeoutMs: PATIENCE_MS }
    const socket = await dial(dialling, new AbortController().signal)
    socket.destroy()
    return listening
  } catch {
    return undefined
  }
}
