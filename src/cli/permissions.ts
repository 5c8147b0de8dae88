/** `covey permissions`: what was answered with "always", and taking it back. */
import { cleanControl } from '../lib/clean.ts'
import { AppError } from '../protocol/error.ts'
import type { RuleBook, StoredRule } from '../protocol/guard.ts'
import type { Command, CommandContext } from './command.ts'

type OpenRuleBook = (env: NodeJS.ProcessEnv) => Promise<RuleBook>

export const createPermissionsCommand = (open: OpenRuleBook): Command => ({
  name: 'permissions',
  summary: 'List or remove what you allowed always',
  usage: '[ls | rm <number>]',
  options: [{ flags: '-a, --all', description: 'rules of every folder, not only this one' }],
  examples: ['covey permissions', 'covey permissions --all', 'covey permissions rm 2'],
  async run(context) {
    const [action = 'ls', number] = context.args
    const book = await open(context.env)
    if (action === 'ls') list(book, context)
    else if (action === 'rm') await remove(book, number, context)
    else
      throw new AppError(
        'config-invalid',
        `unknown action "${action}" of covey permissions; there are ls, rm.`,
      )
    return 0
  },
})

function list(book: RuleBook, { options, cwd, io }: CommandContext): void {
  const lines = book
    .list()
    .map((rule, index) => ({ rule, line: toLine(rule, index + 1) }))
    .filter(({ rule }) => options['all'] || rule.folder === cwd)
  io.out(lines.length > 0 ? lines.map(({ line }) => line).join('') : 'Nothing is allowed always here.\n')
}

async function remove(book: RuleBook, number: string | undefined, { io }: CommandContext): Promise<void> {
  const removed = /^[1-9]\d*$/.test(number ?? '') ? await book.remove(Number(number) - 1) : undefined
  if (!removed) {
    throw new AppError('config-invalid', 'which one? Give its number; covey permissions --all lists them.')
  }
  io.out(`Removed: ${describe(removed)}.\n`)
}

const toLine = (rule: StoredRule, number: number): string =>
  `${String(number).padStart(3)}  ${rule.addedAt.slice(0, 10)}  ${describe(rule)}  ${cleanControl(rule.folder)}\n`

const describe = ({ verdict, tool, pattern, exact }: StoredRule): string =>
  cleanControl([verdict, tool, exact ? 'exactly' : '', pattern ?? '(everything)'].filter(Boolean).join(' '))
