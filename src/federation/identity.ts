/**
 * Who this machine is to others: an Ed25519 key, made once, in a certificate it signed itself. The certificate says
 * nothing: the other side compares the fingerprint of the key, and that is the machine's id.
 */
import { createHash, createPrivateKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto'
import { link, mkdir, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errnoOf, storageError, writeAtomic } from '../lib/atomic-write.ts'
import { AppError } from '../protocol/error.ts'
import { requirePrivate } from './nats/private-file.ts'

export type Identity = {
  /** SHA-256 of the public key, in hex. */
  readonly id: string
  /** PEM, for TLS. Never printed. */
  readonly key: string
  readonly certificate: string
}

/** The identity in this file; made where there is none yet. Of two processes that make one at once, the first wins. */
export async function openIdentity(path: string): Promise<Identity> {
  const there = await load(path)
  if (there) return there
  const made = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeAtomic(made, await makePem(), { mode: 0o600 })
    await link(made, path).catch((error: unknown) => {
      if (errnoOf(error) !== 'EEXIST') throw error
    })
  } catch (error) {
    throw storageError(path, error)
  } finally {
    await rm(made, { force: true })
  }
  const identity = await load(path)
  if (!identity) throw new AppError('storage-failed', `${path} vanished while it was made; try again.`)
  return identity
}

/** Nothing for a key of another kind: only what this program makes is a machine. */
export function idOf(certificate: X509Certificate): string | undefined {
  const { publicKey } = certificate
  if (publicKey.asymmetricKeyType !== 'ed25519') return undefined
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
}

/** Enough of an id for a person to tell machines apart. */
export const shortId = (id: string): string => id.slice(0, 8)

async function load(path: string): Promise<Identity | undefined> {
  const pem = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw storageError(path, error)
  })
  if (pem === undefined) return undefined
  await requirePrivate(path, "this machine's key")
  try {
    const [key = ''] = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----/.exec(pem) ?? []
    const [certificate = ''] = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(pem) ?? []
    const parsed = new X509Certificate(certificate)
    const id = idOf(parsed)
    if (id !== undefined && parsed.checkPrivateKey(createPrivateKey(key))) return { id, key, certificate }
  } catch {
    // Told below, together with what can be read but does not belong together.
  }
  const message = `${path} is damaged; delete it, then pair this machine again with \`covey peers invite\`.`
  throw new AppError('config-invalid', message)
}

/** Clocks of machines differ, and trust comes from the key: the certificate is valid at any time. */
const ALWAYS = { notBefore: new Date('2000-01-01'), notAfter: new Date('9999-12-31') }

/** The library takes half a second to load, and is needed once in the life of a machine. */
async function makePem(): Promise<string> {
  await import('reflect-metadata')
  const { X509CertificateGenerator } = await import('@peculiar/x509')
  const algorithm = { name: 'Ed25519' }
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair
  const certificate = await X509CertificateGenerator.createSelfSigned(
    { serialNumber: '01', name: 'CN=covey', ...ALWAYS, keys, signingAlgorithm: algorithm },
    webcrypto,
  )
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  return `${String(key.export({ type: 'pkcs8', format: 'pem' }))}${certificate.toString('pem')}\n`
}
