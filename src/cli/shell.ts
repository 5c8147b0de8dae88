/** `covey shell`, as the help tells of it. */
import { appOptions } from './app-options.ts'
import type { Command } from './command.ts'

export const shellCommand: Command = {
  name: 'shell',
  summary: 'Your own shell, with questions and commands at one prompt',
  usage: '[options]',
  options: [
    ...appOptions,
    {
      flags: '--once <question>',
      description: 'answer one question and end, for key bindings of other shells',
    },
    {
      flags: '--plain',
      description: 'line by line, over sh (also TERM=dumb and shells without a line editor)',
    },
    { flags: '--incognito', description: 'do not store the conversation' },
  ],
  examples: [
    'covey shell',
    'covey shell --model qwen2.5-coder:7b',
    'covey shell --once "which process listens on port 3000?"',
    'make 2>&1 | covey shell --once "why does it fail?"',
  ],
  run: async (context) => (await import('./shell/open.ts')).openShell(context),
}
