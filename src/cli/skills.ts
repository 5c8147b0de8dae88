/** `covey skills`: what the model can be taught and what it made itself, agreeing to it, trying it, plugins. */
import { resolve } from 'node:path'
import { cleanControl } from '../lib/clean.ts'
import { clip } from '../lib/text.ts'
import { AppError } from '../protocol/error.ts'
import type { SkillEntry, SkillsService } from '../protocol/skills-service.ts'
import { requireAction } from './action.ts'
import type { Command, CommandContext } from './command.ts'

export type OpenSkillsService = (env: NodeJS.ProcessEnv, cwd: string) => Promise<SkillsService>

type Action = (service: SkillsService, context: CommandContext) => Promise<number>

export const createSkillsCommand = (open: OpenSkillsService): Command => ({
  name: 'skills',
  summary: 'List, show, trust, test or remove skills, promoted functions and plugins',
  usage: '[ls | show | trust | test | rm <name>] [plugin ls | plugin add <folder> | plugin rm <name>]',
  options: [{ flags: '--cwd <folder>', description: 'the project' }],
  examples: [
    'covey skills',
    'covey skills show review',
    'covey skills trust release-notes',
    'covey skills test word_count',
    'covey skills rm word_count',
    'covey skills plugin add ./my-plugin',
    'covey skills plugin rm my-plugin',
  ],
  async run(context) {
    const { options, cwd } = context
    const project = resolve(cwd, typeof options['cwd'] === 'string' ? options['cwd'] : '.')
    return act(actions, await open(context.env, project), { ...context, command: 'skills' })
  },
})

function act(
  known: Readonly<Record<string, Action>>,
  service: SkillsService,
  context: CommandContext & { readonly command: string },
): Promise<number> {
  const [name = 'ls', ...args] = context.args
  return requireAction(context.command, known, name)(service, { ...context, args })
}

const listed =
  (isWanted: (entry: SkillEntry) => boolean, nothing: string): Action =>
  async (service, { io }) => {
    const { entries, warnings } = await service.list()
    const lines = entries.filter(isWanted).map(toLine)
    io.out(lines.join('') || nothing)
    for (const warning of warnings) io.err(`covey: ${cleanControl(warning)}\n`)
    return 0
  }

const toLine = ({ name, kind, from, description, isTrusted }: SkillEntry): string => {
  const state = isTrusted ? '' : '  not trusted'
  const where = kind === 'function' ? `function, ${from}` : from
  return cleanControl(`${name.padEnd(20)}  ${where.padEnd(20)}  ${clip(description, 70)}${state}\n`)
}

const actions: Readonly<Record<string, Action>> = {
  ls: listed(() => true, 'There are no skills.\n'),
  async show(service, context) {
    context.io.out(`${cleanControl(await service.show(requireName(context))).trimEnd()}\n`)
    return 0
  },
  async trust(service, context) {
    const name = requireName(context)
    await service.trust(name)
    context.io.out(`Trusted as it is now: ${name}. After a change it needs approval again.\n`)
    return 0
  },
  async test(service, context) {
    const name = requireName(context)
    const { ok, text } = await service.test(name, context.signal)
    if (ok) context.io.out(`${name}: ok\n`)
    else context.io.err(`covey: ${name} fails:\n${cleanControl(text)}\n`)
    return ok ? 0 : 1
  },
  async rm(service, context) {
    const name = requireName(context)
    await service.remove(name)
    context.io.out(`Removed ${name}.\n`)
    return 0
  },
  plugin: (service, context) => act(pluginActions, service, { ...context, command: 'skills plugin' }),
}

const pluginActions: Readonly<Record<string, Action>> = {
  ls: listed(
    ({ kind }) => kind === 'plugin',
    'There are no plugins; `covey skills plugin add FOLDER` adds one.\n',
  ),
  async add(service, context) {
    const name = await service.addPlugin(resolve(context.cwd, requireName(context)))
    context.io.out(`Added ${name} as it is now; its skills, hooks and servers count from the next start.\n`)
    return 0
  },
  async rm(service, context) {
    const name = requireName(context)
    await service.removePlugin(name)
    context.io.out(`Removed ${name}.\n`)
    return 0
  },
}

function requireName({ args }: CommandContext): string {
  const [name] = args
  if (name === undefined)
    throw new AppError('config-invalid', 'which one? Give its name; covey skills ls lists them.')
  return name
}
