/**
 * Who speaks on the broker. A machine's id is the fingerprint of its Ed25519 key, the same as on the local network; its
 * card binds the key that others seal to, to that id, by a signature. So a broker can show no false key for an id, and
 * trusting an id is enough.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { z } from 'zod'
import { fromRaw, toRaw } from './seal.ts'

const bytes = z.string().max(200)

export const cardSchema = z.object({
  /** The Ed25519 public key, DER. */
  identity: bytes,
  /** The X25519 public key, raw. */
  seal: bytes,
  /** Of the one over the other. */
  signature: bytes,
})
export type Card = z.output<typeof cardSchema>

/** A machine as its card shows it, once the signature was checked. */
export type Holder = { readonly id: string; readonly seal: KeyObject }

/** `identity` is the machine's private Ed25519 key. */
export function createCard(identity: KeyObject): Card {
  const raw = toRaw(createPublicKey(sealKeyOf(identity)))
  return {
    identity: createPublicKey(identity).export({ type: 'spki', format: 'der' }).toString('base64url'),
    seal: raw.toString('base64url'),
    signature: sign(null, statement(raw), identity).toString('base64url'),
  }
}

/** Undefined for a card without a valid signature. */
export function readCard(card: Card): (Holder & { readonly identity: KeyObject }) | undefined {
  const { identity, seal, signature } = card
  try {
    const der = Buffer.from(identity, 'base64url')
    const key = createPublicKey({ key: der, type: 'spki', format: 'der' })
    const raw = Buffer.from(seal, 'base64url')
    if (key.asymmetricKeyType !== 'ed25519') return undefined
    if (!verify(null, statement(raw), key, Buffer.from(signature, 'base64url'))) return undefined
    // Of the key written anew: two spellings of one key must not be two machines.
    const id = createHash('sha256')
      .update(key.export({ type: 'spki', format: 'der' }))
      .digest('hex')
    return { id, seal: fromRaw(raw), identity: key }
  } catch {
    return undefined
  }
}

const statement = (seal: Uint8Array): Buffer => Buffer.concat([Buffer.from('covey nats seal key\n'), seal])

/**
 * The key others seal to, drawn from the identity: one secret on the disk is enough. A one-way function stands between
 * the two, so neither use of the secret helps against the other.
 */
export function sealKeyOf(identity: KeyObject): KeyObject {
  const seed = Buffer.from(identity.export({ format: 'jwk' }).d ?? '', 'base64url')
  const raw = Buffer.from(hkdfSync('sha256', seed, Buffer.alloc(0), 'covey nats seal key', 32))
  return createPrivateKey({ key: Buffer.concat([PKCS8_X25519, raw]), format: 'der', type: 'pkcs8' })
}

/** What stands before the 32 bytes of an X25519 key in PKCS#8 (RFC 8410). */
const PKCS8_X25519 = Buffer.from('302e020100300506032b656e04220420', 'hex')
