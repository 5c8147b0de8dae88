/** `covey serve`: models and agents of this machine behind the APIs that other programs speak, until Ctrl+C. */
import { appOptions } from './app-options.ts'
import type { Command, CommandOption } from './command.ts'
import type { PrepareServing } from './serve-until-stopped.ts'

export const serveOptions: readonly CommandOption[] = [
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
  { flags: '--peer <address...>', description: 'HOST:PORT of a paired machine that is not discovered' },
  ...appOptions,
  { flags: '-v, --verbose', description: 'log to stderr' },
]

export const createServeCommand = (prepare: PrepareServing): Command => ({
  name: 'serve',
  summary: 'Serve models and agents to other programs',
  usage: '[options]',
  options: serveOptions,
  examples: [
    'covey serve',
    'covey serve --port 8080 --permission accept-edits',
    'covey serve --base-url http://127.0.0.1:11434/v1 --model qwen2.5-coder:7b',
    'covey serve --host 192.168.1.20',
    'covey serve --federation --host 192.168.1.20',
  ],
  async run(context) {
    const { serveUntilStopped } = await import('./serve-until-stopped.ts')
    return serveUntilStopped(context, prepare)
  },
})
