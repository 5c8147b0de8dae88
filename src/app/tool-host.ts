/**
 * Runs tools for others: joins the guard, the tools and the engine's way of running one call without a model or a
 * conversation. Every call passes the same checks as a session's calls (`engine/run-tool.ts`): hooks, permission,
 * secrets, sandbox, audit, all of this machine. There is no user to ask, so a call that needs approval is refused.
 */
import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import type { AppPaths } from '../config/paths.ts'
import type { Config } from '../config/schema.ts'
import { estimateTokens } from '../context/count.ts'
import type { ToolAccess } from '../engine/parts.ts'
import { prepareCall, type Prepared } from '../engine/prepare.ts'
import { runTool } from '../engine/run-tool.ts'
import { createFiles } from '../guard/paths/files.ts'
import { type LogCall, toCallLine } from '../guard/host/call-log.ts'
import { makePatchFolder, patchRecordOf } from '../guard/paths/patch-folder.ts'
import { type Guards, openGuards, type SessionGuards } from './guards.ts'
import { matchesGlob } from '../lib/path.ts'
import { remedyText } from '../lib/remedy.ts'
import { toToolSchema } from '../lib/schema.ts'
import { clip } from '../lib/text.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { Tool } from '../protocol/tool.ts'
import { type HostedCall, type HostedResult, reachesWorld, type ToolHost } from '../protocol/tool-host.ts'
import { createSessionHooks } from '../session/hooks.ts'
import { memoryResults } from '../session/results.ts'
import { builtinTools } from '../tools/all.ts'

export type ToolHostParts = {
  readonly config: Config
  readonly paths: AppPaths
  readonly env: NodeJS.ProcessEnv
  /** The workspace where the configuration names none. */
  readonly root: string
  /** Keys of hooks and servers that the project configures. */
  readonly ofProject: ReadonlySet<string>
  /** The command that starts the host; a flag behind it allows more. */
  readonly allowWith: string
  warn(message: string): void
  /** Called for every call, once it has a result. */
  readonly logCall?: LogCall
  /** What a client is called in that line; absent = as it is known here. */
  nameOf?(client: string): Promise<string>
}

export type OpenedToolHost = ToolHost & {
  /** What may happen without a question and what confines commands, in words. */
  readonly rules: string
  readonly warnings: readonly string[]
}

export async function openToolHost(parts: ToolHostParts): Promise<OpenedToolHost> {
  const { config } = parts
  const places = new Map<string, Workspace>()
  const close = async (): Promise<void> => {
    await Promise.all(Array.from(places.values(), (place) => place.close()))
  }
  try {
    for (const [name, folder] of workspacesOf(parts)) places.set(name, await openWorkspace(folder, parts))
  } catch (error) {
    await close()
    throw error
  }
  const all = [...places.values()]
  const offered = hostedTools(config, parts.root, parts.paths)
  const listed = offered.map((tool) => ({ ...toToolSchema(tool), category: tool.category }))
  return {
    workspaces: [...places.keys()],
    rules: `permission ${config.permission.mode}, commands: ${all[0]?.guards.confinement ?? 'none'}`,
    warnings: [...new Set(all.flatMap(({ guards }) => guards.warnings))],
    tools: () => listed,
    async execute(call, signal) {
      const name = call.workspace ?? [...places.keys()][0] ?? ''
      const place = places.get(name)
      if (!place) throw new AppError('request-invalid', unknownWorkspace(name, [...places.keys()]))
      return place.execute({ ...call, workspace: name }, signal)
    },
    close,
  }
}

const unknownWorkspace = (name: string, names: readonly string[]): string =>
  `There is no workspace "${clip(name, 80)}" here; there are ${names.join(', ')}.`

const workspacesOf = ({ config, root }: ToolHostParts): readonly (readonly [string, string])[] => {
  const named = Object.entries(config.tool_host.workspaces)
  return named.length > 0 ? named : [['default', root]]
}

/** One folder tools work in, with the guard around it. */
type Workspace = {
  readonly guards: Guards
  execute(call: HostedCall, signal: AbortSignal): Promise<HostedResult>
  close(): Promise<void>
}

/** Clients at a time in one folder: each has its own placeholders and jobs. */
const MAX_CLIENTS = 64

async function openWorkspace(folder: string, parts: ToolHostParts): Promise<Workspace> {
  const info = await stat(folder).catch(() => undefined)
  if (!info?.isDirectory()) {
    throw new AppError(
      'config-invalid',
      `${folder} is not a directory; correct the path in [tool_host.workspaces].`,
    )
  }
  const { root } = createFiles({ root: folder })
  const guards = await openGuards({ ...parts, cwd: root, incognito: false, host: true })
  const clients = new Map<string, Promise<HostedClient>>()
  const inTurn = createTurns()
  const clientOf = async (client: string): Promise<HostedClient> => {
    const opened =
      clients.get(client) ??
      openClient(guards, { ...parts, root }, client).catch((error: unknown) => {
        clients.delete(client)
        throw error
      })
    // The one used longest ago stands first.
    clients.delete(client)
    clients.set(client, opened)
    const [oldest] = clients.keys()
    if (clients.size > MAX_CLIENTS && oldest !== undefined) {
      const closing = clients.get(oldest)
      clients.delete(oldest)
      await (await closing)?.close()
    }
    return opened
  }
  return {
    guards,
    async execute(call, signal) {
      const toolAccess = await clientOf(call.client)
      const prepared = prepareHosted(toolAccess, call)
      const isWrite = prepared.kind === 'ready' && prepared.tool.category === 'write'
      const run = () => runHosted(prepared, { ...call, toolAccess: toolAccess.toolAccess }, signal)
      const started = performance.now()
      const result = await (isWrite ? inTurn(run) : run())
      await logHosted({ call, prepared, result, ms: performance.now() - started }, toolAccess, parts)
      return result
    },
    async close() {
      await Promise.all(Array.from(clients.values(), async (toolAccess) => (await toolAccess).close()))
      await guards.close()
    },
  }
}

