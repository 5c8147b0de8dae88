/**
 * Connections that ask for nothing. One costs its sender a packet and the server a place among `connections`, so each has
 * a time after which it is destroyed whatever its state, and one address may hold only some of them: beyond that those
 * that have waited longest go. A connection that is being answered is never among them while its client reads.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import type { Limits } from './limits.ts'

export type Evicted = { readonly address: string; readonly count: number; readonly why: 'late' | 'many' }

type Held = {
  readonly socket: Socket
  readonly address: string
  /** Requests that are being answered. */
  busy: number
  /** Since when it asks for nothing, or its client reads nothing. */
  since: number
  /** How far the client has read, when last looked at. */
  read: string
}

/** Every socket the server accepts, before anyone reads from it. */
export function limitConnections(server: Server, limits: Limits, tell: (evicted: Evicted) => void): void {
  const held = new Map<string, Held>()
  server.prependListener('connection', (socket: Socket) => {
    const key = keyOf(socket)
    const one = { socket, address: groupOf(socket), busy: 0, since: performance.now(), read: '' }
    held.set(key, one)
    socket.once('close', () => held.get(key) === one && held.delete(key))
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const one = held.get(keyOf(request.socket))
    if (!one) return
    one.busy++
    response.once('close', () => {
      one.busy--
      one.since = performance.now()
    })
  })
  const sweep = setInterval(() => {
    for (const evicted of evict([...held.values()], limits)) tell(evicted)
  }, limits.checkEveryMs)
  server.once('close', () => clearInterval(sweep.unref()))
  sweep.unref()
}

/** Behind TLS it is another object, with the same two ends. */
const keyOf = ({ remoteAddress, remotePort, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localPort}`

/** Of IPv6 one customer has a whole /64. */
export function groupOf({ remoteAddress = 'unknown' }: Pick<Socket, 'remoteAddress'>): string {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!isIPv6(address) || address === '::1') return address
  const [before = '', after = ''] = address.replace(/%.*$/, '').split('::')
  const left = before.split(':').filter(Boolean)
  const right = after.split(':').filter(Boolean)
  const middle = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return `${[...left, ...middle, ...right].slice(0, 4).join(':')}::/64`
}

/** Nothing younger than this is closed for being one of many: a burst of clients that all ask at once is no attack. */
const GRACE_MS = 1_000

function evict(all: readonly Held[], limits: Limits): readonly Evicted[] {
  const now = performance.now()
  for (const one of all) if (one.busy > 0) noteReading(one, now)
  const late = all.filter((one) => now - one.since > patience(one, limits))
  const waiting = all
    .filter((one) => one.busy === 0 && now - one.since > GRACE_MS)
    .filter(isOutside(late))
    .toSorted((a, b) => b.since - a.since)
  const beyond = [...byAddress(waiting).values()].flatMap((ones) => ones.slice(limits.waitingPerAddress))
  const left = waiting.filter(isOutside(beyond))
  const many = [...beyond, ...left.slice(limits.waiting)]
  for (const { socket } of [...late, ...many]) socket.destroy()
  return [...counted(late, 'late'), ...counted(many, 'many')]
}

function isOutside(ones: readonly Held[]): (one: Held) => boolean {
  const inside = new Set(ones)
  return (one) => !inside.has(one)
}

function byAddress(ones: readonly Held[]): ReadonlyMap<string, readonly Held[]> {
  const groups = new Map<string, Held[]>()
  for (const one of ones) {
    const group = groups.get(one.address)
    if (group) group.push(one)
    else groups.set(one.address, [one])
  }
  return groups
}

/** The polite answers to a late head come before this. */
const patience = ({ busy }: Held, { headersMs, requestMs, checkEveryMs }: Limits): number =>
  busy > 0 ? requestMs : headersMs + 2 * checkEveryMs

/** One that is being answered is late only if there is something to read and its client does not. */
function noteReading(one: Held, now: number): void {
  const { writableLength, bytesWritten } = one.socket
  const read = `${bytesWritten} ${writableLength}`
  if (writableLength === 0 || read !== one.read) one.since = now
  one.read = read
}

const counted = (ones: readonly Held[], why: Evicted['why']): readonly Evicted[] =>
  [...byAddress(ones)].map(([address, { length: count }]) => ({
    address,
    count,
    why,
  }))
