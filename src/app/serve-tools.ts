/**
 * Starts and ends what runs tools for others: over HTTP behind the locks of `covey serve`, for tokens and for paired
 * machines (`covey tools serve`), or on stdin and stdout for one program (`covey mcp serve`). One tool host per data
 * folder, because it remembers which calls it has run; it may stand beside `covey serve`.
 */
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { toLanSettings } from '../config/federation.ts'
import { type AppPaths, appPaths } from '../config/paths.ts'
import { configuredByProject } from '../config/of-project.ts'
import type { Config } from '../config/schema.ts'
import { shortId } from '../federation/identity.ts'
import { type LanFiles, lanFiles } from '../federation/lan/open.ts'
import { mayRunTools, openToolHostAccess } from '../federation/tools/access.ts'
import { TOOL_HOST_PORT } from '../federation/tools/peer.ts'
import { createAudit } from '../guard/audit.ts'
import { createFiles } from '../guard/paths/files.ts'
import { createFirewall } from '../guard/secrets/firewall.ts'
import { beginLog } from '../guard/host/call-log.ts'
import { cleanControl } from '../lib/clean.ts'
import { Ends } from '../lib/ends.ts'
import { ensureFolder } from '../lib/ensure-folder.ts'
import { acquireLock } from '../lib/lock.ts'
import { createLogger, type Logger } from '../lib/log.ts'
import { packageVersion } from '../lib/package-files.ts'
import type { HostedTool, ToolHost } from '../protocol/tool-host.ts'
import { namesOf, requireSafe } from '../server/http/exposure.ts'
import { healthRoutes } from '../server/admin/health.ts'
import type { Address } from '../server/http/listen.ts'
import { mcpRoute } from '../server/admin/mcp.ts'
import { addProcessMetrics, createMetrics } from '../server/admin/metrics.ts'
import { openapiRoute } from '../server/admin/openapi.ts'
import type { TellAudit } from '../server/parts.ts'
import type { Route } from '../server/http/route.ts'
import { createServer } from '../server/server.ts'
import { renderToolHostBanner } from '../server/tools/banner.ts'
import { type Ledger, openLedger } from '../server/tools/ledger.ts'
import { toolHostRoutes } from '../server/tools/routes.ts'
import { tokensIn } from '../server/http/tokens.ts'
import { type OpenedToolHost, openToolHost, type ToolHostParts } from './tool-host.ts'
import { loadTrusted } from './config.ts'

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

export async function startToolHost(options: ToolHostOptions): Promise<StartedToolHost> {
  const { config, paths, warnings, ofProject } = await load(options)
  const entry = await requireEntry(options, config, paths)
  const ends = new Ends()
  try {
    const folder = await lockFolder(paths, ends)
    const version = packageVersion()
    const { tokens, files, isAuthOff, isKeysOnly, peers, place } = entry
    const { opened, log } = await openHost({ config, paths, ofProject, options, ends, folder, files })
    const ledger = await openLedger({ folder: join(folder, 'calls') })
    const { routes, metrics } = routesOf({ opened, ledger, version })
    const server = await createServer({
      routes,
      tokens,
      peers: { ...(await openToolHostAccess(files)), isOnlyAccess: isKeysOnly },
      isAuthOff,
      hosts: namesOf(place.host),
      audit: auditOf(paths, options.cwd),
      metrics,
      log,
      limits: { connections: MAX_CONNECTIONS },
    })
    ends.add(() => server.close())
    const addresses = await server.listen(place)
    const isFirst = !isAuthOff && !isKeysOnly && (await tokens.list()).length === 0
    const banner = renderToolHostBanner({
      version,
      addresses,
      isAuthOff,
      isKeysOnly,
      peers: peers.map(({ name, id }) => `${cleanControl(name)} (${shortId(id)})`),
      peerUrl: peerUrlOf(config, addresses),
      rules: opened.rules,
      tools: opened.tools().map(({ name }) => name),
      workspaces: foldersOf(config, options.cwd),
      ...(isFirst && { firstToken: await tokens.add('first-tools', ['tools']) }),
    })
    const said = [...warnings, ...opened.warnings]
    return { banner, warnings: said, port: addresses[0]?.port ?? place.port, close: () => ends.run() }
  } catch (error) {
    await ends.run()
    throw error
  }
}

/** Far more than sessions that use one host at a time; what each of them leaves idle is closed after seconds. */
const MAX_CONNECTIONS = 256

/** Our tools on the standard streams of this process, for the one program that started it. */
export async function serveMcpStdio(
  options: ToolServingOptions & { onWarning(message: string): void },
  streams: { readonly stdin: Readable; readonly stdout: Writable },
  signal: AbortSignal,
): Promise<void> {
  const { config, paths, warnings, ofProject } = await load(options)
  const host = await openToolHost({
    config,
    paths,
    ofProject,
    env: options.env,
    root: options.cwd,
    allowWith: 'covey mcp serve',
    warn: options.onWarning,
  })
  for (const warning of [...warnings, ...host.warnings]) options.onWarning(warning)
  try {
    const { serveStdio } = await loadMcp()
    await serveStdio({ host, version: packageVersion(), client: 'stdio' }, streams, signal)
  } finally {
    await host.close()
  }
}

