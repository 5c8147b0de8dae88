/**
 * `covey "prompt"`, `covey run "prompt"` and piped stdin: one run, the answer on stdout, an exit code that says how it
 * ended. Without a prompt on a terminal it opens the conversation.
 */
import type { App } from '../../app/open.ts'
import { cleanControl } from '../../lib/clean.ts'
import { AppError } from '../../protocol/error.ts'
import { createAtStart } from '../at-start.ts'
import type { CommandContext } from '../command.ts'
import { converse, type Talk } from '../conversation.ts'
import { type RunFlags, toRunFlags } from './flags.ts'
import { runOnce } from './once.ts'

export async function runPrompt(context: CommandContext): Promise<number> {
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

  if (flags.attach !== undefined) {
    const { attach } = await import('../attach.ts')
    return attach(context, { url: flags.attach, prompt, flags })
  }
  const { createApp } = await import('../../app/open.ts')
  const atStart = createAtStart(io, flags)
  const app = await createApp({ ...flags.app, env: context.env, atStart })
  try {
    for (const warning of app.warnings) io.err(`covey: ${cleanControl(warning)}\n`)
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
    undo: session.undo,
    runForPerson: app.runForPerson,
  }
  return converse(talk, flags, context)
}
