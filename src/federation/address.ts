/**
 * Which address this machine advertises. Private ranges first, because the user's other machines can
 * reach; bridges of containers and virtual machines later, because no machine outside can. Pure.
 */
import type { NetworkInterfaceInfo } from 'node:os'
import { AppError } from '../protocol/error.ts'

export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

export type AddressChoice = { readonly address: string; readonly why: string }

/** Best first; loopback last. */
export function rankAddresses(interfaces: Interfaces): readonly AddressChoice[] {
  const all = Object.entries(interfaces).flatMap(([name, list]) =>
    (list ?? []).flatMap(({ address, internal, scopeid }) => {
      // A link-local address means nothing without the name of an interface, which differs on every machine.
      if (scopeid !== undefined && scopeid !== 0) return []
      return [{ address, ...judge(name, address, internal) }]
    }),
  )
  return all
    .toSorted((one, other) => one.rank - other.rank || (one.address < other.address ? -1 : 1))
    .map(({ address, why }) => ({ address, why }))
}

type Judgement = { readonly rank: number; readonly why: string }

function judge(name: string, address: string, internal: boolean): Judgement {
  if (internal) return { rank: 100, why: `only this machine reaches it (${name})` }
  const range = ranges.findIndex(({ test }) => test(address))
  const found = ranges[range]
  const bridge = BRIDGE.test(name) ? 50 : 0
  const kind = found ? `private range ${found.name}` : 'a public address'
  const note = bridge > 0 ? ', but a bridge of containers' : ''
  return { rank: (found ? range : ranges.length) + bridge, why: `${kind} on ${name}${note}` }
}

const BRIDGE = /^(docker|br-|veth|virbr|cni|flannel|podman|lxc|lxd|vmnet|vboxnet|bridge\d|kube)/

/** In the order of how likely they are a home or office network. */
const ranges: readonly { readonly name: string; test(address: string): boolean }[] = [
  { name: '192.168/16', test: (address) => address.startsWith('192.168.') },
  { name: '10/8', test: (address) => address.startsWith('10.') },
  { name: '172.16/12', test: (address) => /^172\.(1[6-9]|2\d|3[01])\./.test(address) },
  { name: '100.64/10', test: (address) => /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./.test(address) },
  { name: 'fd00::/8', test: (address) => /^fd[0-9a-f]{2}:/i.test(address) },
]

const isLoopback = (host: string): boolean => host === 'localhost' || /^127\.|^(\[?::1\]?)$/.test(host)

const isEvery = (host: string): boolean => host === '0.0.0.0' || host === '::' || host === '[::]'

/** What is advertised for the chosen address; `0.0.0.0` leaves the choice to us. */
export function advertised(host: string, interfaces: Interfaces): readonly AddressChoice[] {
  if (!isEvery(host)) return [{ address: host.replace(/^\[(.*)\]$/, '$1'), why: 'given by --host' }]
  return rankAddresses(interfaces).filter(({ address }) => !isLoopback(address))
}

/** Peers must be able to reach the advertised address; the error names the command to type. */
export function requireReachable(host: string | undefined, interfaces: Interfaces): string {
  if (host !== undefined && !isLoopback(host)) return host
  const best = rankAddresses(interfaces).find(({ address }) => !isLoopback(address))
  const problem =
    host === undefined
      ? '--federation needs the address at which other machines reach this one'
      : `no other machine reaches ${host}`
  const advice = best
    ? `type \`covey serve --federation --host ${best.address}\` (${best.why})`
    : 'this machine has no other address; connect it to a network first'
  throw new AppError('config-invalid', `${problem}; ${advice}.`)
}
