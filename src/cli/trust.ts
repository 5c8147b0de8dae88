/** `covey trust`: files that came with a project and that you agreed to, each bound to the content you agreed to. */
import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { appPaths } from '../config/paths.ts'
import { cleanControl } from '../lib/clean.ts'
import { readRegular } from '../lib/read-regular.ts'
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
  async ls(trust, _, { io, cwd, env }) {
    const lines = await Promise.all(
      trust.list().map(async ({ path, contentHash, addedAt }) => {
        const state = (await hashOf(path)) === contentHash ? 'trusted' : 'changed since, not trusted'
        return `${addedAt.slice(0, 10)}  ${cleanControl(path)}  ${state}\n`
      }),
    )
    io.out(lines.join('') || 'No file of any project is trusted.\n')
    const mistakes = await mistakesIn(cwd, env)
    if (mistakes.length > 0) io.out(`Not valid, so nothing of it counts:\n${shown(mistakes)}`)
  },
  async add(trust, path, { io, env }) {
    const text = await textOf(path)
    if (text === undefined)
      throw new AppError('config-invalid', `${path} cannot be read, so there is nothing to trust.`)
    const project = dirname(dirname(path))
    const isConfig = join(project, '.covey', 'config.toml') === path
    const mistakes = isConfig ? await mistakesIn(project, env) : []
    if (mistakes.length > 0)
      throw new AppError(
        'config-invalid',
        `${path} is not valid; correct it first:\n${shown(mistakes)}`.trimEnd(),
      )
    await trust.add(path, hashText(text), text)
    io.out(`Trusted as it is now: ${cleanControl(path)}. After a change it needs approval again.\n`)
  },
  async rm(trust, path, { io }) {
    const isKnown = await trust.remove(path)
    io.out(
      isKnown ? `No longer trusted: ${cleanControl(path)}.\n` : `${cleanControl(path)} was not trusted.\n`,
    )
  },
}

/** The schema of the configuration is loaded only where it is held against a file. */
async function mistakesIn(cwd: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const { projectMistakes } = await import('../config/project.ts')
  return projectMistakes(cwd, appPaths(env, process.platform).home)
}

const shown = (lines: readonly string[]): string => lines.map((line) => `${cleanControl(line)}\n`).join('')

const MAX_BYTES = 16 * 1024 * 1024

async function textOf(path: string): Promise<string | undefined> {
  const file = await realpath(path)
    .then((real) => readRegular(real, MAX_BYTES))
    .catch(() => undefined)
  return file?.bytes.toString('utf8')
}

/** As the file is hashed when it is used. */
const hashText = (text: string): string => createHash('sha256').update(text).digest('hex')

async function hashOf(path: string): Promise<string | undefined> {
  const text = await textOf(path)
  return text === undefined ? undefined : hashText(text)
}
