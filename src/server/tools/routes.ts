/**
 * Tools for other machines over plain HTTP: what there is, and one call. With a key a call happens at most once,
 * however often it is sent; see `tool-host-ledger.ts`.
 */
import { z } from 'zod'
import { canonicalJson } from '../../lib/json.ts'
import { defined } from '../../lib/object.ts'
import { categories } from '../../protocol/tool.ts'
import type { ToolHost } from '../../protocol/tool-host.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { Ledger } from './ledger.ts'

export type ToolHostRouteParts = {
  readonly host: ToolHost
  readonly ledger: Ledger
  /** The name of this machine, shown to clients as where tools run. */
  readonly name: string
  /** What may happen without a question, in words. */
  readonly rules: string
}

const Call = z.object({
  tool: z.string().min(1).max(200),
  arguments: z.record(z.string(), z.unknown()).default({}),
  workspace: z.string().max(200).optional(),
  page_tokens: z.int().min(100).max(100_000).optional(),
  idempotency_key: z
    .string()
    .regex(/^[\x21-\x7e]{8,200}$/, 'must be 8 to 200 printable characters')
    .optional(),
})

const Result = z.object({ ok: z.boolean(), text: z.string(), code: z.string().nullable() })

const Listing = z.object({
  host: z.string(),
  rules: z.string(),
  workspaces: z.array(z.string()),
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      category: z.enum(categories),
      parameters: z.record(z.string(), z.unknown()),
    }),
  ),
})

export function toolHostRoutes(parts: ToolHostRouteParts): readonly Route[] {
  const { host, ledger, name, rules } = parts
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/tools',
      scope: 'tools',
      summary: 'The tools that run here for others',
      reply: Listing,
      handle: async () => ({
        kind: 'json',
        body: {
          host: name,
          rules,
          workspaces: host.workspaces,
          tools: host.tools().map(({ description = '', ...tool }) => ({ ...tool, description })),
        },
      }),
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/tools/execute',
      scope: 'tools',
      summary: 'Run one tool here, under the permissions of this machine',
      body: Call,
      reply: Result,
      async handle({ body, client, signal }) {
        const { tool, arguments: input, workspace, page_tokens: pageTokens, idempotency_key: key } = body
        const more = defined({ workspace, pageTokens })
        const run = () => host.execute({ tool, arguments: input, client, ...more }, signal)
        const request = canonicalJson([tool, input, workspace ?? null])
        const { ok, text, code } =
          key === undefined ? await run() : await ledger.once({ client, key, request }, run)
        return { kind: 'json', body: { ok, text, code: code ?? null } }
      },
    }),
  ]
}
