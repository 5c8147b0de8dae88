/**
 * Starts and ends what runs tools for others: over HTTP behind the locks of `covey serve` (`covey tools serve`), or on
 * stdin and stdout for one program (`covey mcp serve`). One tool host per data folder, because it remembers which calls it
 * has run; it may stand beside `covey serve`.
 */
import { mkdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { loadTrusted } from './app.ts'
import { type AppPaths, appPaths } from './config/paths.ts'
import type { Config } from './config/schema.ts'
import { createAudit } from './guard/audit.ts'
import { createFiles } from './guard/files.ts'
import { createFirewall } from './guard/firewall.ts'
import { acquireLock } from './lib/lock.ts'
import { createLogger, type Logger } from './lib/log.ts'
import { packageVersion } from './lib/package-version.ts'
import type { HostedTool, ToolHost } from './protocol/tool-host.ts'
import { namesOf, requireSafe } from './server/exposure.ts'
import { healthRoutes } from './server/health.ts'
import { mcpRoute } from './server/mcp.ts'
import { addProcessMetrics, createMetrics } from './server/metrics.ts'
import { openapiRoute } from './server/openapi.ts'
import type { TellAudit } from './server/parts.ts'
import type { Route } from './server/route.ts'
import { createServer } from './server/server.ts'
import { renderToolHostBanner } from './server/tool-host-banner.ts'
import { type Ledger, openLedger } from './server/tool-host-ledger.ts'
import { toolHostRoutes } from './server/tool-host.ts'
import { openTokens } from './server/tokens.ts'
import { type OpenedToolHost, openToolHost, type ToolHostParts } from './tool-hosting.ts'

export type ToolServingOptions = {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly permission?: Config['permission']['mode']
  readonly profile?: string
  readonly verbose?: boolean
}

export type ToolHostOptions = ToolServingOptions & {
  /** Absent = as configured, else this machine only. */
  readonly host?: string
  readonly port?: number
  readonly isAuthOff: boolean
}

export type StartedToolHost = {
  /** For a person; holds the first token where one was made. */
  readonly banner: string
  readonly warnings: readonly string[]
  readonly port: number
  close(): Promise<void>
}

const DEFAULT_PORT = 17_616

export async function startToolHost(options: ToolHostOptions): Promise<StartedToolHost> {
  const { config, paths, warnings } = await load(options)
  const { host = config.tool_host.host, port = config.tool_host.port ?? DEFAULT_PORT, isAuthOff } = options
  const place = host === undefined ? {} : { host }
  const tokens = openTokens(join(paths.dataFolder, 'tokens'))
  await requireSafe({ isAuthOff, ...place }, tokens, 'tools')
  const ends: End[] = []
  const close = async (): Promise<void> => {
    for (const end of ends.splice(0).toReversed()) await end()
  }
  try {
    const folder = await lockFolder(paths, ends)
    const version = await packageVersion()
    const { opened, log } = await openHost({ config, paths, options, ends })
    const ledger = await openLedger({ folder: join(folder, 'calls') })
    const { routes, metrics } = routesOf({ opened, ledger, version })
    const audit = auditOf(paths, options.cwd)
    const server = await createServer({
      routes,
      tokens,
      isAuthOff,
      hosts: namesOf(host),
      audit,
      metrics,
      log,
    })
    ends.push(() => server.close())
    const addresses = await server.listen({ port, ...place })
    const isFirst = !isAuthOff && (await tokens.list()).length === 0
    const banner = renderToolHostBanner({
      version,
      addresses,
      isAuthOff,
      rules: opened.rules,
      tools: opened.tools().map(({ name }) => name),
      workspaces: foldersOf(config, options.cwd),
      ...(isFirst && { firstToken: await tokens.add('first-tools', ['tools']) }),
    })
    const said = [...warnings, ...opened.warnings]
    return { banner, warnings: said, port: addresses[0]?.port ?? port, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Our tools on the standard streams of this process, for the one program that started it. */
export async function serveMcpStdio(
  options: ToolServingOptions & { onWarning(message: string): void },
  streams: { readonly stdin: Readable; readonly stdout: Writable },
  signal: AbortSignal,
): Promise<void> {
  const { config, paths, warnings } = await load(options)
  const host = await openToolHost({
    config,
    paths,
    env: options.env,
    root: options.cwd,
    allowWith: 'covey mcp serve --permission accept-edits',
    warn: options.onWarning,
  })
  for (const warning of [...warnings, ...host.warnings]) options.onWarning(warning)
  try {
    const { serveStdio } = await loadMcp()
    await serveStdio({ host, version: await packageVersion(), client: 'stdio' }, streams, signal)
  } finally {
    await host.close()
  }
}

type McpRoutes = { readonly routes: readonly Route[]; close(): Promise<void> }

/** `/mcp` of `covey serve`, where the configuration wants it: its tools, under its rules. */
export async function openMcpRoutes(
  parts: Pick<ToolHostParts, 'config' | 'paths' | 'env' | 'root'> & { readonly log: Pick<Logger, 'warn'> },
): Promise<McpRoutes> {
  if (!parts.config.mcp.serve) return { routes: [], close: async () => {} }
  const host = await openToolHost({
    ...parts,
    allowWith: 'covey serve --permission accept-edits',
    warn: (message) => parts.log.warn({ message }, 'mcp'),
  })
  return { routes: [mcpRouteFor(host, await packageVersion())], close: () => host.close() }
}

const mcpRouteFor = (host: ToolHost, version: string): Route =>
  mcpRoute(async ({ client, ...message }, signal) => {
    const { answerHttp } = await loadMcp()
    return answerHttp({ host, version, client }, message, signal)
  })

/** The SDK is large; who does not speak the protocol does not load it. */
const loadMcp = () => import('./mcp/server.ts')

/** What a tool host started here would offer, without starting one. */
export async function listHostedTools(options: ToolServingOptions): Promise<readonly HostedTool[]> {
  const { config, paths } = await load(options)
  const parts = { config, paths, env: options.env, root: options.cwd, allowWith: '', warn: () => {} }
  const host = await openToolHost(parts)
  try {
    return host.tools()
  } finally {
    await host.close()
  }
}

type End = () => Promise<void>

async function load({ env, cwd, permission, profile }: ToolServingOptions) {
  const { config, warnings } = await loadTrusted({
    env,
    cwd,
    flags: { 'permission.mode': permission },
    ...(profile !== undefined && { profile }),
  })
  return { config, warnings, paths: appPaths(env, process.platform) }
}

async function lockFolder({ dataFolder }: AppPaths, ends: End[]): Promise<string> {
  const folder = join(dataFolder, 'tool-host')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const lock = await acquireLock(
    folder,
    (pid) =>
      `covey tools serve runs already with this data folder (process ${pid}); end it first, or set XDG_DATA_HOME to another folder.`,
  )
  ends.push(() => lock.release())
  return folder
}

type HostGround = {
  readonly config: Config
  readonly paths: AppPaths
  readonly options: ToolHostOptions
  readonly ends: End[]
}

async function openHost({ config, paths, options, ends }: HostGround) {
  const log = createLogger({ ...config.log, verbose: options.verbose ?? false })
  const opened = await openToolHost({
    config,
    paths,
    env: options.env,
    root: options.cwd,
    allowWith: 'covey tools serve --permission accept-edits',
    warn: (message) => log.warn({ message }, 'tool host'),
  })
  ends.push(() => opened.close())
  return { opened, log }
}

type Served = { readonly opened: OpenedToolHost; readonly ledger: Ledger; readonly version: string }

function routesOf({ opened, ledger, version }: Served) {
  const metrics = createMetrics(version)
  addProcessMetrics(metrics)
  const routes: readonly Route[] = [
    ...healthRoutes({ checks: [], metrics }),
    ...toolHostRoutes({ host: opened, ledger, name: hostname(), rules: opened.rules }),
    mcpRouteFor(opened, version),
  ]
  return { metrics, routes: [...routes, openapiRoute(routes, version)] }
}

function auditOf({ dataFolder }: AppPaths, root: string): TellAudit {
  const { outgoingValue } = createFirewall({ files: createFiles({ root }) })
  const audit = createAudit({ path: join(dataFolder, 'audit.log'), outgoingValue })
  return ({ what, client, route, why }) =>
    audit.write({ what, sessionId: 'tool-host', tool: route, targets: [client], why, by: 'server' })
}

const foldersOf = ({ tool_host: host }: Config, root: string): readonly string[] => {
  const named = Object.entries(host.workspaces).map(([name, folder]) => `${name}=${folder}`)
  return named.length > 0 ? named : [root]
}
