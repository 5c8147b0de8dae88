/** `covey sessions`: what was said before, kept on disk. */
import { openSessions, type Sessions } from '../app/queries.ts'
import { cleanControl } from '../lib/clean.ts'
import { AppError } from '../protocol/error.ts'
import type { SessionInfo } from '../protocol/session-api.ts'
import { requireAction } from './action.ts'
import type { Command, CommandContext } from './command.ts'

type Action = (store: Sessions, context: CommandContext) => Promise<void>

export const sessionsCommand: Command = {
  name: 'sessions',
  summary: 'List, search, show, fork, export or delete sessions',
  usage:
    '[ls | search <text> | show <id> | fork <id> [message] | export <id> [md|json|html] | rm <id> | prune]',
  options: [{ flags: '-a, --all', description: 'sessions of every folder, not only this one' }],
  examples: [
    'covey sessions',
    'covey sessions search "failing test"',
    'covey sessions export 20261115-0912-k3f9 html > talk.html',
    'covey sessions fork 20261115-0912-k3f9 4',
  ],
  async run(context) {
    const name = context.args[0] ?? 'ls'
    const action = requireAction('sessions', actions, name)
    await action(await openSessions(context.env, context.cwd), { ...context, args: context.args.slice(1) })
    return 0
  },
}

const formats: Readonly<Record<string, 'markdown' | 'json' | 'html'>> = {
  md: 'markdown',
  json: 'json',
  html: 'html',
}

const actions: Readonly<Record<string, Action>> = {
  async ls(store, { options, cwd, io }) {
    const sessions = await store.list(options['all'] ? undefined : cwd)
    io.out(sessions.length > 0 ? sessions.map(toLine).join('') : 'No sessions here yet.\n')
  },
  async search(store, context) {
    const found = await store.search(requireArgument(context, 'text to search for'))
    const lines = found.map(({ info, excerpt }) => `${toLine(info)}    ${cleanControl(excerpt)}\n`)
    context.io.out(lines.join('') || 'Nothing found.\n')
  },
  async show(store, context) {
    context.io.out(await store.export(requireArgument(context, 'session id'), 'markdown'))
  },
  async export(store, context) {
    const [, name = 'md'] = context.args
    const format = Object.hasOwn(formats, name) ? formats[name] : undefined
    if (!format) throw new AppError('config-invalid', `unknown format "${name}"; there are md, json, html.`)
    context.io.out(await store.export(requireArgument(context, 'session id'), format))
  },
  async fork(store, context) {
    const id = requireArgument(context, 'session id')
    const [, messages] = context.args
    if (messages !== undefined && !/^\d+$/.test(messages)) {
      throw new AppError('config-invalid', `"${messages}" is not a number of messages; pass a whole number.`)
    }
    const copy = await store.fork(id, messages === undefined ? undefined : Number(messages))
    context.io.out(`Forked as ${copy}. Go on with: covey --resume-id ${copy} "..."\n`)
  },
  async rm(store, context) {
    const id = requireArgument(context, 'session id')
    await store.remove(id)
    context.io.out(`Deleted ${id}.\n`)
  },
  async prune(store, { io }) {
    const removed = await store.prune()
    io.out(`Deleted ${removed.length} old sessions.\n`)
  },
}

function requireArgument({ args }: CommandContext, what: string): string {
  const [value] = args
  if (value === undefined)
    throw new AppError('config-invalid', `which one? Give a ${what}; covey sessions lists them.`)
  return value
}

function toLine({ id, updatedAt, messages, title, cwd }: SessionInfo): string {
  const when = new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ')
  return `${id}  ${when}  ${String(messages).padStart(4)} messages  ${cleanControl(title).slice(0, 60)}  ${cleanControl(cwd)}\n`
}
