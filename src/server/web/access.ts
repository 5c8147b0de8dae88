/** How a tab gets in: a code for a token of its own, and what that token allows. */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { defineProblem, ProblemError } from '../http/errors.ts'
import { defineRoute, type Route, scopes } from '../http/route.ts'
import type { Tokens } from '../http/tokens.ts'
import type { TellAudit } from '../parts.ts'
import type { Codes } from './codes.ts'

export type AccessParts = {
  readonly codes: Codes
  readonly tokens: Tokens
  readonly audit: TellAudit
  readonly version: string
  /** Where tools run and what is allowed there, in words. */
  readonly workspace: string
  /** A tab that may act has come: a session will be opened in it soon. */
  onTab(): void
}

/** A tab is closed before that; one that is left open says so and is opened anew. */
const TOKEN_MS = 12 * 3_600_000

const Redeemed = z.object({ token: z.string(), scopes: z.array(z.enum(scopes)) })
const About = z.object({
  name: z.string(),
  scopes: z.array(z.enum(scopes)),
  version: z.string(),
  workspace: z.string(),
})

export const accessRoutes = ({
  codes,
  tokens,
  audit,
  version,
  workspace,
  onTab,
}: AccessParts): readonly Route[] => [
  defineRoute({
    method: 'POST',
    path: '/v1/page/token',
    scope: 'open',
    summary: 'A token for the page, for a code of `covey web`',
    body: z.strictObject({ code: z.string().min(1).max(200) }),
    reply: Redeemed,
    handle: async ({ body, client }) => {
      const allowed = await codes.redeem(body.code)
      if (!allowed) {
        audit({ what: 'refused', client, route: '/v1/page/token', why: 'a wrong code' })
        throw new ProblemError(defineProblem(401, 'code_wrong', WRONG_CODE))
      }
      const name = `page-${randomBytes(4).toString('hex')}`
      const token = await tokens.add(name, allowed, { ttlMs: TOKEN_MS })
      return { kind: 'json', body: { token, scopes: [...allowed] } }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/page',
    scope: 'read',
    summary: 'What the page may do here',
    reply: About,
    handle: async ({ client, scopes: allowed }) => {
      // After the answer, which the tab waits for.
      if (allowed.includes('tools')) setImmediate(onTab)
      return { kind: 'json', body: { name: client, scopes: [...allowed], version, workspace } }
    },
  }),
]

const WRONG_CODE = 'The code was used before or is older than a minute; run `covey web` for a new one.'
