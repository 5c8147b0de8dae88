/**
 * Tools that run on another machine, in the place of those here: same names, the other machine's schemas, files and
 * guard. The session here still judges every call first, as if it ran here, so what is denied here never leaves. Where
 * an answer is lost, a read is asked for once more; the outcome of anything else is unknown, and the result says so.
 */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { clip } from '../../lib/text.ts'
import { AppError, errorMessage, type FailureCode, failureCodes } from '../../protocol/error.ts'
import type { ToolHostView } from '../../protocol/page.ts'
import {
  type Access,
  categories,
  isReadOnly,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '../../protocol/tool.ts'
import { reachesWorld } from '../../protocol/tool-host.ts'
import { oneLine } from '../machine.ts'
import { askHost, LostAnswer, NotReached, type RemoteHost } from './call.ts'

export type RemoteToolsParts = RemoteHost & {
  /** By the name the host gives it; absent = its first. */
  readonly workspace?: string
  /** The most one call may take. */
  readonly callMs?: number
}

export type RemoteTools = {
  /** For the person: which machine, which folder, under which rules. */
  readonly where: string
  /** As it is now: the host is asked whether it is there. */
  look(signal: AbortSignal): Promise<ToolHostView>
  /** A session's own tools with those that reach the world exchanged for the host's. */
  replace(local: readonly Tool[]): readonly Tool[]
}

const Listing = z.object({
  host: z.string().max(300),
  rules: z.string().max(1_000),
  workspaces: z.array(z.string().max(300)).min(1).max(1_000),
  tools: z
    .array(
      z.object({
        name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
        description: z.string().max(2_000),
        category: z.enum(categories),
        parameters: z.record(z.string(), z.unknown()),
      }),
    )
    .max(500),
})
type HostTool = z.output<typeof Listing>['tools'][number]

/** Asks the host what it has; throws what a person can act on. */
export async function openRemoteTools(parts: RemoteToolsParts, signal: AbortSignal): Promise<RemoteTools> {
  const { url, workspace } = parts
  const listing = await list(parts, signal)
  const folder = workspace ?? listing.workspaces[0] ?? ''
  if (!listing.workspaces.includes(folder)) {
    const there = oneLine(clip(listing.workspaces.join(', '), 500))
    throw new AppError(
      'config-invalid',
      `The tool host ${url} has no workspace "${folder}"; it has ${there}.`,
    )
  }
  const hosted = new Map(listing.tools.filter(reachesWorld).map((tool) => [tool.name, tool]))
  const name = oneLine(clip(listing.host, 80))
  return {
    where: oneLine(`${name} (${url}), folder ${folder}, ${listing.rules}`),
    look: async (stop) => ({
      kind: 'remote',
      name,
      folder,
      rules: oneLine(listing.rules),
      address: url,
      ...(await stateOf(parts, stop)),
      tools: [...hosted.keys()],
    }),
    replace(local) {
      const known = new Set(local.map(({ name }) => name))
      const own = local.flatMap((tool) => {
        if (!reachesWorld(tool)) return [tool]
        // What is not there does not run here instead.
        const there = hosted.get(tool.name)
        return there ? [toRemote(there, tool, parts)] : []
      })
      const more = [...hosted.values()].filter(({ name }) => !known.has(name))
      return [...own, ...more.map((tool) => toRemote(tool, undefined, parts))]
    },
  }
}

const LOOK_MS = 1_500
const Alive = z.object({ status: z.literal('ok') })

async function stateOf(host: RemoteHost, signal: AbortSignal): Promise<Pick<ToolHostView, 'state' | 'why'>> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)])
  return askHost(host, { path: '/health', answer: Alive }, limit).then(
    () => ({ state: 'here' }) as const,
    (error: unknown) => ({ state: 'gone', why: oneLine(clip(errorMessage(error), 300)) }) as const,
  )
}

const LIST_MS = 10_000

