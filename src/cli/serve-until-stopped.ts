/** What `covey serve` does: starts the server of what it is handed and ends it in order at Ctrl+C. */
import { once } from 'node:events'
import { z } from 'zod'
import type { AppOptions } from '../app/open.ts'
import { appPaths } from '../config/paths.ts'
import { cleanControl } from '../lib/clean.ts'
import { type OpenServing, startServing } from '../app/serve.ts'
import type { CommandContext } from './command.ts'
import { parseFlags } from './parse-flags.ts'
import { wholeNumber } from './number-flag.ts'
import { toRunFlags } from './run/flags.ts'

export type OpenAppServing = OpenServing<AppOptions>

type ServerSettings = { readonly host?: string; readonly port?: number }

/** What the configuration says; a flag counts more. */
export type ReadSettings = (env: NodeJS.ProcessEnv, cwd: string) => Promise<ServerSettings>

export async function serveUntilStopped(
  context: CommandContext,
  open: OpenAppServing,
  readSettings: ReadSettings,
): Promise<number> {
  const { io, env, signal } = context
  const { app } = toRunFlags(context)
  const { federation, ...settings } = readFlags(context, await readSettings(env, app.cwd))
  const { dataFolder } = appPaths(env, process.platform)
  const flags = { ...app.flags, ...federation }
  const started = await startServing({ ...settings, dataFolder }, () => open({ ...app, env, flags }))
  for (const warning of started.warnings) io.err(`covey: ${cleanControl(warning)}\n`)
  io.out(started.banner)
  if (!signal.aborted) await once(signal, 'abort')
  await started.close()
  return 0
}

const DEFAULT_PORT = 17_615

const Flags = z.object({
  port: wholeNumber({ min: 0, max: 65_535 }).default(DEFAULT_PORT),
  host: z.string().min(1).exactOptional(),
  auth: z.boolean().default(true),
  federation: z.boolean().default(false),
  peer: z.array(z.string()).default([]),
  nats: z.string().exactOptional(),
})

function readFlags({ options }: CommandContext, configured: ServerSettings) {
  const { host: given, ...others } = options
  // With --federation it is the peers who are let in there; programs of other machines still are not.
  const flags = options['federation'] === true ? others : options
  const { auth, federation, peer, nats, ...rest } = parseFlags(Flags, { ...configured, ...flags })
  return {
    ...rest,
    isAuthOff: !auth,
    federation: {
      ...(federation && federationFlags(given, peer)),
      ...(nats !== undefined && natsFlags(nats)),
    },
  }
}

const natsFlags = (url: string) => ({
  'federation.enabled': true,
  'federation.transport': 'nats',
  'federation.nats.url': url,
})

const federationFlags = (host: unknown, peers: readonly string[]) => ({
  'federation.enabled': true,
  ...(typeof host === 'string' && { 'federation.host': host }),
  ...(peers.length > 0 && { 'federation.peers': peers }),
})
