/** `covey "prompt"` and `covey run "prompt"`, as the help tells of them. */
import { appOptions } from './app-options.ts'
import type { Command, CommandOption } from './command.ts'

const options: readonly CommandOption[] = [
  ...appOptions,
  { flags: '--max-turns <n>', description: 'end the run after this many turns' },
  { flags: '--timeout <seconds>', description: 'end the run after this long' },
  { flags: '--system <text>', description: 'text that replaces the built-in system text' },
  { flags: '--resume', description: 'continue the last session of this folder' },
  { flags: '--resume-id <id>', description: 'continue this session' },
  {
    flags: '--attach <url>',
    description: 'use a session on a server, at the address that covey serve printed',
  },
  { flags: '--incognito', description: 'do not store this session' },
  { flags: '--recap', description: 'tell the model what the last session of this folder was about' },
  { flags: '--json', description: 'print events as JSON lines, the first one with the session id' },
  {
    flags: '--plain',
    description: 'a conversation line by line, without escape codes (also TERM=dumb, NO_COLOR)',
  },
  { flags: '-v, --verbose', description: 'show timings, tokens and corrections' },
  { flags: '--log-file <file>', description: 'log to this file, as JSON lines' },
]

export const promptCommand: Command = {
  name: 'covey',
  summary: 'A coding agent for small local models.',
  usage: '[options] [prompt...]',
  options,
  examples: [
    'covey "What files are in this folder?"',
    'covey --base-url http://127.0.0.1:11434/v1 --model qwen2.5-coder:7b "Fix the failing test"',
    'git diff | covey "Review this change"',
    'covey --resume "Now add a test for it"',
    'covey                                    # a conversation',
  ],
  run: async (context) => (await import('./run/prompt.ts')).runPrompt(context),
}

export const runCommand: Command = {
  ...promptCommand,
  name: 'run',
  summary: 'Run one prompt and print the answer',
  examples: [
    'covey run "Explain src/app.ts"',
    'covey run --json --permission accept-edits "Rename LIMIT to MAX"',
  ],
}
