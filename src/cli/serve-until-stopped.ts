/** What `covey serve` does: starts the server of what it is handed and ends it in order at Ctrl+C. */
import { once } from 'node:events'
import { z } from 'zod'
import type { AppOptions } from '../app/open.ts'
import { appPaths } from '../config/paths.ts'
import { cleanControl } from '../lib/clean.ts'
import { type PreparedServing, type Started, startServing } from '../app/serve.ts'
import type { CommandContext } from './command.ts'
import { parseFlags } from './parse-flags.ts'
import { wholeNumber } from './number-flag.ts'
import { toRunFlags } from './run/flags.ts'

export type PrepareServing = (options: AppOptions) => Promise<PreparedServing>

export async function serveUntilStopped(
  context: CommandContext,
  prepare: PrepareServing,
  onStarted: (started: Started) => Promise<void> = async () => {},
): Promise<number> {
  const { io, env, signal } = context
  const { app } = toRunFlags(context)
  const { federation, isAuthOff, ...given } = readFlags(context)
  const { open, ...configured } = await prepare({ ...app, env, flags: { ...app.flags, ...federation } })
  const { dataFolder } = appPaths(env, process.platform)
  const settings = { port: DEFAULT_PORT, ...configured, ...given, isAuthOff, dataFolder }
  const started = await startServing(settings, open)
  for (const warning of started.warnings) io.err(`covey: ${cleanControl(warning)}\n`)
  io.out(started.banner)
  await onStarted(started)
  if (!signal.aborted) await once(signal, 'abort')
  await started.close()
  return 0
}

const DEFAULT_PORT = 17_615

const Flags = z.object({
  port: wholeNumber({ min: 0, max: 65_535 }).exactOptional(),
  host: z.string().min(1).exactOptional(),
  auth: z.boolean().default(true),
  federation: z.boolean().default(false),
  peer: z.array(z.string()).default([]),
  nats: z.string().exactOptional(),
})

function readFlags({ options }: CommandContext) {
  const { host: given, ...others } = options
  // With --federation it is the peers who are let in there; programs of other machines still are not.
  const flags = options['federation'] === true ? others : options
  const { auth, federation, peer, nats, ...rest } = parseFlags(Flags, flags)
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
