/** What was allowed for good, what is trusted, what confines commands and what was refused, for the page. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { readEnd } from '../../lib/read-end.ts'
import { readRegular } from '../../lib/read-regular.ts'
import type { SandboxView, Trust } from '../../protocol/guard.ts'
import type { AuditLine, PageService, SafetyView } from '../../protocol/page.ts'
import type { AppContext } from '../open.ts'

export type SafetyParts = {
  readonly context: Pick<AppContext, 'config' | 'guards' | 'paths'>
  openTrust(): Promise<Trust>
  describeSandbox(): Promise<SandboxView>
}

/** Looking at every mount takes a while, and they change only with the configuration. */
const SANDBOX_MS = 60_000

export function safetyService(parts: SafetyParts): Pick<PageService, 'safety' | 'removeRule' | 'distrust'> {
  const { context, openTrust, describeSandbox } = parts
  const { book } = context.guards
  let seen: { readonly at: number; readonly view: Promise<SandboxView> } | undefined
  const sandbox = (): Promise<SandboxView> => {
    if (!seen || performance.now() - seen.at > SANDBOX_MS)
      seen = { at: performance.now(), view: describeSandbox() }
    return seen.view
  }
  return {
    async safety() {
      return {
        mode: context.config.permission.mode,
        rules: book?.list() ?? [],
        trusted: await trustedOf(await openTrust()),
        sandbox: await sandbox(),
        audit: await readAudit(join(context.paths.dataFolder, 'audit.log')),
      }
    },
    async removeRule(index, { tool, pattern }) {
      const rule = book?.list()[index]
      if (!book || rule?.tool !== tool || rule.pattern !== pattern) return false
      return (await book.remove(index)) !== undefined
    },
    distrust: async (path) => (await openTrust()).remove(path),
  }
}

const MAX_FILE = 16 * 1024 * 1024

const trustedOf = (trust: Trust): Promise<SafetyView['trusted']> =>
  Promise.all(
    trust.list().map(async ({ path, contentHash, addedAt }) => {
      const file = await readRegular(path, MAX_FILE).catch(() => undefined)
      const hash = file && createHash('sha256').update(file.bytes).digest('hex')
      return { path, addedAt, isCurrent: hash === contentHash }
    }),
  )

const Line = z.object({
  at: z.string(),
  what: z.string(),
  tool: z.string(),
  targets: z.array(z.string()),
  why: z.string(),
  by: z.string(),
})

const MOST_LINES = 200

/** The end of it; a first line that was cut is left out, as is what cannot be read. */
export const readAudit = async (path: string): Promise<readonly AuditLine[]> =>
  (await readEnd(path)).flatMap(toAudit).slice(-MOST_LINES).reverse()

function toAudit(line: string): readonly AuditLine[] {
  try {
    return [Line.parse(JSON.parse(line))]
  } catch {
    return []
  }
}
