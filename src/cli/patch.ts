/** `covey patch`: what was proposed instead of done, for a person to look at, apply or reject. */
import { cleanControl } from '../lib/clean.ts'
import { clip, plural } from '../lib/text.ts'
import { AppError } from '../protocol/error.ts'
import type { PatchService, Proposal } from '../protocol/patch.ts'
import { requireAction } from './action.ts'
import type { Command, CommandContext } from './command.ts'

type Action = (service: PatchService, context: CommandContext) => Promise<void>

type OpenPatchService = (env: NodeJS.ProcessEnv, cwd: string) => Promise<PatchService>

export const createPatchCommand = (open: OpenPatchService): Command => ({
  name: 'patch',
  summary: 'List, show, apply or reject proposed patches',
  usage: '[ls | show <id> | apply <id> | reject <id>]',
  options: [{ flags: '-a, --all', description: 'applied and rejected ones as well' }],
  examples: ['covey patch', 'covey patch show', 'covey patch apply mi0c2x9f3k', 'covey patch reject mi0c'],
  async run(context) {
    const [name = 'ls', ...args] = context.args
    const action = requireAction('patch', actions, name)
    await action(await open(context.env, context.cwd), { ...context, args })
    return 0
  },
})

const actions: Readonly<Record<string, Action>> = {
  async ls(service, { options, io }) {
    const all = await service.list()
    const shown = options['all'] ? all : all.filter(({ state }) => state === 'proposed')
    io.out(shown.map(toLine).join('') || 'No patch is waiting; the model creates one with propose_patch.\n')
  },
  async show(service, context) {
    const { id, state, plan, tests, diff } = await service.find(await requireId(service, context))
    const text = [`${id} (${state})`, plan, `Tests: ${tests}`, diff].map((part) => part.trim()).join('\n\n')
    context.io.out(`${cleanControl(text)}\n`)
  },
  async apply(service, context) {
    const changes = await service.apply(await requireId(service, context), context.signal)
    const lines = changes.map(({ path, before, after }) => {
      const sign = before === undefined ? 'A' : after === undefined ? 'D' : 'M'
      return `${sign} ${cleanControl(path)}\n`
    })
    context.io.out(lines.join(''))
  },
  async reject(service, context) {
    const { id } = await service.reject(await requireId(service, context))
    context.io.out(`Rejected ${id}.\n`)
  },
}

const toLine = ({ id, createdAt, state, plan, paths }: Proposal): string => {
  const [first = ''] = plan.trim().split('\n', 1)
  const facts = [
    id,
    createdAt.slice(0, 16).replace('T', ' '),
    state.padEnd(8),
    plural(paths.length, 'file').padEnd(8),
  ]
  return `${facts.join('  ')}  ${cleanControl(clip(first, 80))}\n`
}

/** With a single patch waiting there is nothing to ask. */
async function requireId(service: PatchService, { args }: CommandContext): Promise<string> {
  const [id] = args
  if (id !== undefined && id !== '') return id
  const waiting = (await service.list()).filter(({ state }) => state === 'proposed')
  const [only] = waiting
  if (only && waiting.length === 1) return only.id
  throw new AppError('config-invalid', 'which patch? Give its id; covey patch ls lists them.')
}
