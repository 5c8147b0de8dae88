/**
 * What one person reads out or pastes to another: where the machine is, which key it has, and a secret that is good once.
 * Pure. `covey1-` and base64url of: secret 16, key fingerprint 32, port 2, then each address with its length.
 */
import { isIP } from 'node:net'
import { AppError } from '../protocol/error.ts'

export type InviteCode = {
  /** 128 bits. */
  readonly secret: Uint8Array
  /** Whose key has to answer. */
  readonly id: string
  readonly port: number
  /** Numbers, not names; the likeliest first. */
  readonly addresses: readonly string[]
}

const PREFIX = 'covey1-'
export const SECRET_BYTES = 16
const ID_BYTES = 32
const MAX_ADDRESSES = 8

export function writeInviteCode({ secret, id, port, addresses }: InviteCode): string {
  const places = addresses.slice(0, MAX_ADDRESSES).map((address) => Buffer.from(address, 'latin1'))
  const bytes = Buffer.concat([
    secret,
    Buffer.from(id, 'hex'),
    Buffer.from([port >> 8, port & 255]),
    ...places.flatMap((place) => [Buffer.from([place.length]), place]),
  ])
  return PREFIX + bytes.toString('base64url')
}

export function readInviteCode(text: string): InviteCode {
  const code = text.trim()
  const bytes = Buffer.from(code.slice(PREFIX.length), 'base64url')
  const head = SECRET_BYTES + ID_BYTES + 2
  if (!code.startsWith(PREFIX) || bytes.length <= head) throw noCode()
  const addresses = readAddresses(bytes.subarray(head))
  return {
    secret: Uint8Array.from(bytes.subarray(0, SECRET_BYTES)),
    id: bytes.subarray(SECRET_BYTES, SECRET_BYTES + ID_BYTES).toString('hex'),
    port: bytes.readUInt16BE(SECRET_BYTES + ID_BYTES),
    addresses,
  }
}

function readAddresses(bytes: Buffer): readonly string[] {
  const addresses: string[] = []
  for (let at = 0; at < bytes.length; at += 1 + (bytes[at] ?? 0)) {
    const end = at + 1 + (bytes[at] ?? 0)
    const address = bytes.subarray(at + 1, end).toString('latin1')
    if (end > bytes.length || isIP(address) === 0) throw noCode()
    addresses.push(address)
  }
  if (addresses.length > MAX_ADDRESSES) throw noCode()
  return addresses
}

const noCode = () =>
  new AppError(
    'config-invalid',
    'this is not an invitation, or a part of it is missing; copy the whole line that `covey peers invite` printed.',
  )
