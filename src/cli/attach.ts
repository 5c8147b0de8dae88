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

const NOBODY = 'Nobody is there to ask.'

/** As in a run on this machine: with one prompt and no conversation, what would need a question is refused. */
async function refuse(session: SessionApi, event: SessionEvent): Promise<void> {
  // Somebody else who watches the session may have been faster.
  const ignore = () => undefined
  if (event.type === 'permission-ask') {
    const reason = `${NOBODY} ${remedyText(event.remedy ?? {}, 'covey serve')}`.trim()
    await session.answer(event.askId, { allow: false, reason }).catch(ignore)
  }
  if (event.type === 'question-ask') await session.answer(event.askId, { text: NOBODY }).catch(ignore)
}

async function openRemote(
  { env, io }: CommandContext,
  url: string,
  { resume }: RunFlags,
): Promise<HttpSession> {
  if (!/^https?:\/\/./.test(url)) {
    throw new AppError('config-invalid', `--attach "${url}" is no address; it is printed by \`covey serve\`.`)
  }
  if (resume === 'last') {
    throw new AppError('config-invalid', '--attach goes on with one session by its id: --resume-id ID.')
  }
  const token = env['COVEY_TOKEN']
  const session = await createHttpSession({
    baseUrl: url,
    ...(token && { token }),
    onLine: (state) => io.err(`covey: ${lineText(state)}\n`),
    ...(typeof resume === 'object' && { id: resume.id }),
  })
  // One that was made for this run is given free; one that was there before belongs to others too.
  return resume === 'new' ? session : { ...session, close: async () => {} }
}

/** Whoever waits for a run must know that it is the line that is slow, and for how long that is tried. */
function lineText(state: LineState): string {
  if (state.type === 'back') return 'connected again.'
  const { why, attempt, attempts, delayMs } = state
  return `${cleanControl(why)} Trying again in ${delayMs / 1000} s (${attempt} of ${attempts}).`
}
