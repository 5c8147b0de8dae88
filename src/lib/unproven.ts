/**
 * Connections whose sender has proven nothing yet. They are few, each address has a part of them, and each has a moment to say
 * what it wants; where there is no room, the one that has waited longest goes. Those who prove who they are leave this list, so
 * that no number of strangers takes their place.
 */
import type { Socket } from 'node:net'

export type UnprovenLimits = {
  readonly most: number
  readonly perAddress: number
  /** Until its request has arrived as a whole. */
  readonly ms: number
}

/** Sockets are matched by their remote end, so that one with TLS around it is the same as the one inside. */
type End = Pick<Socket, 'remoteAddress' | 'remotePort'>

export type Unproven = {
  add(socket: Socket): void
  /** Its request has arrived: it has time for the answer, and others go first where there is no room. */
  heard(end: End): void
  /** It has proven who it is. */
  release(end: End): void
  count(): number
}

type Entry = {
  readonly socket: Socket
  readonly address: string
  readonly timer: NodeJS.Timeout
  isHeard: boolean
}

export function createUnproven({ most, perAddress, ms }: UnprovenLimits): Unproven {
  const entries = new Map<string, Entry>()
  const release = (end: End): void => {
    const key = keyOf(end)
    clearTimeout(entries.get(key)?.timer)
    entries.delete(key)
  }
  return {
    add(socket) {
      const address = socket.remoteAddress
      // It has gone already.
      if (address === undefined) return void socket.destroy()
      const end = { remoteAddress: address, remotePort: socket.remotePort }
      const timer = setTimeout(() => socket.destroy(), ms).unref()
      entries.set(keyOf(end), { socket, address, timer, isHeard: false })
      socket.once('close', () => {
        if (entries.get(keyOf(end))?.socket === socket) release(end)
      })
      const all = [...entries.values()]
      const near = all.filter((entry) => entry.address === address)
      const crowd = near.length > perAddress ? near : all.length > most ? largestOf(all) : []
      longestWaiting(crowd)?.socket.destroy()
    },
    heard(end) {
      const entry = entries.get(keyOf(end))
      if (!entry) return
      clearTimeout(entry.timer)
      entry.isHeard = true
    },
    release,
    count: () => entries.size,
  }
}

const keyOf = ({ remoteAddress, remotePort }: End): string => `${remoteAddress} ${remotePort}`

/** Those of the address that has most. */
function largestOf(entries: readonly Entry[]): readonly Entry[] {
  const groups = new Map<string, Entry[]>()
  for (const entry of entries) groups.set(entry.address, [...(groups.get(entry.address) ?? []), entry])
  const [largest = []] = [...groups.values()].toSorted((one, other) => other.length - one.length)
  // Each from an address of its own: then the order among all decides.
  return largest.length > 1 ? largest : entries
}

const longestWaiting = (entries: readonly Entry[]): Entry | undefined =>
  entries.find(({ isHeard }) => !isHeard) ?? entries[0]
