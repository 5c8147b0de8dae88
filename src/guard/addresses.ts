/**
 * Which network addresses are somewhere else than the public internet. Addresses that carry another one inside (mapped,
 * translated, tunnelled) are judged by what they carry.
 */
import { BlockList, isIP, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/** Why nothing is fetched from this address; `undefined` for a public one. */
export function refusedAddress(address: string): string | undefined {
  const family = isIP(address)
  if (family === 0) return 'is not an address'
  const carried = isIPv6(address) ? carriedAddress(address) : undefined
  if (carried !== undefined) return refusedAddress(carried)
  if (isOwn(address)) return 'is an address of this machine'
  if (family === 6 && isTunnel(address)) return 'is a tunnel'
  if (family === 6 && !publicV6.check(address, 'ipv6')) return 'is not public'
  return reserved.check(address, family === 6 ? 'ipv6' : 'ipv4') ? 'is private or reserved' : undefined
}

const reserved = new BlockList()
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT, and a cloud's metadata
  '127.0.0.0/8',
  '168.63.129.16/32', // a cloud's metadata
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]) {
  const [network = '', prefix] = range.split('/')
  reserved.addSubnet(network, Number(prefix), 'ipv4')
}
for (const range of [
  '2001::/23', //     tunnels and protocol assignments, Teredo among them
  '2001:db8::/32', // documentation
  '2002::/16', //     6to4: deprecated, and it can carry any IPv4 address
  '3fff::/20', //     documentation
]) {
  const [network = '', prefix] = range.split('/')
  reserved.addSubnet(network, Number(prefix), 'ipv6')
}

/** All that has been given out for public use. */
const publicV6 = new BlockList()
publicV6.addSubnet('2000::', 3, 'ipv6')

/** Prefixes behind which the last 32 bits are an IPv4 address. */
const CARRIERS = new Set(
  ['::ffff:0:0', '::ffff:0:0:0', '::', '64:ff9b::'].map((prefix) => toGroups(prefix).slice(0, 6).join(':')),
)

function carriedAddress(address: string): string | undefined {
  const groups = toGroups(address)
  const [high = 0, low = 0] = groups.slice(6)
  const isLoopback = groups.slice(0, 7).every((group) => group === 0) && low <= 1
  if (isLoopback || !CARRIERS.has(groups.slice(0, 6).join(':'))) return undefined
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** ISATAP: the last half names an IPv4 host of some private network. */
const isTunnel = (address: string): boolean =>
  /^(?:0|512):24318$/.test(toGroups(address).slice(4, 6).join(':'))

/** The eight numbers of an IPv6 address, however it is written. */
function toGroups(address: string): readonly number[] {
  const plain = address
    .replace(/%.*$/, '')
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
      const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number)
      return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
    })
  const [head = '', tail] = plain.split('::')
  const numbers = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const left = numbers(head)
  const right = numbers(tail ?? '')
  const gap = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => 0)
  return tail === undefined ? left : [...left, ...gap, ...right]
}

const isOwn = (address: string): boolean =>
  Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .some((own) => toGroupsOf(own.address) === toGroupsOf(address))

const toGroupsOf = (address: string): string => (isIPv6(address) ? toGroups(address).join(':') : address)
