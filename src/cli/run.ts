/**
 * `covey "prompt"`, `covey run "prompt"` and piped stdin: one run, the answer on stdout, an exit code that says how it
 * ended. Without a prompt on a terminal it opens the conversation.
 */
import { createApp, type App } from '../app.ts'
import { AppError } from '../protocol/error.ts'
import { appOptions } from './app-options.ts'
import { attach } from './attach.ts'
import type { Command, CommandContext, CommandOption } from './command.ts'
import { converse, type Talk } from './conversation.ts'
import { type RunFlags, toRunFlags } from './run-flags.ts'
import { runOnce } from './run-once.ts'

const options: readonly CommandOption[] = [
  ...appOptions,
  { flags: '--max-turns <n>', description: 'end the run after this many turns' },
  { flags: '--timeout <seconds>', description: 'end the run after this long' },
  { flags: '--system <text>', description: 'text that replaces the built-in system text' },
  { flags: '--resume', description: 'go on with the last session of this folder' },
  { flags: '--resume-id <id>', description: 'go on with this session' },
  {
    flags: '--attach <url>',
    description: 'use a session on a server, at the address that covey serve printed',
  },
  { flags: '--incognito', description: 'keep nothing of this session' },
  { flags: '--json', description: 'print events as JSON lines' },
  { flags: '-v, --verbose', description: 'show timings, tokens and corrections; log to stderr' },
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
  run: runPrompt,
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

async function runPrompt(context: CommandContext): Promise<number> {
  const { io } = context
  const flags = toRunFlags(context)
  const words = context.args.join(' ').trim()
  const piped = await io.piped(words !== '')
  if (piped?.truncated) io.err('covey: the piped text was cut at 16 MiB\n')
  const prompt = [words, piped?.text.trim()].filter(Boolean).join('\n\n')
  const isConversation = prompt === '' && io.isTty
  if (prompt === '' && !isConversation) {
    throw new AppError(
      'config-invalid',
      'no prompt: write it in quotes, pipe it in, or start `covey` on a terminal.',
    )
  }

  if (flags.attach !== undefined) return attach(context, { url: flags.attach, prompt, flags })
  const app = await createApp({ ...flags.app, env: context.env })
  try {
    for (const warning of app.warnings) io.err(`covey: ${warning}\n`)
    if (flags.verbose) io.err(`covey: commands: ${app.confinement}\n`)
    if (isConversation) return await talkTo(app, flags, context)
    const session = await app.openSession({ resume: flags.resume, canAsk: false })
    return await runOnce(session, { prompt, flags, context })
  } finally {
    await app.close()
  }
}

async function talkTo(app: App, flags: RunFlags, context: CommandContext): Promise<number> {
  const session = await app.openSession({ resume: flags.resume, canAsk: true })
  const talk: Talk = {
    session,
    heading: `${app.armId} · ${app.permissionMode} · ${app.confinement}`,
    ...(session.recap !== undefined && { recap: session.recap }),
    expands: session.expands,
    runForPerson: app.runForPerson,
  }
  return converse(talk, flags, context)
}
