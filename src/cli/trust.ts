/** `covey trust`: files that came with a project and that you agreed to, each bound to the content you agreed to. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { cleanControl } from '../lib/clean.ts'
import { AppError } from '../protocol/error.ts'
import type { Trust } from '../protocol/guard.ts'
import { requireAction } from './action.ts'
import type { Command, CommandContext } from './command.ts'

type OpenTrust = (env: NodeJS.ProcessEnv) => Promise<Trust>

export const createTrustCommand = (open: OpenTrust): Command => ({
  name: 'trust',
  summary: "List, add or remove files of projects you trust, such as a project's configuration",
  usage: '[ls | add [file] | rm [file]]',
  options: [],
  examples: ['covey trust', 'covey trust add', 'covey trust add .covey/config.toml', 'covey trust rm'],
  async run(context) {
    const [action = 'ls', file = join('.covey', 'config.toml')] = context.args
    const act = requireAction('trust', actions, action)
    await act(await open(context.env), resolve(context.cwd, file), context)
    return 0
  },
})

type Action = (trust: Trust, path: string, context: CommandContext) => Promise<void>

const actions: Readonly<Record<string, Action>> = {
  async ls(trust, _, { io }) {
    const lines = await Promise.all(
      trust.list().map(async ({ path, contentHash, addedAt }) => {
        const state = (await hashOf(path)) === contentHash ? 'trusted' : 'changed since, not trusted'
        return `${addedAt.slice(0, 10)}  ${cleanControl(path)}  ${state}\n`
      }),
    )
    io.out(lines.join('') || 'No file of any project is trusted.\n')
  },
  async add(trust, path, { io }) {
    const hash = await hashOf(path)
    if (hash === undefined)
      throw new AppError('config-invalid', `${path} cannot be read, so there is nothing to trust.`)
    await trust.add(path, hash)
    io.out(`Trusted as it is now: ${cleanControl(path)}. A change of it will be asked for again.\n`)
  },
  async rm(trust, path, { io }) {
    const isKnown = await trust.remove(path)
    io.out(
      isKnown ? `No longer trusted: ${cleanControl(path)}.\n` : `${cleanControl(path)} was not trusted.\n`,
    )
  },
}

/** As the configuration is hashed when it is read. */
async function hashOf(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : createHash('sha256').update(text).digest('hex')
}
