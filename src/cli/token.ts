/** `covey token`: who may use the server of this machine. A token is shown once; only its hash is kept. */
import { openTokensOf } from '../app/queries.ts'
import { AppError } from '../protocol/error.ts'
import { requireAction } from './action.ts'
import type { Command, CommandContext } from './command.ts'

type Tokens = Awaited<ReturnType<typeof openTokensOf>>
type Scope = Parameters<Tokens['add']>[1][number]
type Action = (tokens: Tokens, context: CommandContext) => Promise<void>

export const tokenCommand: Command = {
  name: 'token',
  summary: 'List, add or revoke tokens of covey serve',
  usage: '[ls | add <name> | rm <name>]',
  options: [
    {
      flags: '--scope <names>',
      description: 'read, chat, tools, approve, admin, peer; several with commas (chat)',
    },
  ],
  examples: ['covey token', 'covey token add laptop --scope chat,tools', 'covey token rm laptop'],
  async run(context) {
    const [name = 'ls', ...args] = context.args
    const action = requireAction('token', actions, name)
    await action(await openTokensOf(context.env), { ...context, args })
    return 0
  },
}

const actions: Readonly<Record<string, Action>> = {
  async ls(tokens, { io }) {
    const lines = (await tokens.list()).map(
      ({ name, scopes, createdAt }) => `${name.padEnd(20)}  ${createdAt.slice(0, 10)}  ${scopes.join(',')}\n`,
    )
    io.out(lines.join('') || 'No tokens yet; `covey serve` makes the first, `covey token add NAME` others.\n')
  },
  async add(tokens, context) {
    const name = requireName(context)
    const token = await tokens.add(name, readScopes(context))
    context.io.out(`${token}\n`)
    context.io.err('covey: this is shown only now. Clients send it as `Authorization: Bearer TOKEN`.\n')
  },
  async rm(tokens, context) {
    const name = requireName(context)
    if (!(await tokens.remove(name))) {
      throw new AppError('config-invalid', `there is no token "${name}"; covey token ls lists them.`)
    }
    context.io.out(`Revoked ${name}.\n`)
  },
}

function requireName({ args }: CommandContext): string {
  const [name] = args
  if (name === undefined) throw new AppError('config-invalid', 'which token? Give its name.')
  return name
}

const known: readonly Scope[] = ['read', 'chat', 'tools', 'approve', 'admin', 'peer']

function readScopes({ options }: CommandContext): readonly Scope[] {
  const given = typeof options['scope'] === 'string' ? options['scope'] : 'chat'
  return [...new Set(given.split(',').map((text) => text.trim()))].map((text) => {
    const scope = known.find((one) => one === text)
    if (scope) return scope
    throw new AppError('config-invalid', `--scope "${text}" is not one of ${known.join(', ')}.`)
  })
}
