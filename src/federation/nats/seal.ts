/**
 * Sealing: what goes through the broker can be read only by its recipient. A body is locked with
 * a key of its own; that key is wrapped for each machine that may open it, from a fresh X25519 key (so that an old
 * recording stays closed) and the sender's own (which proves the sender). `context` says what a piece is
 * part of: moved elsewhere, it does not open.
 */
import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

export const newKey = (): Buffer => randomBytes(KEY_BYTES)

export function lock(key: Uint8Array, body: Uint8Array, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(context), { plaintextLength: body.length })
  return Buffer.concat([nonce, cipher.update(body), cipher.final(), cipher.getAuthTag()])
}

/** Nothing for what was not locked with this key in this context, or was changed since. */
export function unlock(key: Uint8Array, sealed: Uint8Array, context: string): Buffer | undefined {
  const length = sealed.length - NONCE_BYTES - TAG_BYTES
  if (length < 0) return undefined
  try {
    const nonce = sealed.subarray(0, NONCE_BYTES)
    const decipher = createDecipheriv('chacha20-poly1305', key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(context), { plaintextLength: length })
    decipher.setAuthTag(sealed.subarray(NONCE_BYTES + length))
    const body = decipher.update(sealed.subarray(NONCE_BYTES, NONCE_BYTES + length))
    return Buffer.concat([body, decipher.final()])
  } catch {
    return undefined
  }
}

/** `from` is the sender's private key, `to` the receiver's public one. */
export function wrapKey(key: Uint8Array, from: KeyObject, to: KeyObject, context: string): string {
  const fresh = generateKeyPairSync('x25519')
  const shared = [
    diffieHellman({ privateKey: fresh.privateKey, publicKey: to }),
    diffieHellman({ privateKey: from, publicKey: to }),
  ]
  const parties = [fresh.publicKey, createPublicKey(from), to]
  const wrapped = lock(derive(shared, parties), key, context)
  return Buffer.concat([toRaw(fresh.publicKey), wrapped]).toString('base64url')
}

/** `own` is the receiver's private key, `from` the public one the sender claims. Nothing where the claim is false. */
export function unwrapKey(
  wrapped: string,
  own: KeyObject,
  from: KeyObject,
  context: string,
): Buffer | undefined {
  try {
    const bytes = Buffer.from(wrapped, 'base64url')
    const fresh = fromRaw(bytes.subarray(0, KEY_BYTES))
    const shared = [
      diffieHellman({ privateKey: own, publicKey: fresh }),
      diffieHellman({ privateKey: own, publicKey: from }),
    ]
    const parties = [fresh, from, createPublicKey(own)]
    return unlock(derive(shared, parties), bytes.subarray(KEY_BYTES), context)
  } catch {
    // Bytes that are no point of the curve.
    return undefined
  }
}

/** The key for what comes back: every machine that could open the job has it, the job itself stays under its own. */
export const toReplyKey = (key: Uint8Array): Buffer => expand(key, Buffer.alloc(0), 'covey nats reply')

export const toRaw = (key: KeyObject): Buffer =>
  Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url')

/** Throws on what is no key. */
export const fromRaw = (raw: Uint8Array): KeyObject =>
  createPublicKey({
    key: { kty: 'OKP', crv: 'X25519', x: Buffer.from(raw).toString('base64url') },
    format: 'jwk',
  })

const derive = (shared: readonly Buffer[], parties: readonly KeyObject[]): Buffer =>
  expand(Buffer.concat(shared), Buffer.concat(parties.map(toRaw)), 'covey nats seal')

const expand = (secret: Uint8Array, salt: Uint8Array, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, KEY_BYTES))
