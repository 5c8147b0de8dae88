/** What `covey tools` does. */
import { once } from 'node:events'
import { resolve } from 'node:path'
import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import { listHostedTools, startToolHost } from '../app/serve-tools.ts'
import type { CommandContext } from './command.ts'
import { parseFlags } from './parse-flags.ts'
import { wholeNumber } from './number-flag.ts'
import { permissionModes } from '../protocol/permission-modes.ts'

export async function actOnTools(context: CommandContext): Promise<number> {
  const [name = 'ls'] = context.args
  if (name === 'ls') return list(context)
  if (name === 'serve') return serve(context)
  throw new AppError('config-invalid', `unknown action "${name}" of covey tools; there are ls, serve.`)
}

async function list(context: CommandContext): Promise<number> {
  const tools = await listHostedTools({ ...readFlags(context), env: context.env })
  const lines = tools.map(
    ({ name, category, description = '' }) => `${name.padEnd(16)}  ${category.padEnd(7)} ${description}\n`,
  )
  context.io.out(lines.join('') || 'No tools; `tools` of [tool_host] says which are offered.\n')
  return 0
}

async function serve(context: CommandContext): Promise<number> {
  const { io, env, signal } = context
  const { auth, ...flags } = readFlags(context)
  const started = await startToolHost({ ...flags, env, isAuthOff: !auth })
  for (const warning of started.warnings) io.err(`covey: ${warning}\n`)
  io.out(started.banner)
  if (!signal.aborted) await once(signal, 'abort')
  await started.close()
  return 0
}

const Flags = z.object({
  port: wholeNumber({ min: 0, max: 65_535 }).exactOptional(),
  host: z.string().min(1).exactOptional(),
  auth: z.boolean().default(true),
  permission: z.enum(permissionModes).exactOptional(),
  profile: z.string().exactOptional(),
  cwd: z.string().default('.'),
  verbose: z.boolean().exactOptional(),
})

function readFlags({ options, cwd }: CommandContext) {
  const flags = parseFlags(Flags, options)
  return { ...flags, cwd: resolve(cwd, flags.cwd) }
}
