/** `covey permissions`: what was answered with "always", taking it back, and what a command in the sandbox sees. */
import { cleanControl, jsonLine } from '../lib/clean.ts'
import { AppError } from '../protocol/error.ts'
import type { RuleBook, SandboxMount, SandboxTerms, SandboxView, StoredRule } from '../protocol/guard.ts'
import type { Command, CommandContext } from './command.ts'

type OpenRuleBook = (env: NodeJS.ProcessEnv) => Promise<RuleBook>

type DescribeSandbox = (env: NodeJS.ProcessEnv, cwd: string, terms: SandboxTerms) => Promise<SandboxView>

export const createPermissionsCommand = (open: OpenRuleBook, describeSandbox: DescribeSandbox): Command => ({
  name: 'permissions',
  summary: 'List or remove what you allowed always; show what commands see',
  usage: '[ls | rm <number> | sandbox]',
  options: [
    { flags: '-a, --all', description: 'rules of every folder, not only this one' },
    { flags: '--json', description: 'with sandbox: as JSON' },
    { flags: '--reads', description: 'with sandbox: as for a command that only reads' },
    { flags: '--host', description: 'with sandbox: as for a command of another machine' },
  ],
  examples: [
    'covey permissions',
    'covey permissions --all',
    'covey permissions rm 2',
    'covey permissions sandbox',
  ],
  async run(context) {
    const [action = 'ls', number] = context.args
    if (action === 'sandbox') return showSandbox(describeSandbox, context)
    const book = await open(context.env)
    if (action === 'ls') list(book, context)
    else if (action === 'rm') await remove(book, number, context)
    else
      throw new AppError(
        'config-invalid',
        `unknown action "${action}" of covey permissions; there are ls, rm, sandbox.`,
      )
    return 0
  },
})

async function showSandbox(
  describeView: DescribeSandbox,
  { env, cwd, options, io }: CommandContext,
): Promise<number> {
  const view = await describeView(env, cwd, {
    readsOnly: options['reads'] === true,
    host: options['host'] === true,
  })
  if (options['json']) io.out(jsonLine(view))
  else if ('missing' in view) io.out(`No sandbox: ${view.missing}. Every command needs approval.\n`)
  else io.out(`${[...summaryOf(view), ...view.mounts.map(mountLine)].map(cleanControl).join('\n')}\n`)
  return 'missing' in view ? 1 : 0
}

const summaryOf = (view: Extract<SandboxView, { name: string }>): readonly string[] => [
  `${view.name}, network ${view.network ? 'open' : 'closed'}; what is not listed does not exist in it:`,
  ...view.warnings,
]

const mountLine = ({ how, target, source, why }: SandboxMount): string =>
  `  ${how.padEnd(9)}  ${target}${how === 'link' ? ` -> ${source}` : ''}  (${why})`

function list(book: RuleBook, { options, cwd, io }: CommandContext): void {
  const lines = book
    .list()
    .map((rule, index) => ({ rule, line: toLine(rule, index + 1) }))
    .filter(({ rule }) => options['all'] || rule.folder === cwd)
  io.out(
    lines.length > 0
      ? lines.map(({ line }) => line).join('')
      : 'Nothing is permanently allowed in this folder.\n',
  )
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
