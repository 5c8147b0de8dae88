/**
 * `covey --attach URL`: the same run or conversation, on a session that a server holds. The run goes on there when this
 * process ends; tools run on the server's machine.
 */
import type { LineState } from '../client/events.ts'
import { createHttpSession, type HttpSession } from '../client/http-session.ts'
import { cleanControl } from '../lib/clean.ts'
import { maskUrls } from '../lib/mask-url.ts'
import { remedyText } from '../lib/remedy.ts'
import { AppError } from '../protocol/error.ts'
import type { SessionEvent } from '../protocol/event.ts'
import type { SessionApi } from '../protocol/session-api.ts'
import type { Talk } from '../tui/talk.ts'
import type { CommandContext } from './command.ts'
import { converse } from './conversation.ts'
import type { RunFlags } from './run/flags.ts'
import { runOnce } from './run/once.ts'

export type AttachInput = {
  /** As given with --attach. */
  readonly url: string
  /** Empty = a conversation. */
  readonly prompt: string
  readonly flags: RunFlags
}

export async function attach(context: CommandContext, { url, prompt, flags }: AttachInput): Promise<number> {
  if (prompt === '') return converse({ flags, context, open: () => talkTo(context, url, flags) })
  const session = await openRemote(context, url, flags)
  return runOnce(session, { prompt, flags, context, onEvent: (event) => void refuse(session, event) })
}

/** No shell: a command typed here would run on another machine than its output is for. */
async function talkTo(context: CommandContext, url: string, flags: RunFlags): Promise<Talk> {
  const session = await openRemote(context, url, flags)
  const place = { confinement: 'on the server', mode: 'as the server says', cwd: flags.app.cwd }
  return { session, arm: maskUrls(url), ...place, expands: () => true }
}

const UNATTENDED = 'No user is available to answer.'

/** As in a run on this machine: with one prompt and no conversation, what would need a question is refused. */
async function refuse(session: SessionApi, event: SessionEvent): Promise<void> {
  // Another client that watches the session may have answered first.
  const ignore = () => undefined
  if (event.type === 'permission-ask') {
    const reason = `${UNATTENDED} ${remedyText(event.remedy ?? {}, 'covey serve')}`.trim()
    await session.answer(event.askId, { allow: false, reason }).catch(ignore)
  }
  if (event.type === 'question-ask') await session.answer(event.askId, { text: UNATTENDED }).catch(ignore)
}

async function openRemote(
  { env, io }: CommandContext,
  url: string,
  { resume }: RunFlags,
): Promise<HttpSession> {
  if (!/^https?:\/\/./.test(url)) {
    throw new AppError(
      'config-invalid',
      `--attach "${url}" is not a URL; pass the one that \`covey serve\` prints.`,
    )
  }
  if (resume === 'last') {
    throw new AppError('config-invalid', '--attach continues a session by its id; pass --resume-id ID.')
  }
  const token = env['COVEY_TOKEN']
  const session = await createHttpSession({
    baseUrl: url,
    ...(token && { token }),
    onLine: (state) => io.err(`covey: ${lineText(state)}\n`),
    ...(typeof resume === 'object' && { id: resume.id }),
  })
  // A session created for this run is released; an existing one may have other users.
  return resume === 'new' ? session : { ...session, close: async () => {} }
}

/** Tells the user that the connection is slow, not the run, and how long reconnecting continues. */
function lineText(state: LineState): string {
  if (state.type === 'back') return 'connected again.'
  const { why, attempt, attempts, delayMs } = state
  return `${cleanControl(why)} Trying again in ${delayMs / 1000} s (${attempt} of ${attempts}).`
}
