/** A session of this machine, as the terminal and the plain conversation are handed it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createBack } from '../app/back.ts'
import type { App } from '../app/open.ts'
import type { AppSession } from '../app/session.ts'
import { openUndoService } from '../app/undo.ts'
import { appPaths } from '../config/paths.ts'
import { shortHash } from '../lib/hash.ts'
import { defined } from '../lib/object.ts'
import type { Back } from '../protocol/back.ts'
import { AppError } from '../protocol/error.ts'
import type { AtStart } from '../protocol/start.ts'
import type { Reopening, Talk } from '../tui/talk.ts'
import type { CommandContext } from './command.ts'
import type { RunFlags } from './run/flags.ts'
import { ownArgv } from './shell/agent.ts'

export type ConverseParts = {
  readonly flags: RunFlags
  readonly context: CommandContext
  open(atStart: AtStart): Promise<Talk>
}

/** What a person may switch between without leaving; the other modes are chosen when Covey starts. */
const MODES = ['ask', 'accept-edits', 'auto', 'read-only'] as const

export async function openTalk(app: App, flags: RunFlags, context: CommandContext): Promise<Talk> {
  const { recap, resume } = flags
  const session = await app.openSession({ resume, canAsk: true, recap })
  return toTalk(app, session, { flags, context, isResumed: resume !== 'new' })
}

type Opened = { readonly flags: RunFlags; readonly context: CommandContext; readonly isResumed: boolean }

async function toTalk(app: App, session: AppSession, opened: Opened): Promise<Talk> {
  const { flags, context, isResumed } = opened
  const { cwd } = flags.app
  const branch = await branchOf(cwd)
  const { capture } = context
  return {
    session,
    arm: app.armId,
    confinement: app.confinement,
    cwd,
    mode: app.permissionMode,
    warnings: app.warnings,
    isResumed,
    ...(flags.app.incognito && { isIncognito: true }),
    lastEventId: session.lastEventId,
    ...(branch !== undefined && { branch }),
    ...(session.recap !== undefined && !flags.recap && { recap: session.recap }),
    expands: session.expands,
    undo: session.undo,
    back: backOf(app, session, opened),
    shell: {
      needsTerminal: app.needsTerminal,
      run: app.runForPerson,
      argv: (words) => ownArgv({ ...context.options, ...chosenIn(session) }, words),
    },
    ...modesOf(session),
    arms: armsOf(app, session),
    keys: app.terminal.keys,
    notify: { notify: app.terminal.notify, notifyAfterMs: app.terminal.notify_after_s * 1000 },
    files: session.look.files,
    mention: session.look.mention,
    ...(capture && { ask: (argv) => capture(inFolder(argv, cwd)) }),
    reopen: async (wish) => {
      // The app that keeps nothing is another one: who opened this one opens it.
      if (wish === 'incognito') throw new AppError('request-invalid', INCOGNITO)
      return reopen(app, session, { wish, ...opened })
    },
  }
}

const INCOGNITO = 'This conversation cannot become incognito; start `covey --incognito`.'

/** What was chosen since the start: it holds for what is started from here. */
const chosenIn = ({ mode, arm }: AppSession): Readonly<Record<string, string>> => ({
  permission: mode.current(),
  ...defined({ model: arm.current() }),
})

/** Only the plan takes the folder as a flag; the others look at the one Covey was started in. Its words may begin with a dash. */
const inFolder = ([name = '', ...words]: readonly string[], cwd: string): readonly string[] =>
  name === 'plan' ? [name, '--cwd', cwd, '--', ...words] : [name, ...words]

async function reopen(
  app: App,
  session: AppSession,
  { wish, ...opened }: Opened & { readonly wish: Exclude<Reopening, 'incognito'> },
): Promise<Talk> {
  const resume = await resumeOf(app, session, wish)
  if (typeof resume === 'object' && resume.id === session.id)
    throw new AppError('request-invalid', 'This is the session you are in.')
  const next = await app.openSession({ resume, canAsk: true })
  await session.close()
  return toTalk(app, next, { ...opened, isResumed: resume !== 'new' })
}

async function resumeOf(
  { sessions }: App,
  { id }: AppSession,
  wish: Exclude<Reopening, 'incognito'>,
): Promise<RunFlags['resume']> {
  if (wish === 'new' || 'id' in wish) return wish
  return { id: await ('forkOf' in wish ? sessions.fork(wish.forkOf) : sessions.fork(id, wish)) }
}

function backOf({ sessions }: App, { id, undo }: AppSession, { flags, context }: Opened): Back {
  const { cwd, incognito } = flags.app
  const openUndo = async () => openUndoService(context.env, cwd)
  return createBack({ id, store: sessions, undo, ...(!incognito && { openUndo }) })
}

function modesOf({ mode }: AppSession): Pick<Talk, 'modes'> {
  if (!MODES.some((name) => name === mode.current())) return {}
  return {
    modes: {
      current: () => mode.current(),
      list: () => MODES,
      use: (name) => {
        const known = MODES.find((each) => each === name)
        if (known) mode.use(known)
      },
    },
  }
}

const armsOf = (app: App, { arm }: AppSession): NonNullable<Talk['arms']> => ({
  current: () => arm.current() ?? app.armId,
  list: () => app.arms(),
  use: (id) => arm.use(id),
})

/** The colours chosen last. */
export const themeFileOf = (env: NodeJS.ProcessEnv): string =>
  join(appPaths(env, process.platform).dataFolder, 'theme')

/** Prompts of one folder, in one file. */
export function historyFileOf(
  { app: { cwd, incognito } }: RunFlags,
  env: NodeJS.ProcessEnv,
): string | undefined {
  if (incognito) return undefined
  return join(appPaths(env, process.platform).dataFolder, 'history', `${shortHash(cwd)}.jsonl`)
}

async function branchOf(cwd: string): Promise<string | undefined> {
  const head = await readFile(join(cwd, '.git', 'HEAD'), 'utf8').catch(() => '')
  return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1]
}
