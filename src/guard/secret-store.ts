/**
 * What a session keeps about its secrets on disk: `secrets.jsonl` beside its log, and one key for all sessions, so that
 * whoever gets hold of a session alone cannot try passwords against its hashes.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { errnoOf, storageError } from '../lib/atomic-write.ts'
import { openJsonl } from '../lib/jsonl.ts'
import type { SecretRecord } from '../protocol/firewall.ts'

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
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  try {
    const handle = await open(path, 'wx', 0o600)
    try {
      await handle.writeFile(randomBytes(KEY_BYTES))
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw storageError(path, error)
  }
  const key = await readFile(path)
  // Another process may be writing it at this moment, or a full disk cut it short.
  if (key.length === KEY_BYTES) return key
  throw storageError(path, new Error(`it should hold ${KEY_BYTES} bytes; remove it and start again`))
}
