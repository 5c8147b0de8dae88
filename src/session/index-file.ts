/** The list of sessions, remembered: `index.json` saves reading every log and may be deleted at any time. */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { writeAtomic } from '../lib/atomic-write.ts'
import type { SessionInfo } from '../protocol/session-api.ts'

const entrySchema = z.object({
  stamp: z.string(),
  info: z.object({
    id: z.string(),
    title: z.string(),
    cwd: z.string(),
    createdAt: z.number(),
    updatedAt: z.number(),
    messages: z.number(),
    isPacket: z.literal(true).exactOptional(),
  }),
})

export type IndexEntry = { readonly stamp: string; readonly info: SessionInfo }

/** A missing or broken index is an empty one: it is rebuilt from the logs. */
export async function loadIndex(path: string): Promise<ReadonlyMap<string, IndexEntry>> {
  try {
    const entries = z.array(entrySchema).parse(JSON.parse(await readFile(path, 'utf8')))
    return new Map(entries.map((entry) => [entry.info.id, entry]))
  } catch {
    return new Map()
  }
}

/** Best effort: a list that cannot be remembered is made again next time. */
export async function saveIndex(path: string, entries: readonly IndexEntry[]): Promise<void> {
  await writeAtomic(path, JSON.stringify(entries), { mode: 0o600 }).catch(() => undefined)
}
