/**
 * Who may come in. A token has 256 random bits and is shown once; the file (0600, replaced as a whole) keeps only its
 * SHA-256 with a name and scopes. It is looked at again whenever it changed: what is revoked is out at the next
 * request.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { errnoOf, storageError, writeAtomic } from '../../lib/atomic-write.ts'
import { waitForLock } from '../../lib/lock.ts'
import { AppError } from '../../protocol/error.ts'
import { type Scope, scopes } from './route.ts'

const Stored = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  scopes: z.array(z.enum(scopes)).min(1),
  createdAt: z.iso.datetime(),
  /** Absent = until it is revoked. */
  expiresAt: z.iso.datetime().exactOptional(),
})

const TokenFile = z.strictObject({ version: z.literal(1), tokens: z.array(Stored) })

type StoredToken = z.output<typeof Stored>

export type Tokens = {
  /** Without those that have expired. */
  list(): Promise<readonly StoredToken[]>
  /** The token itself, for the only time. */
  add(name: string, allowed: readonly Scope[], options?: { readonly ttlMs?: number }): Promise<string>
  /** False when there is none of this name. */
  remove(name: string): Promise<boolean>
  /** Whose token this is; takes as long for a wrong one. */
  find(token: string): Promise<StoredToken | undefined>
  /** Called when one was removed through these Tokens; returns the end of that. */
  readonly onRevoke: (listener: () => void) => () => void
}

/** The tokens of a data folder, for its server and for the commands that list, create and revoke them. */
export const tokensIn = (dataFolder: string): Tokens => openTokens(join(dataFolder, 'tokens'))

export function openTokens(path: string, now: () => number = Date.now): Tokens {
  let known: Known | undefined
  const listeners = new Set<() => void>()
  const read = async (): Promise<Known> => {
    const stamp = stampOf(path)
    if (known?.stamp !== stamp) known = toKnown(stamp, await load(path))
    return known
  }
  const isValid = ({ expiresAt }: StoredToken): boolean =>
    expiresAt === undefined || Date.parse(expiresAt) > now()
  const list = async (): Promise<readonly StoredToken[]> => (await read()).tokens.filter(isValid)
  const write = (tokens: readonly StoredToken[]): Promise<void> =>
    writeAtomic(path, `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`, { mode: 0o600 })
  return {
    list,
    add: (name, allowed, { ttlMs } = {}) =>
      withLock(path, async () => {
        const tokens = await list()
        const token = `covey_${randomBytes(32).toString('base64url')}`
        const stored = Stored.safeParse({
          name,
          sha256: digestOf(token).toString('hex'),
          scopes: allowed,
          createdAt: toIso(now()),
          ...(ttlMs !== undefined && { expiresAt: toIso(now() + ttlMs) }),
        })
        if (!stored.success) throw badName(name)
        if (tokens.some((other) => other.name === name)) throw taken(name)
        await write([...tokens, stored.data])
        return token
      }),
    remove: (name) =>
      withLock(path, async () => {
        const tokens = await list()
        const left = tokens.filter((token) => token.name !== name)
        if (left.length === tokens.length) return false
        await write(left)
        for (const listener of listeners) listener()
        return true
      }),
    onRevoke(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async find(token) {
      const found = match(await read(), digestOf(token))
      return found && isValid(found) ? found : undefined
    },
  }
}

const toIso = (at: number): string => new Date(at).toISOString()

/** What the file held when it was last looked at; the digests are ready to be compared. */
type Known = {
  readonly stamp: string
  readonly tokens: readonly StoredToken[]
  readonly digests: readonly Buffer[]
}

const toKnown = (stamp: string, tokens: readonly StoredToken[]): Known => ({
  stamp,
  tokens,
  digests: tokens.map(({ sha256 }) => Buffer.from(sha256, 'hex')),
})

/** Adding and revoking replace the whole file: of two at once, one waits for the other and then reads what it wrote. */
async function withLock<T>(path: string, change: () => Promise<T>): Promise<T> {
  const lock = await waitForLock(path)
  try {
    return await change()
  } finally {
    await lock.release()
  }
}

const taken = (name: string): AppError =>
  new AppError('config-invalid', `there is a token "${name}" already; \`covey token rm ${name}\` revokes it.`)

const badName = (name: string): AppError =>
  new AppError('config-invalid', `"${name}" is not a valid name for a token: ${NAME_RULE}`)

const NAME_RULE = 'letters, digits, dot, dash and underscore, 64 at most.'

const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer')

/** Looks at every one of them, so that the time taken tells nothing. */
function match({ tokens, digests }: Known, given: Buffer): StoredToken | undefined {
  let found: StoredToken | undefined
  for (const [index, digest] of digests.entries()) {
    if (timingSafeEqual(digest, given)) found = tokens[index]
  }
  return found
}

/**
 * Another file has another inode: replacing it within one tick of the clock is noticed too. Synchronous, because it is
 * done for every request: microseconds here, a tenth of a millisecond through the thread pool.
 */
function stampOf(path: string): string {
  try {
    const info = statSync(path, { bigint: true, throwIfNoEntry: false })
    return info ? `${info.ino}-${info.mtimeNs}-${info.size}` : ''
  } catch (error) {
    throw storageError(path, error)
  }
}

async function load(path: string): Promise<readonly StoredToken[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw storageError(path, error)
  })
  if (text === undefined) return []
  try {
    return TokenFile.parse(JSON.parse(text)).tokens
  } catch (error) {
    const message = `${path} is damaged; correct it, or delete it and make new tokens with \`covey token add\`.`
    throw new AppError('config-invalid', message, { cause: error })
  }
}
