/**
 * Hooks as they are configured: one table each, under a name of the person's choice, asked in the order they stand. What
 * each type needs is checked when the hooks are used, because every layer of the configuration is checked on its own.
 */
import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import { hookEvents, type HookSpec } from '../protocol/hooks.ts'
import { formatKey } from './tree.ts'

const hook = z.strictObject({
  event: z.enum(hookEvents).exactOptional().describe('The event that triggers it.'),
  type: z
    .enum(['command', 'prompt', 'agent'])
    .default('command')
    .describe('A shell command, a question to the model, or a question to a subagent that may look around.'),
  command: z
    .string()
    .exactOptional()
    .describe('The command; it gets JSON on stdin. Exit code 0 allows, 1 skips, 2 denies.'),
  prompt: z.string().exactOptional().describe('What the reviewer is asked; it answers ALLOW or DENY.'),
  tool: z.string().exactOptional().describe('Only calls of tools whose name fits this glob.'),
  timeout_s: z.number().positive().max(600).default(30).describe('Seconds until it counts as failed.'),
  fail_open: z
    .boolean()
    .default(false)
    .describe('Allow when the hook fails or times out; otherwise that denies.'),
  sandbox: z
    .boolean()
    .default(true)
    .describe('A command runs in the sandbox; `false`, in your own configuration, runs it outside.'),
})

export const hooksSchema = z
  .record(z.string().describe('name'), hook)
  .default({})
  .describe('Your own commands and reviews at events of a run.')

type HooksConfig = z.output<typeof hooksSchema>

/** The hooks ready for use, or `config-invalid` with what is missing. */
export const toHooks = (hooks: HooksConfig): readonly HookSpec[] =>
  Object.entries(hooks).map(([name, settings]) => {
    const { event, type, command, prompt, tool, timeout_s: seconds, fail_open: failOpen } = settings
    if (!event) throw missing(name, 'event')
    const launchedAs = formatKey(['hooks', name])
    const common = {
      name,
      event,
      failOpen,
      timeoutMs: seconds * 1000,
      launchedAs,
      ...(tool !== undefined && { tool }),
    }
    if (type === 'command') {
      if (!command) throw missing(name, 'command')
      return { ...common, type, command, ...(settings.sandbox && { isConfined: true as const }) }
    }
    if (!prompt) throw missing(name, 'prompt')
    return { ...common, type, prompt }
  })

const missing = (name: string, key: string): AppError =>
  new AppError('config-invalid', `${formatKey(['hooks', name])} needs \`${key}\`; add it to its table.`)
