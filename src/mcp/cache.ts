/**
 * What servers have, kept from last time, so that a session can offer it without starting one. Pinned by a hash of how the
 * server is started: another program, argument or address is another server. Only a cache: what is lost or damaged is asked
 * for again, and what was not written for longest leaves first.
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { writeAtomic } from '../lib/atomic-write.ts'
import { ensureFolder } from '../lib/ensure-folder.ts'
import { shortHash } from '../lib/hash.ts'
import { canonicalJson } from '../lib/json.ts'
import type { ServerSettings } from './connection.ts'
import { type ServerOffer, serverOfferSchema } from './offer.ts'

/** A server as it is started from one folder, and where it is kept what it has. */
export type CacheKey = { readonly folder: string; readonly settings: ServerSettings; readonly cwd: string }

const Stored = z.strictObject({ version: z.literal(2), offer: serverOfferSchema })

const MAX_BYTES = 16 * 1024 * 1024
const MAX_FILES = 200

export async function readCached(place: CacheKey): Promise<ServerOffer | undefined> {
  const path = join(place.folder, fileOf(place))
  try {
    if ((await stat(path)).size > MAX_BYTES) return undefined
    return Stored.parse(JSON.parse(await readFile(path, 'utf8'))).offer
  } catch {
    return undefined
  }
}

export async function writeCached(place: CacheKey, offer: ServerOffer): Promise<void> {
  const { folder } = place
  await ensureFolder(folder)
  await writeAtomic(join(folder, fileOf(place)), `${JSON.stringify({ version: 2, offer })}\n`, {
    mode: 0o600,
  })
  await forgetOldest(folder)
}

/** Values of variables and headers may be secrets, and change without changing what the server has. */
function fileOf({ settings, cwd }: CacheKey): string {
  const { name, command, args, url, env, headers } = settings
  const started = { command, args, url, env: Object.keys(env), headers: Object.keys(headers) }
  const place = [command ?? '', ...args].some(isOfFolder) ? { cwd } : {}
  return `${shortHash(canonicalJson({ name, ...started, ...place }))}.json`
}

/** Another folder has another `./server.js`; a package or a program of the system is the same everywhere. */
const isOfFolder = (word: string): boolean =>
  /^\.{1,2}\/|^(?![-@/]|\w+:)[^\n]*\.(?:[cm]?[jt]s|py|rb|sh|jar)$/.test(word)

async function forgetOldest(folder: string): Promise<void> {
  const names = await readdir(folder)
  if (names.length <= MAX_FILES) return
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const found = await stat(path).catch(() => undefined)
      return { path, at: found?.mtimeMs ?? 0 }
    }),
  )
  const oldest = files.toSorted((a, b) => b.at - a.at).slice(MAX_FILES)
  await Promise.all(oldest.map(({ path }) => rm(path, { force: true })))
}
