/**
 * `covey "prompt"`, `covey run "prompt"` and piped stdin: one run, the answer on stdout, an exit code that says how it
 * ended. Without a prompt on a terminal it opens the conversation.
 */
import type { App } from '../../app/open.ts'
import { cleanControl } from '../../lib/clean.ts'
import { AppError } from '../../protocol/error.ts'
import { createAtStart } from '../at-start.ts'
import type { CommandContext } from '../command.ts'
import type { AtStart } from '../../protocol/start.ts'
import type { Talk } from '../../tui/talk.ts'
import { converse } from '../conversation.ts'
import { openPerson } from '../person.ts'
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
  if (isConversation) return converse({ flags, context, open: openHere(flags, context) })
  const { createApp } = await import('../../app/open.ts')
  const atStart = createAtStart(io, flags)
  const app = await createApp({ ...flags.app, env: context.env, atStart })
  try {
    for (const warning of app.warnings) io.err(`covey: ${cleanControl(warning)}\n`)
    if (flags.verbose) io.err(`covey: commands: ${app.confinement}\n`)
    const person = flags.json ? undefined : await openPerson()
    try {
      const canAsk = person !== undefined
      const session = await app.openSession({ resume: flags.resume, canAsk, recap: flags.recap })
      return await runOnce(session, { prompt, flags, context, ...(person && { person }) })
    } finally {
      person?.close()
    }
  } finally {
    await app.close()
  }
}

/** The app lives as long as the session it was opened for. */
const openHere =
  (flags: RunFlags, context: CommandContext) =>
  async (atStart: AtStart): Promise<Talk> => {
    const { createApp } = await import('../../app/open.ts')
    const app = await createApp({ ...flags.app, env: context.env, atStart })
    try {
      const { openTalk } = await import('../talk.ts')
      return vanishing(closingApp(await openTalk(app, flags, context), app), flags, context)
    } catch (error) {
      await app.close()
      throw error
    }
  }

/** Every conversation that takes the place of the first one can be left for one of which nothing is kept. */
function vanishing(talk: Talk, flags: RunFlags, context: CommandContext): Talk {
  const { reopen } = talk
  if (!reopen) return talk
  return {
    ...talk,
    reopen: async (wish) =>
      wish === 'incognito' ? vanish(talk, flags, context) : vanishing(await reopen(wish), flags, context),
  }
}

/** Another program in the place of this one: what was opened to keep things cannot be made to forget. */
async function vanish(before: Talk, flags: RunFlags, context: CommandContext): Promise<Talk> {
  const incognito = { ...flags, resume: 'new' as const, app: { ...flags.app, incognito: true } }
  const talk = await openHere(incognito, context)({ status: () => {} })
  await before.session.close()
  return talk
}

function closingApp(talk: Talk, app: App): Talk {
  const { session, reopen } = talk
  const close = (): Promise<void> => session.close().finally(() => app.close())
  return {
    ...talk,
    session: {
      id: session.id,
      history: () => session.history(),
      prompt: (input, options) => session.prompt(input, options),
      cancel: () => session.cancel(),
      answer: (askId, answer) => session.answer(askId, answer),
      events: (options) => session.events(options),
      command: (name, argument) => session.command(name, argument),
      list: () => session.list(),
      close,
    },
    ...(reopen && { reopen: async (wish) => closingApp(await reopen(wish), app) }),
  }
}
