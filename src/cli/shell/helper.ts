/**
 * Who answers in the shell: a session of this machine, opened at the first question and again when the shell has moved out of
 * its folder. Commands the model wants to run are not run: they are handed back as proposals, and nothing is changed.
 */
import { relative } from 'node:path'
import type { App } from '../../app/open.ts'
import type { AppSession } from '../../app/session.ts'
import { AppError, errorMessage } from '../../protocol/error.ts'
import type { SessionEvent } from '../../protocol/event.ts'
import type { Answered, Helper, Question, Surface } from '../../shell/helper.ts'
import type { CommandContext } from '../command.ts'
import type { RunFlags } from '../run/flags.ts'
import { promptAndWatch } from '../watch.ts'
import { createAnswerView } from './answer-view.ts'
import { agentArgv } from './agent.ts'

type Opened = { readonly app: App; readonly session: AppSession; readonly root: string }

const INSTRUCTIONS = `You answer at the person's own shell prompt. Be brief. When a command would help, write it on a line of
its own as CMD: command. It is put on their prompt, and they decide whether it runs; you never run or change anything.`

const NOT_RUN = 'It was put on the prompt of the person, who decides whether it runs. Finish your answer now.'
const NOT_DONE =
  'Nothing is changed from the shell. Propose a command on a line CMD: command, or tell the person to use :agent TASK.'

export function createHelper(flags: RunFlags, context: CommandContext): Helper {
  const held = createHolder(flags, context)
  return {
    async ask(question, surface, signal) {
      const opened = await held.open(question.folder)
      return askHere(opened, { question, surface, signal })
    },
    judge: async (command) => (await import('../../app/queries.ts')).effectsOfCommand(command),
    outgoing: async (text, folder) => (await held.open(folder)).session.outgoing(text),
    async models(folder) {
      const { app, session } = await held.open(folder)
      const list = [...new Set([...app.arms(), ...app.configured])]
      return { current: session.arm.current() ?? app.armId, list }
    },
    async useModel(id, folder) {
      await switchTo(await held.open(folder), id)
      held.keepArm(id)
    },
    async usePreset(name, folder) {
      const opened = await held.open(folder)
      const { arms, configured, presets } = opened.app
      const id = presets[name]
      const choose = `Choose one: covey config set shell.${name} ARM (there are ${[...new Set([...arms(), ...configured])].join(', ')})`
      if (id === undefined) throw new AppError('config-invalid', `:${name} has no arm yet. ${choose}`)
      await switchTo(opened, id).catch((error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'request-invalid') throw error
        throw new AppError('config-invalid', `:${name} is set to "${id}", which is not an arm. ${choose}`)
      })
      held.keepArm(id)
      return id
    },
    agentArgv: (task) => agentArgv({ ...context.options, ...held.chosen() }, task),
    close: () => held.close(),
  }
}

/** With `--model` only that arm is open at first; others of the configuration are opened when they are asked for. */
async function switchTo({ app, session }: Pick<Opened, 'app' | 'session'>, id: string): Promise<void> {
  await app.openArm(id)
  session.arm.use(id)
}

/** One app and session at a time, for the folder the shell is in or one above it. */
function createHolder({ app: options }: RunFlags, { env }: CommandContext) {
  let opened: Opened | undefined
  let arm: string | undefined
  const close = async (): Promise<void> => {
    const ending = opened
    opened = undefined
    await ending?.session.close()
    await ending?.app.close()
  }
  return {
    close,
    keepArm(id: string) {
      arm = id
    },
    /** As a flag; nothing where no one was chosen here. */
    chosen: () => (arm === undefined ? {} : { model: arm }),
    async open(folder: string): Promise<Opened> {
      if (opened && isInside(folder, opened.root)) return opened
      await close()
      const { createApp } = await import('../../app/open.ts')
      const rules = [{ tool: 'run_command', verdict: 'ask' }]
      const flags = { ...options.flags, 'permission.rules': rules }
      const app = await createApp({ ...options, env, cwd: folder, permission: 'ask', flags })
      try {
        const session = await app.openSession({ resume: 'new', canAsk: true, instructions: INSTRUCTIONS })
        if (arm !== undefined) await switchTo({ app, session }, arm)
        opened = { app, session, root: folder }
        return opened
      } catch (error) {
        await app.close()
        throw error
      }
    },
  }
}

function isInside(folder: string, root: string): boolean {
  const way = relative(root, folder)
  return way === '' || !(way.startsWith('..') || way.startsWith('/'))
}

type Asking = { readonly question: Question; readonly surface: Surface; readonly signal: AbortSignal }

async function askHere(opened: Opened, { question, surface, signal }: Asking): Promise<Answered> {
  const { session } = opened
  const { text, output } = question
  const prompt = [
    ...(question.folder === opened.root ? [] : [`The shell is in ${question.folder}.`]),
    text,
  ].join('\n\n')
  const view = createAnswerView(surface)
  const commands: string[] = []
  let reply = ''
  let problem: string | undefined
  const show = (event: SessionEvent): void => {
    view.show(event)
    if (event.type === 'turn-end') reply += textOf(event)
    if (event.type === 'error') problem = event.message
    if (event.type === 'proposal') commands.push(event.command)
    answerFor(event, session, commands)
    // The person decides now; another request would only tell the model so.
    if (event.type === 'turn-end' && commands.length > 0) void session.cancel().catch(() => undefined)
  }
  if (output !== '') await session.command('exec-output', output)
  try {
    const end = await promptAndWatch({ session, prompt, show, signal })
    const isAnswered = end.reason === 'answered' || commands.length > 0 || reply.trim() !== ''
    if (!isAnswered) await session.command('reset-exec-output')
    const why = problem ?? end.report
    return {
      text: reply,
      commands: wanted(commands, reply),
      isAnswered,
      ...(!isAnswered && why !== undefined && { problem: why }),
    }
  } catch (error) {
    await session.command('reset-exec-output').catch(() => undefined)
    throw error
  } finally {
    view.end()
  }
}

const textOf = ({ messages }: Extract<SessionEvent, { type: 'turn-end' }>): string =>
  messages.flatMap((message) => (message.role === 'assistant' ? [`${message.text}\n`] : [])).join('')

/** `CMD:` lines and blocks are read from the reply itself, one by one; the event joins them. */
const wanted = (commands: readonly string[], reply: string): readonly string[] =>
  /^[ \t]*(?:CMD:|```)/m.test(reply) ? commands.filter((command) => !command.includes(' && ')) : commands

/** No one is asked: a command becomes a proposal, everything else is refused with the reason. */
function answerFor(event: SessionEvent, session: AppSession, commands: string[]): void {
  const refuse = (askId: string, reason: string): void =>
    void session.answer(askId, { allow: false, reason }).catch(() => undefined)
  if (event.type === 'permission-ask') {
    const runs = event.access.filter(({ kind }) => kind === 'run')
    commands.push(...runs.map(({ target }) => target))
    refuse(event.askId, runs.length > 0 ? NOT_RUN : NOT_DONE)
  }
  if (event.type === 'question-ask')
    void session
      .answer(event.askId, { text: 'Say in your answer what you would need to know.' })
      .catch((error: unknown) => void errorMessage(error))
}