type Ran = {
  readonly call: HostedCall
  readonly prepared: Prepared
  readonly result: HostedResult
  readonly ms: number
}

/** A line that cannot be written takes nothing from the result. */
async function logHosted(
  { call, prepared, result, ms }: Ran,
  { toolAccess }: HostedClient,
  { logCall, nameOf = async (client) => client, warn }: ToolHostParts,
): Promise<void> {
  if (!logCall) return
  const { tool, client, workspace = '' } = call
  try {
    const line = await toCallLine({
      client: await nameOf(client),
      workspace,
      tool,
      ms,
      result,
      ...(prepared.kind === 'ready' && { access: prepared.tool.access(prepared.input) }),
      outgoing: async (text) => (await toolAccess.firewall?.outgoing(text)) ?? '',
    })
    logCall(line)
  } catch (error) {
    warn(`a call of ${tool} could not be logged: ${errorMessage(error)}`)
  }
}

/** Two edits of one file at once would lose one of them. */
function createTurns(): <T>(job: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (job) => {
    const done = last.then(job)
    last = done.catch(() => undefined)
    return done
  }
}

type HostedClient = {
  readonly toolAccess: ToolAccess
  readonly tools: readonly Tool[]
  close(): Promise<void>
}

async function openClient(guards: Guards, parts: ToolHostParts, client: string): Promise<HostedClient> {
  const { config, root, allowWith, warn } = parts
  const id = `tools-${createHash('sha256').update(client).digest('hex').slice(0, 8)}`
  const opened = await guards.openSession({ id, warn, unattended: true })
  const tools = hostedTools(config, root, parts.paths)
  const { files, exec, fetch, authorize, accept, audit, firewall } = opened
  return {
    tools,
    close: () => opened.close(),
    toolAccess: {
      list: () => tools,
      authorize,
      accept,
      audit,
      firewall,
      ...hooksOf(opened, { id, root, warn }),
      askPermission: async ({ why, remedy = {} }) => ({
        allow: false,
        reason: `${why}. No user is available to approve it. ${remedyText(remedy, allowWith)}`.trim(),
      }),
      context: {
        files,
        exec,
        fetch,
        results: memoryResults(),
        ask: async () => {
          throw new AppError('permission-denied', 'A tool host has no user to ask.', { failure: 'denied' })
        },
        cwd: files.root,
      },
    },
  }
}

type HooksScope = { readonly id: string; readonly root: string; warn(message: string): void }

function hooksOf({ hooks }: SessionGuards, { id, root, warn }: HooksScope): Pick<ToolAccess, 'hooks'> {
  const opened = hooks?.(undefined)
  if (!opened) return {}
  return { hooks: createSessionHooks({ hooks: opened, sessionId: id, cwd: root, warn }).calls(id) }
}

function hostedTools(
  { checks, exec, tool_host: host }: Config,
  root: string,
  { dataFolder }: AppPaths,
): readonly Tool[] {
  const limits = { usualMs: exec.timeout_s * 1000, longMs: exec.long_timeout_s * 1000 }
  const patches = () => makePatchFolder(root, patchRecordOf(dataFolder, root))
  const tools: readonly Tool[] = builtinTools({ list: () => tools, checks, limits, patches })
    .filter((tool) => reachesWorld(tool) && host.tools.some((glob) => matchesGlob(tool.name, glob)))
    // The caller cuts the result for its own window.
    .map((tool): Tool => ({ ...tool, paged: true }))
  return tools
}

const PAGE_TOKENS = 4_000
const MAX_TEXT = 1024 * 1024

function prepareHosted({ tools }: HostedClient, { tool, arguments: input }: HostedCall): Prepared {
  const call = { id: 'hosted', name: tool, input: JSON.stringify(input) }
  return prepareCall(call, { tools, options: {}, atLimit: false })
}

async function runHosted(
  prepared: Prepared,
  {
    toolAccess,
    pageTokens = PAGE_TOKENS,
  }: Pick<HostedCall, 'pageTokens'> & { readonly toolAccess: ToolAccess },
  signal: AbortSignal,
): Promise<HostedResult> {
  const { message } = await runTool(prepared, {
    toolAccess,
    // Each call stands for itself: what goes in circles is noticed where the conversation is.
    trace: { turns: 1, calls: [] },
    options: {},
    pageTokens,
    countTokens: estimateTokens,
    emit: () => {},
    told: async () => {},
    now: () => Math.round(performance.now()),
    signal,
  })
  const { ok, text, code } = message
  return { ok, text: clip(text, MAX_TEXT), ...(code && { code }) }
}
