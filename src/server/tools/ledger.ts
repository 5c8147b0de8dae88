/**
 * What makes a call with a key happen at most once. That a call begins is on disk before it runs; so after a crash the
 * key says that its outcome is unknown, and nothing runs again. A key is never forgotten early to make room: when
 * there is no room, calls are refused. One file per key, named by its hash; results are there, arguments only as a
 * hash.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { storageError, writeAtomic } from '../../lib/atomic-write.ts'
import { AppError, type FailureCode } from '../../protocol/error.ts'
import type { HostedResult } from '../../protocol/tool-host.ts'

type LedgerKey = {
  /** Keys of one client are nothing to another. */
  readonly client: string
  readonly key: string
  /** What is asked for, in canonical form. */
  readonly request: string
}

export type Ledger = {
  /** Runs it, or gives what the first call with this key gave. Throws where the key stands for another request. */
  once(key: LedgerKey, run: () => Promise<HostedResult>): Promise<HostedResult>
}

export type LedgerParts = {
  readonly folder: string
  readonly keepMs?: number
  readonly maxKeys?: number
  readonly maxBytes?: number
  readonly now?: () => number
}

const DAY_MS = 24 * 60 * 60 * 1000

/** The time since this program was started only counts: a clock that is set forward would make it forget keys. */
const counted = (): number => performance.timeOrigin + performance.now()

const Entry = z.strictObject({
  version: z.literal(1),
  request: z.string(),
  at: z.number(),
  /** Absent until it ended. */
  result: z
    .strictObject({ ok: z.boolean(), text: z.string(), code: z.string().exactOptional() })
    .exactOptional(),
})
type Entry = z.output<typeof Entry>

/** Belongs to one process, which holds the lock of its folder. */
export async function openLedger(parts: LedgerParts): Promise<Ledger> {
  const { folder, keepMs = DAY_MS, maxKeys = 50_000, maxBytes = 2 ** 30, now = counted } = parts
  const known = await scan(folder)
  const running = new Map<string, { readonly request: string; readonly result: Promise<HostedResult> }>()

  const write = async (name: string, entry: Entry): Promise<void> => {
    const text = `${JSON.stringify(entry)}\n`
    await writeAtomic(join(folder, name), text, { mode: 0o600 })
    known.set(name, { at: entry.at, bytes: Buffer.byteLength(text) })
  }
  const forget = async (name: string): Promise<void> => {
    await rm(join(folder, name), { force: true })
    known.delete(name)
  }
  const expire = async (): Promise<void> => {
    const old = [...known].filter(([name, { at }]) => at < now() - keepMs && !running.has(name))
    for (const [name] of old) await forget(name)
  }
  const requireRoom = async (): Promise<void> => {
    const isFull = (): boolean =>
      known.size >= maxKeys || [...known.values()].reduce((sum, { bytes }) => sum + bytes, 0) >= maxBytes
    // Looking at every key is only worth it now and then.
    if (known.size % 100 === 0 || isFull()) await expire()
    if (isFull()) throw new AppError('rate-limited', FULL, { retryAfterMs: 60_000 })
  }
  const begin = async (name: string, request: string, run: () => Promise<HostedResult>) => {
    await requireRoom()
    const entry: Entry = { version: 1, request, at: now() }
    await write(name, entry)
    const result = await run().catch(async (error: unknown) => {
      if (isRefusal(error)) await forget(name)
      throw error
    })
    // It has happened, whether or not the disk takes it; if not, the key says so from now on.
    await write(name, { ...entry, result: { ...result } }).catch(() => undefined)
    return result
  }

  return {
    async once({ client, key, request }, run) {
      const name = `${hash(JSON.stringify([client, key]))}.json`
      const asked = hash(request)
      const twin = running.get(name)
      if (twin) return twin.request === asked ? twin.result : refuse()
      const result = earlier(folder, name, asked).then((entry) => entry ?? begin(name, asked, run))
      running.set(name, { request: asked, result })
      return result.finally(() => running.delete(name))
    },
  }
}

/** Nothing was run. */
const isRefusal = (error: unknown): boolean => error instanceof AppError && error.code === 'request-invalid'

const FULL =
  'This tool host remembers too many calls of the last day; wait, or send calls without an idempotency_key.'

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

async function scan(folder: string): Promise<Map<string, { at: number; bytes: number }>> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const names = (await readdir(folder)).filter((name) => /^[0-9a-f]{64}\.json$/.test(name))
  const infos = await Promise.all(
    names.map(async (name) => {
      const { mtimeMs, size } = await stat(join(folder, name))
      return [name, { at: mtimeMs, bytes: size }] as const
    }),
  )
  return new Map(infos)
}

/** What this key came to before; nothing if it is new. */
async function earlier(folder: string, name: string, asked: string): Promise<HostedResult | undefined> {
  const path = join(folder, name)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw storageError(path, error)
  })
  if (text === undefined) return undefined
  const entry = readEntry(text)
  // A damaged file still says that the key was used.
  if (!entry) return UNKNOWN
  if (entry.request !== asked) return refuse()
  if (!entry.result) return UNKNOWN
  const { code, ...rest } = entry.result
  return { ...rest, ...(code !== undefined && { code: code as FailureCode }) }
}

function readEntry(text: string): Entry | undefined {
  try {
    return Entry.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

const UNKNOWN: HostedResult = {
  ok: false,
  code: 'unknown-outcome',
  text: 'unknown outcome: this call was begun and its end was never recorded. Look at what is there before trying again with a new key.',
}

function refuse(): never {
  throw new AppError(
    'request-invalid',
    'This idempotency_key was used for another call; choose a new key for a new call.',
    { status: 409 },
  )
}
