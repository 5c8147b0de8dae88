/** Asks a server what it has, page by page. One bad claim costs no other, and a thousand of them one warning. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { errorMessage } from '../protocol/error.ts'
import { declaredToolSchema } from './declared.ts'
import type { ServerOffer } from './offer.ts'
import { declaredPromptSchema } from './prompts.ts'

export type OfferParts = {
  readonly client: Client
  readonly timeoutMs: number
  warn(message: string): void
}

export async function readOffer(parts: OfferParts): Promise<ServerOffer> {
  const { client, warn } = parts
  const claims = client.getServerCapabilities() ?? {}
  return {
    tools: await readAll(parts, 'tools', declaredToolSchema),
    prompts: claims.prompts
      ? await readAll(parts, 'prompts', declaredPromptSchema).catch((error: unknown) => {
          warn(`its prompts cannot be listed: ${errorMessage(error)}`)
          return []
        })
      : [],
    hasResources: claims.resources !== undefined,
  }
}

const MAX_PAGES = 20
const MAX_LISTED = 200

async function readAll<Claim>(
  parts: OfferParts,
  what: 'tools' | 'prompts',
  schema: z.ZodType<Claim>,
): Promise<Claim[]> {
  const readings: z.ZodSafeParseResult<Claim>[] = []
  let cursor: string | undefined
  let left = MAX_PAGES
  do {
    const page = await readPage(parts, what, cursor)
    readings.push(...page.claims.slice(0, MAX_LISTED + 1).map((claim) => schema.safeParse(claim)))
    cursor = page.next
  } while (cursor !== undefined && --left > 0 && readings.length <= MAX_LISTED)
  const good = readings.flatMap((reading) => (reading.success ? [reading.data] : []))
  tellWhatIsLeftOut(parts, what, readings)
  return good.slice(0, MAX_LISTED)
}

function tellWhatIsLeftOut(
  { warn }: OfferParts,
  what: string,
  readings: readonly z.ZodSafeParseResult<unknown>[],
): void {
  if (readings.length > MAX_LISTED) warn(`only ${MAX_LISTED} of its ${what} are used`)
  const wrong = readings.flatMap(({ error }) => error?.issues.slice(0, 1) ?? [])
  const [first] = wrong
  if (first)
    warn(`${wrong.length} of its ${what} left out (${first.path.map(String).join('.')} ${first.message})`)
}

const pageSchema = z.record(z.string(), z.unknown())

async function readPage(
  { client, timeoutMs }: OfferParts,
  what: 'tools' | 'prompts',
  cursor: string | undefined,
): Promise<{ readonly claims: readonly unknown[]; readonly next?: string }> {
  const request = { method: `${what}/list`, params: cursor === undefined ? {} : { cursor } }
  const page = await client.request(request, pageSchema, { timeout: timeoutMs }).catch((error: unknown) => {
    // A server may have resources and prompts only.
    if (error instanceof McpError && error.code === ErrorCode.MethodNotFound) return { [what]: [] }
    throw error
  })
  const { [what]: claims, nextCursor: next } = page
  return {
    claims: Array.isArray(claims) ? claims : [],
    ...(typeof next === 'string' && next.length <= MAX_CURSOR && { next }),
  }
}

const MAX_CURSOR = 10_000
