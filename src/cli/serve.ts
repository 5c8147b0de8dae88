/** `covey serve`: models and agents of this machine behind the APIs that other programs speak, until Ctrl+C. */
import { once } from 'node:events'
import { z } from 'zod'
import type { AppOptions } from '../app.ts'
import { appPaths } from '../config/paths.ts'
import { AppError } from '../protocol/error.ts'
import { type OpenServing, startServing } from '../serve.ts'
import { appOptions } from './app-options.ts'
import type { Command, CommandContext, CommandOption } from './command.ts'
import { toRunFlags } from './run-flags.ts'

const options: readonly CommandOption[] = [
  { flags: '--port <number>', description: 'listen on this port (17615)' },
  {
    flags: '--host <address>',
    description: 'listen on this address instead of this machine only; needs a token',
  },
  { flags: '--no-auth', description: 'no token: every program on this machine may use it' },
  {
    flags: '--federation',
    description: 'let paired machines ask this one, at the address of --host; the API stays on this machine',
  },
  { flags: '--nats <url>', description: 'the same through a NATS server, for machines on several networks' },
  { flags: '--peer <address...>', description: 'a paired machine that is not found by itself, HOST:PORT' },
  ...appOptions,
  { flags: '-v, --verbose', description: 'log to stderr' },
]

type ServerSettings = { readonly host?: string; readonly port?: number }

/** What the configuration says; a flag counts more. */
type ReadSettings = (env: NodeJS.ProcessEnv, cwd: string) => Promise<ServerSettings>

export const createServeCommand = (
  open: OpenServing<AppOptions>,
  readSettings: ReadSettings = async () => ({}),
): Command => ({
  name: 'serve',
  summary: 'Serve models and agents to other programs',
  usage: '[options]',
  options,
  examples: [
    'covey serve',
    'covey serve --port 8080 --permission accept-edits',
    'covey serve --base-url http://127.0.0.1:11434/v1 --model qwen2.5-coder:7b',
    'covey serve --host 192.168.1.20',
    'covey serve --federation --host 192.168.1.20',
  ],
  run: (context) => serve(context, open, readSettings),
})

async function serve(
  context: CommandContext,
  open: OpenServing<AppOptions>,
  readSettings: ReadSettings,
): Promise<number> {
  const { io, env, signal } = context
  const { app } = toRunFlags(context)
  const { federation, ...settings } = readFlags(context, await readSettings(env, app.cwd))
  const { dataFolder } = appPaths(env, process.platform)
  const flags = { ...app.flags, ...federation }
  const started = await startServing({ ...settings, dataFolder }, () => open({ ...app, env, flags }))
  for (const warning of started.warnings) io.err(`covey: ${warning}\n`)
  io.out(started.banner)
  if (!signal.aborted) await once(signal, 'abort')
  await started.close()
  return 0
}

const DEFAULT_PORT = 17_615

const Flags = z.object({
  port: z.coerce.number().int().min(0).max(65_535).default(DEFAULT_PORT),
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
  const parsed = Flags.safeParse({ ...configured, ...flags })
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new AppError('config-invalid', `--${String(issue?.path[0])} ${issue?.message ?? 'is wrong'}`)
  }
  const { auth, federation, peer, nats, ...rest } = parsed.data
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
