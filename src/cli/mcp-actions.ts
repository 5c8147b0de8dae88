/** What `covey mcp` does. Being a server loads far more than listing those of others, so it does so when it is asked. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { configuredByProject } from '../config/of-project.ts'
import { appPaths } from '../config/paths.ts'
import { cleanControl } from '../lib/clean.ts'
import { clip } from '../lib/text.ts'
import { listMcpServers, testMcpServers } from '../app/mcp.ts'
import { AppError } from '../protocol/error.ts'
import { loadTrusted } from '../app/config.ts'
import { requireAction } from './action.ts'
import type { CommandContext } from './command.ts'
import { parseFlags } from './parse-flags.ts'
import { permissionModes } from '../protocol/permission-modes.ts'

export async function actOnMcp(context: CommandContext): Promise<number> {
  const [name = 'ls', ...args] = context.args
  const action = requireAction('mcp', actions, name)
  return action({ ...context, args })
}

type Action = (context: CommandContext) => Promise<number>

const actions: Readonly<Record<string, Action>> = {
  async ls(context) {
    const servers = await listMcpServers(await contextOf(context))
    const lines = servers.map(({ name, place, state }) => {
      const line = clip(place.replace(/\s+/g, ' '), 80)
      return `${name.padEnd(16)}  ${state.padEnd(14)}  ${cleanControl(line)}\n`
    })
    context.io.out(lines.join('') || 'No MCP servers; add [mcp.servers.NAME] to the configuration.\n')
    return 0
  },
  async test(context) {
    const [wanted] = context.args
    const tests = await testMcpServers(await contextOf(context), wanted)
    if (wanted !== undefined && tests.length === 0) {
      throw new AppError(
        'config-invalid',
        `there is no usable MCP server "${wanted}"; covey mcp ls lists them.`,
      )
    }
    for (const { name, tools, problems } of tests) {
      const lines = tools.map((tool) => `  ${tool.name} - ${cleanControl(tool.description)}\n`)
      context.io.out(`${name}: ${tools.length} tools\n${lines.join('')}`)
      for (const problem of problems) context.io.err(`covey: ${name}: ${cleanControl(problem)}\n`)
    }
    return tests.some(({ problems }) => problems.length > 0) ? 1 : 0
  },
  async serve(context) {
    const { serveMcpStdio } = await import('../app/serve-tools.ts')
    const { io, env, signal } = context
    const flags = readFlags(context)
    // stdout belongs to the protocol: whatever a person should know goes to stderr.
    const onWarning = (message: string): void => io.err(`covey: ${cleanControl(message)}\n`)
    await serveMcpStdio({ ...flags, env, onWarning }, { stdin: io.stdin, stdout: process.stdout }, signal)
    return 0
  },
}

async function contextOf(context: CommandContext) {
  const { env } = context
  const { cwd, profile } = readFlags(context)
  const loaded = await loadTrusted({ env, cwd, ...(profile !== undefined && { profile }) })
  const ofProject = configuredByProject(loaded)
  return { config: loaded.config, env, cwd, ofProject, paths: appPaths(env, process.platform) }
}

const Flags = z.object({
  permission: z.enum(permissionModes).exactOptional(),
  profile: z.string().exactOptional(),
  cwd: z.string().default('.'),
})

function readFlags({ options, cwd }: CommandContext) {
  const flags = parseFlags(Flags, options)
  return { ...flags, cwd: resolve(cwd, flags.cwd) }
}
