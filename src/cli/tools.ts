/** `covey tools`: this machine's tools for sessions on other machines, under the permissions of this one. */
import type { Command } from './command.ts'
import { permissionModeNames } from '../protocol/permission-modes.ts'

export const toolsCommand: Command = {
  name: 'tools',
  summary: 'Run tools for sessions on other machines, or list what would be offered',
  usage: '[ls | serve]',
  options: [
    { flags: '--port <number>', description: 'listen on this port (17616)' },
    {
      flags: '--host <address>',
      description: 'listen on this address instead of this machine only; needs a paired machine or a token',
    },
    { flags: '--no-auth', description: 'no token: every program on this machine may use it' },
    {
      flags: '-p, --permission <mode>',
      description: `what may happen here: ${permissionModeNames}; ask allows only reads`,
    },
    { flags: '--profile <name>', description: 'a profile of the configuration' },
    { flags: '--cwd <folder>', description: 'work in this folder' },
    { flags: '-v, --verbose', description: 'log to stderr' },
  ],
  examples: [
    'covey tools',
    'covey tools serve --permission accept-edits',
    'covey tools serve --host 192.168.1.20 --permission auto',
  ],
  run: async (context) => (await import('./tools-actions.ts')).actOnTools(context),
}