type McpRoutes = { readonly routes: readonly Route[]; close(): Promise<void> }

/** `/mcp` of `covey serve`, where the configuration wants it: its tools, under its rules. */
export async function openMcpRoutes(
  parts: Pick<ToolHostParts, 'config' | 'paths' | 'env' | 'root' | 'ofProject'> & {
    readonly log: Pick<Logger, 'warn'>
  },
): Promise<McpRoutes> {
  if (!parts.config.mcp.serve) return { routes: [], close: async () => {} }
  const host = await openToolHost({
    ...parts,
    allowWith: 'covey serve',
    warn: (message) => parts.log.warn({ message }, 'mcp'),
  })
  return { routes: [mcpRouteFor(host, packageVersion())], close: () => host.close() }
}

const mcpRouteFor = (host: ToolHost, version: string): Route =>
  mcpRoute(async ({ client, ...message }, signal) => {
    const { answerHttp } = await loadMcp()
    return answerHttp({ host, version, client }, message, signal)
  })

/** The SDK is large; who does not speak the protocol does not load it. */
const loadMcp = () => import('../mcp/server.ts')

/** What a tool host started here would offer, without starting one. */
export async function listHostedTools(options: ToolServingOptions): Promise<readonly HostedTool[]> {
  const { config, paths, ofProject } = await load(options)
  const place = { config, paths, ofProject, env: options.env, root: options.cwd }
  const parts = { ...place, allowWith: '', warn: () => {} }
  const host = await openToolHost(parts)
  try {
    return host.tools()
  } finally {
    await host.close()
  }
}

async function load({ env, cwd, permission, profile }: ToolServingOptions) {
  const loaded = await loadTrusted({
    env,
    cwd,
    flags: { 'permission.mode': permission },
    ...(profile !== undefined && { profile }),
  })
  const { config, warnings } = loaded
  const ofProject = configuredByProject(loaded)
  return { config, warnings, ofProject, paths: appPaths(env, process.platform) }
}

/** Who may come in, and at which address; throws where that would not be safe. Nothing is made before. */
async function requireEntry(options: ToolHostOptions, config: Config, { dataFolder }: AppPaths) {
  const { host = config.tool_host.host, port = config.tool_host.port ?? TOOL_HOST_PORT, isAuthOff } = options
  const place = { port, ...(host !== undefined && { host }) }
  const tokens = tokensIn(dataFolder)
  const files = lanFiles(dataFolder)
  const peers = (await files.book.list()).filter(mayRunTools)
  const wayIn = await requireSafe({ ...place, isAuthOff, hasPeers: peers.length > 0 }, tokens, 'tools')
  return { place, tokens, files, peers, isAuthOff, isKeysOnly: wayIn === 'keys' }
}

async function lockFolder({ dataFolder }: AppPaths, ends: Ends): Promise<string> {
  const folder = join(dataFolder, 'tool-host')
  await ensureFolder(folder)
  const lock = await acquireLock(
    folder,
    (pid) =>
      `covey tools serve runs already with this data folder (process ${pid}); end it first, or set XDG_DATA_HOME to another folder.`,
  )
  ends.add(() => lock.release())
  return folder
}

type HostContext = {
  readonly config: Config
  readonly paths: AppPaths
  readonly ofProject: ReadonlySet<string>
  readonly options: ToolHostOptions
  readonly ends: Ends
  /** Its own, in the data folder. */
  readonly folder: string
  readonly files: LanFiles
}

async function openHost({ config, paths, ofProject, options, ends, folder, files }: HostContext) {
  const { verbose = false } = options
  // What others did here is logged even without a configured log file.
  const usual = verbose || config.log.file !== undefined ? {} : { file: join(folder, 'tool-host.log') }
  if (usual.file !== undefined) await beginLog(usual.file)
  const log = await createLogger({ ...config.log, ...usual, verbose })
  const opened = await openToolHost({
    config,
    paths,
    ofProject,
    env: options.env,
    root: options.cwd,
    allowWith: 'covey tools serve',
    warn: (message) => log.warn({ message }, 'tool host'),
    logCall: (line) => log.info(line, 'tool call'),
    nameOf: (client) => nameOf(client, files),
  })
  ends.add(() => opened.close())
  return { opened, log }
}

/** Machines are known by their id; people know them by their name. */
async function nameOf(client: string, { book }: LanFiles): Promise<string> {
  const id = client.startsWith('peer/') ? client.slice('peer/'.length) : undefined
  const peer = id === undefined ? undefined : await book.find(id)
  return peer ? `${peer.name} (${shortId(peer.id)})` : client
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

/** As a paired machine knows this one. */
const peerUrlOf = ({ federation }: Config, [first]: readonly Address[]): string => {
  const url = `peer/${toLanSettings(federation).name}`
  return first === undefined || first.port === TOOL_HOST_PORT ? url : `${url}:${first.port}`
}

const foldersOf = ({ tool_host: host }: Config, root: string): readonly string[] => {
  const named = Object.entries(host.workspaces).map(([name, folder]) => `${name}=${folder}`)
  return named.length > 0 ? named : [root]
}