async function list(host: RemoteToolsParts, signal: AbortSignal): Promise<z.output<typeof Listing>> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)])
  try {
    return await askHost(host, { path: '/v1/tools', answer: Listing }, limit)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AppError) throw error
    const why = error instanceof Error ? error.message : String(error)
    const start = host.peer
      ? '`covey tools serve --host ADDRESS`'
      : '`covey tools serve`, correct the address'
    throw new AppError(
      'config-invalid',
      `The tool host ${host.url} cannot be used (${why}); start it there with ${start}, or leave --tool-host out.`,
    )
  }
}

function toRemote(there: HostTool, twin: Tool | undefined, parts: RemoteToolsParts): Tool {
  const { name, description } = there
  const access = (input: unknown): readonly Access[] => accessOf(name, twin, input)
  return {
    name,
    description,
    category: twin?.category ?? there.category,
    input: toInput(there, twin),
    access,
    ...(twin?.polling && { polling: true }),
    ...(twin?.paged && { paged: true }),
    ...(twin?.deferred !== undefined && { deferred: twin.deferred }),
    timeoutMs: Number.POSITIVE_INFINITY,
    run: (input, context) => run({ name, input, isRead: isReadOnly(access(input)) }, parts, context),
  }
}

/** As the tool of that name here would be judged; what is not known here may do anything. */
function accessOf(name: string, twin: Tool | undefined, input: unknown): readonly Access[] {
  const read = twin?.input.safeParse(input)
  return twin && read?.success ? twin.access(read.data) : [{ kind: 'fetch', target: name }]
}

function toInput({ parameters }: HostTool, twin: Tool | undefined): z.ZodType {
  try {
    return z.fromJSONSchema(parameters)
  } catch {
    return twin?.input ?? z.record(z.string(), z.unknown())
  }
}

const Result = z.object({ ok: z.boolean(), text: z.string(), code: z.string().nullable() })

type RemoteCall = { readonly name: string; readonly input: unknown; readonly isRead: boolean }

const CALL_MS = 15 * 60_000

async function run(call: RemoteCall, parts: RemoteToolsParts, context: ToolContext): Promise<ToolResult> {
  const limit = AbortSignal.timeout(parts.callMs ?? CALL_MS)
  const signal = AbortSignal.any([context.signal, limit])
  const body = {
    tool: call.name,
    arguments: call.input,
    page_tokens: Math.min(100_000, Math.max(100, Math.floor(context.pageTokens))),
    ...(parts.workspace !== undefined && { workspace: parts.workspace }),
    ...(!call.isRead && { idempotency_key: randomUUID() }),
  }
  const ask = () => askHost(parts, { path: '/v1/tools/execute', body, answer: Result }, signal)
  try {
    const { ok, text, code } = await (call.isRead ? ask().catch(again(ask)) : ask())
    return { ok, text, ...(code !== null && { code: toCode(code) }) }
  } catch (error) {
    context.signal.throwIfAborted()
    return toFailure(error, call, parts.url)
  }
}

/** Reading twice does no harm. */
const again =
  <T>(ask: () => Promise<T>) =>
  (error: unknown): Promise<T> => {
    if (error instanceof LostAnswer || error instanceof NotReached) return ask()
    throw error
  }

function toFailure(error: unknown, { name, isRead }: RemoteCall, url: string): ToolResult {
  if (error instanceof AppError) throw error
  const why = error instanceof Error ? error.message : String(error)
  if (error instanceof NotReached || isRead) {
    return {
      ok: false,
      code: 'failed',
      text: `The tool host ${url} is not there (${why}); ${name} was not run.`,
    }
  }
  return {
    ok: false,
    code: 'interrupted',
    text: `unknown outcome: the tool host ${url} was lost while ${name} ran (${why}). Look at what is there before doing it again.`,
  }
}

const codes: ReadonlySet<string> = new Set(failureCodes)

function toCode(code: string): FailureCode {
  if (code === 'unknown-outcome') return 'interrupted'
  return codes.has(code) ? (code as FailureCode) : 'failed'
}
