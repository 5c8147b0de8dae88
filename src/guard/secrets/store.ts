/**
 * What a session keeps about its secrets on disk: `secrets.jsonl` beside its log, and one key for all sessions, so that
 * an attacker with the session alone cannot try passwords against its hashes.
 */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { errnoOf, storageError, writeAtomic } from '../../lib/atomic-write.ts'
import { ensureFolder } from '../../lib/ensure-folder.ts'
import { openJsonl } from '../../lib/jsonl/file.ts'
import { waitForLock } from '../../lib/lock.ts'
import type { SecretRecord } from '../../protocol/firewall.ts'

export type SecretStore = {
  /** What was kept before. */
  readonly records: readonly SecretRecord[]
  keep(record: SecretRecord): void
  close(): Promise<void>
}

export async function openSecretStore(path: string): Promise<SecretStore> {
  const records: SecretRecord[] = []
  const { file } = await openJsonl(path, (record) => {
    const reading = secretRecord.safeParse(record)
    if (reading.success) records.push(reading.data)
  })
  return { records, keep: (record) => file.append(record), close: () => file.close() }
}

const secretRecord = z.discriminatedUnion('type', [
  z.object({ type: z.literal('start'), tag: z.string().regex(/^[a-z0-9]{4}$/) }),
  z.object({
    type: z.literal('secret'),
    number: z.int().positive(),
    kind: z.string().regex(/^[a-z0-9-]{1,40}$/),
    hash: z.string(),
    length: z.int().positive(),
    path: z.string().exactOptional(),
    offset: z.int().nonnegative().exactOptional(),
  }),
])

const KEY_BYTES = 32

/** The key of this installation; made on first use, for its owner's eyes only. */
export async function loadSecretKey(path: string): Promise<Uint8Array> {
  return (await readKey(path)) ?? makeKey(path)
}

/** Whole or not at all: half a key, left by a full disk, would keep every later session from opening. */
async function makeKey(path: string): Promise<Uint8Array> {
  await ensureFolder(dirname(path))
  const lock = await waitForLock(path)
  try {
    const found = await readKey(path)
    if (found) return found
    const made = randomBytes(KEY_BYTES)
    await writeAtomic(path, made, { mode: 0o600 })
    return made
  } finally {
    await lock.release()
  }
}

async function readKey(path: string): Promise<Uint8Array | undefined> {
  const key = await readFile(path).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw storageError(path, error)
  })
  if (key === undefined || key.length === KEY_BYTES) return key
  throw storageError(path, new Error(`it should hold ${KEY_BYTES} bytes; remove it and start again`))
}
