/** Joins the configured MCP servers with what they may have of this machine: for sessions, and for `covey mcp`. */
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { maskSecrets } from '../config/mask.ts'
import { toMcpServers } from '../config/mcp.ts'
import { serverKey } from '../config/of-project.ts'
import type { AppPaths } from '../config/paths.ts'
import type { Config } from '../config/schema.ts'
import { toChildEnvironment } from '../guard/sandbox/environment.ts'
import { createLaunch } from '../guard/launch.ts'
import { detectSandbox } from '../guard/sandbox/detect.ts'
import { openTrust } from '../guard/trust.ts'
import { sandboxOptions } from './sandbox.ts'
import { packageVersion } from '../lib/package-files.ts'
import { plural } from '../lib/text.ts'
import { readCached } from '../mcp/cache.ts'
import type { ServerTest } from '../mcp/test-server.ts'
import { openMcp } from '../mcp/open.ts'
import type { Equipment } from '../protocol/equipment.ts'
import type { Launch } from '../lib/process.ts'

export type McpContext = {
  readonly config: Config
  readonly paths: AppPaths
  readonly env: NodeJS.ProcessEnv
  /** Where servers start. */
  readonly cwd: string
  /** How they start, by their keys in the configuration. */
  readonly launch: Launch
}

export type McpSession = {
  /** Nothing is written down. */
  readonly incognito: boolean
  warn(message: string): void
}

/** For one session. Does not wait for a server, and starts none whose tools are known from last time. */
export async function openMcpServers(
  { config, paths, env, cwd, launch }: McpContext,
  { incognito, warn }: McpSession,
): Promise<Equipment> {
  const { servers, problems } = toMcpServers(config.mcp, { env, offline: config.offline })
  for (const [name, why] of problems) warn(`The MCP server ${name} is left out: ${why}.`)
  return openMcp({
    servers,
    cwd,
    version: packageVersion(),
    environment: () => toChildEnvironment(env),
    launch: byKey(launch),
    ...(!incognito && { cacheFolder: cacheFolderOf(paths) }),
    warn,
  })
}

const byKey =
  (launch: Launch): Launch =>
  (name, argv, place) =>
    launch(serverKey(name), argv, place)

const cacheFolderOf = ({ dataFolder }: AppPaths): string => join(dataFolder, 'mcp')

export type McpListing = {
  readonly name: string
  /** The command line or address it is reached by. */
  readonly place: string
  /** What is known of it: its tools from last time, or why it is not used. */
  readonly state: string
}

/** The configured servers, without starting any. */
export async function listMcpServers({
  config,
  paths,
  env,
  cwd,
}: Omit<McpContext, 'launch'>): Promise<readonly McpListing[]> {
  const { servers, problems } = toMcpServers(config.mcp, { env, offline: config.offline })
  return Promise.all(
    Object.keys(config.mcp.servers).map(async (name) => {
      const place = placeOf(config, name)
      const ready = servers.find((server) => server.name === name)
      if (!ready) return { name, place, state: problems.get(name) ?? 'switched off' }
      const known = await readCached({ folder: cacheFolderOf(paths), settings: ready, cwd })
      return { name, place, state: known ? plural(known.tools.length, 'tool') : 'not asked yet' }
    }),
  )
}

const Shown = z.object({
  servers: z.record(
    z.string(),
    z.object({ url: z.string().optional(), command: z.string().optional(), args: z.array(z.string()) }),
  ),
})

/** As it may be shown: an address, an argument may hold a key. */
function placeOf(config: Config, name: string): string {
  const { url, command = '', args } = Shown.parse(maskSecrets(config)['mcp']).servers[name] ?? { args: [] }
  return url ?? [command, ...args].join(' ')
}

/** Starts servers, asks each what it has, and ends them. Without a name, all of them. */
export async function testMcpServers(
  {
    config,
    paths,
    env,
    cwd,
    ofProject,
  }: Omit<McpContext, 'launch'> & { readonly ofProject: ReadonlySet<string> },
  name?: string,
): Promise<readonly ServerTest[]> {
  const { servers } = toMcpServers(config.mcp, { env, offline: config.offline })
  const { testServer } = await import('../mcp/test-server.ts')
  const version = packageVersion()
  const wanted = servers.filter((server) => name === undefined || server.name === name)
  const environment = () => toChildEnvironment(env)
  const names = servers.map((server) => server.name)
  const cacheFolder = cacheFolderOf(paths)
  const options = sandboxOptions({ config, paths, env, root: await realpath(cwd) })
  const isConfined = wanted.some((server) => ofProject.has(serverKey(server.name)))
  const sandbox = isConfined ? await detectSandbox(options) : { missing: 'none was looked for' }
  const launch = createLaunch({
    root: cwd,
    ofProject,
    openTrust: () => openTrust(join(paths.dataFolder, 'trust.json')),
    sandbox: async () => sandbox,
  })
  const shared = { cwd, version, environment, names, cacheFolder, launch: byKey(launch) }
  try {
    return await Promise.all(wanted.map((settings) => testServer({ ...shared, settings })))
  } finally {
    if (!('missing' in sandbox)) await sandbox.close()
  }
}
