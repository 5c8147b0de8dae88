/**
 * What servers have, kept from last time, so that a session can offer their tools without starting one. Pinned by a hash
 * of how the server is started: another program, argument or address is another server. Only a cache: what is lost or
 * damaged is asked for again.
 */
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { writeAtomic } from '../lib/atomic-write.ts'
import { shortHash } from '../lib/hash.ts'
import { canonicalJson } from '../lib/json.ts'
import type { ServerSettings } from './connection.ts'
import { type DeclaredTool, declaredToolSchema } from './declared.ts'

const Stored = z.strictObject({ version: z.literal(1), tools: z.array(declaredToolSchema) })

const MAX_BYTES = 16 * 1024 * 1024

export async function readCached(
  folder: string,
  settings: ServerSettings,
): Promise<readonly DeclaredTool[] | undefined> {
  const path = join(folder, fileOf(settings))
  try {
    if ((await stat(path)).size > MAX_BYTES) return undefined
    return Stored.parse(JSON.parse(await readFile(path, 'utf8'))).tools
  } catch {
    return undefined
  }
}

export async function writeCached(
  folder: string,
  settings: ServerSettings,
  tools: readonly DeclaredTool[],
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = fileOf(settings)
  await writeAtomic(join(folder, name), `${JSON.stringify({ version: 1, tools })}\n`, { mode: 0o600 })
  const isOlder = (other: string): boolean => other !== name && other.startsWith(beginning(settings))
  const older = (await readdir(folder)).filter(isOlder)
  await Promise.all(older.map((other) => rm(join(folder, other), { force: true })))
}

/** Values of variables and headers may be secrets, and change without changing what the server has. */
const fileOf = (settings: ServerSettings): string => {
  const { command, args, url, env, headers } = settings
  const pin = canonicalJson({ command, args, url, env: Object.keys(env), headers: Object.keys(headers) })
  return `${beginning(settings)}${shortHash(pin)}.json`
}

const beginning = ({ name }: ServerSettings): string => `${shortHash(name)}-`
