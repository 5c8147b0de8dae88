/** `covey sessions`: what was said before, kept on disk. */
import { openSessions } from '../app.ts'
import { cleanControl } from '../lib/clean.ts'
import { AppError } from '../protocol/error.ts'
import type { SessionInfo } from '../protocol/session-api.ts'
import type { Command, CommandContext } from './command.ts'

type Store = ReturnType<typeof openSessions>

type Action = { readonly usage: string; run(store: Store, context: CommandContext): Promise<void> }

export const sessionsCommand: Command = {
  name: 'sessions',
  summary: 'List, search, show, fork, export or delete sessions',
  usage: '[ls | search <text> | show <id> | fork <id> [message] | export <id> [md|json|html] | rm <id> | prune]',
  options: [{ flags: '-a, --all', description: 'sessions of every folder, not only this one' }],
  examples: [
    'covey sessions',
    'covey sessions search "failing test"',
    'covey sessions export 20261115-0912-k3f9 html > talk.html',
    'covey sessions fork 20261115-0912-k3f9 4',
  ],
  async run(context) {
    const name = context.args[0] ?? 'ls'
    const action = actions[name]
    if (!action) {
      const known = Object.keys(actions).join(', ')
      throw new AppError('config-invalid', `unknown action "${name}" of covey sessions; there are ${known}.`)
    }
    await action.run(openSessions(context.env), { ...context, args: context.args.slice(1) })
    return 0
  },
}

const actions: Readonly<Record<string, Action>> = {
  ls: {
    usage: 'ls',
    async run(store, { options, cwd, io }) {
      const sessions = await store.list(options['all'] ? {} : { cwd })
      io.out(sessions.length > 0 ? sessions.map(toLine).join('') : 'No sessions here yet.\n')
    },
  },
  search: {
    usage: 'search <text>',
    async run(store, context) {
      const found = await store.search(requireArgument(context, 'text to search for'))
      context.io.out(found.length > 0 ? found.map(toLine).join('') : 'Nothing found.\n')
    },
  },
  show: {
    usage: 'show <id>',
    async run(store, context) {
      context.io.out(await store.export(requireArgument(context, 'session id'), 'md'))
    },
  },
  export: {
    usage: 'export <id> [md|json|html]',
    async run(store, context) {
      const format = context.args[1] ?? 'md'
      if (format !== 'md' && format !== 'json' && format !== 'html') {
        throw new AppError('config-invalid', `unknown format "${format}"; there are md, json, html.`)
      }
      context.io.out(await store.export(requireArgument(context, 'session id'), format))
    },
  },
  fork: {
    usage: 'fork <id> [message]',
    async run(store, context) {
      const id = requireArgument(context, 'session id')
      const at = context.args[1] === undefined ? undefined : Number(context.args[1])
      if (at !== undefined && !Number.isInteger(at)) {
        throw new AppError('config-invalid', `"${context.args[1]}" is no message number.`)
      }
      const info = await store.fork(id, at)
      context.io.out(`Forked as ${info.id}. Go on with: covey --resume-id ${info.id} "..."\n`)
    },
  },
  rm: {
    usage: 'rm <id>',
    async run(store, context) {
      const id = requireArgument(context, 'session id')
      await store.remove(id)
      context.io.out(`Deleted ${id}.\n`)
    },
  },
  prune: {
    usage: 'prune',
    async run(store, { io }) {
      const removed = await store.prune()
      io.out(`Deleted ${removed.length} old sessions.\n`)
    },
  },
}

function requireArgument({ args }: CommandContext, what: string): string {
  const [value] = args
  if (value === undefined) throw new AppError('config-invalid', `which one? Give a ${what}; covey sessions lists them.`)
  return value
}

function toLine({ id, updatedAt, messages, title, cwd }: SessionInfo): string {
  const when = new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ')
  return `${id}  ${when}  ${String(messages).padStart(4)} messages  ${cleanControl(title).slice(0, 60)}  ${cleanControl(cwd)}\n`
}
