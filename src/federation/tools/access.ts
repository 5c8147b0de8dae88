/** Which machines run tools here: those that show a key of the peer book which has the scope `tools` at that moment. */
import type { TlsOptions, TLSSocket } from 'node:tls'
import { idOfPeer } from '../dial.ts'
import type { LanFiles } from '../lan/open.ts'
import { tlsOptionsOf } from '../listener.ts'
import type { Peer } from '../peer-book.ts'

export type ToolHostAccess = {
  readonly tls: TlsOptions
  /** Undefined for a machine without the scope. */
  who(socket: TLSSocket): Promise<Peer | undefined>
}

export async function openToolHostAccess({ book, identity }: LanFiles): Promise<ToolHostAccess> {
  return {
    tls: tlsOptionsOf(await identity()),
    async who(socket) {
      const id = idOfPeer(socket)
      const peer = id === undefined ? undefined : await book.find(id)
      return peer && mayRunTools(peer) ? peer : undefined
    },
  }
}

export const mayRunTools = ({ scopes }: Peer): boolean => scopes.includes('tools')
