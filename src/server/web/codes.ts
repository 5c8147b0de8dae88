/**
 * Codes that open the page. `covey web` writes one beside the tokens and puts it into the address it opens; the page
 * redeems it for a token. A program that can write that folder could add a token there as well, so no running server has to
 * be asked. A code counts once, for a minute; the file keeps only its hash.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { writeAtomic } from '../../lib/atomic-write.ts'
import { ensureFolder } from '../../lib/ensure-folder.ts'
import { waitForLock } from '../../lib/lock.ts'
import { type Scope, scopes } from '../http/route.ts'

export type Codes = {
  create(allowed: readonly Scope[]): Promise<string>
  /** What it allows; undefined for one that is wrong, used or too old. Two at once: only one gets it. */
  redeem(code: string): Promise<readonly Scope[] | undefined>
}

const LIFETIME_MS = 60_000
const MAX_CODES = 100

const Stored = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  scopes: z.array(z.enum(scopes)).min(1),
  expiresAt: z.number(),
})
const CodeFile = z.object({ codes: z.array(Stored) })
type StoredCode = z.output<typeof Stored>

export const codesIn = (dataFolder: string): Codes => openCodes(join(dataFolder, 'page-codes'))

export function openCodes(path: string, now: () => number = Date.now): Codes {
  const valid = async () => (await load(path)).filter(({ expiresAt }) => expiresAt > now())
  const change = async <T>(work: (codes: readonly StoredCode[]) => readonly [readonly StoredCode[], T]) => {
    await ensureFolder(dirname(path))
    const lock = await waitForLock(path)
    try {
      const [left, result] = work(await valid())
      await writeAtomic(path, `${JSON.stringify({ codes: left.slice(-MAX_CODES) })}\n`, { mode: 0o600 })
      return result
    } finally {
      await lock.release()
    }
  }
  return {
    create(allowed) {
      const code = randomBytes(24).toString('base64url')
      const sha256 = digestOf(code).toString('hex')
      const stored = { sha256, scopes: [...allowed], expiresAt: now() + LIFETIME_MS }
      return change((codes) => [[...codes, stored], code])
    },
    async redeem(code) {
      // Anyone may ask: the lock and the disk are only for a code that is right.
      if (!find(await valid(), code)) return undefined
      return change((codes) => {
        const found = find(codes, code)
        return [codes.filter((other) => other !== found), found?.scopes]
      })
    },
  }
}

const digestOf = (code: string): Buffer => hash('sha256', code, 'buffer')

function find(codes: readonly StoredCode[], code: string): StoredCode | undefined {
  const given = digestOf(code)
  return codes.find(({ sha256 }) => timingSafeEqual(Buffer.from(sha256, 'hex'), given))
}

/** A missing or damaged file holds no code. */
async function load(path: string): Promise<readonly StoredCode[]> {
  try {
    return CodeFile.parse(JSON.parse(await readFile(path, 'utf8'))).codes
  } catch {
    return []
  }
}
