/**
 * MCP servers as they are configured. What a server needs is checked when it is used, because every layer of the
 * configuration is checked on its own; a server that cannot be used is a warning and never stops the program.
 */
import { z } from 'zod'
import { categories } from '../protocol/tool.ts'
import { allFilled, missingIn } from './variables.ts'

const server = z.strictObject({
  command: z
    .string()
    .exactOptional()
    .describe('The program that is the server; it speaks on stdin and stdout.'),
  args: z.array(z.string()).default([]).describe('Its arguments.'),
  env: z
    .record(z.string().describe('variable'), z.string().meta({ writeOnly: true }))
    .default({})
    .describe(
      'Variables it gets beside the harmless ones of yours; `${VARIABLE}` is taken from the environment.',
    ),
  url: z
    .url({ protocol: /^https?$/ })
    .exactOptional()
    .describe('Address of a server that runs already (Streamable HTTP), instead of `command`.'),
  headers: z
    .record(z.string().describe('name'), z.string().meta({ writeOnly: true }))
    .default({})
    .describe('HTTP headers for it; `${VARIABLE}` is taken from the environment.'),
  replace: z
    .record(z.string().describe('tool'), z.string())
    .default({})
    .describe('Tools of the server that replace built-in ones, by the built-in name.'),
  category: z.enum(categories).default('meta').describe('Where its tools are found in a small window.'),
  timeout_s: z.number().positive().max(3600).default(60).describe('Seconds until a call counts as failed.'),
  enabled: z.boolean().default(true).describe('Whether it is used.'),
})

export const mcpSchema = z
  .strictObject({
    serve: z
      .boolean()
      .default(false)
      .describe('`covey serve` offers its tools at `/mcp` to tokens with the scope `tools`.'),
    servers: z
      .record(z.string().describe('name'), server)
      .default({})
      .describe('Servers whose tools the model may use.'),
  })
  .prefault({})
  .describe('Tools of other programs, and tools for other programs, over the Model Context Protocol.')

type McpConfig = z.output<typeof mcpSchema>

/** With its secrets filled in. Never print it. */
type ServerSettings = Omit<z.output<typeof server>, 'enabled' | 'timeout_s'> & {
  readonly name: string
  readonly timeoutMs: number
}

/** The servers ready for use, and by name why others are not. */
export function toMcpServers(
  { servers }: McpConfig,
  { env, offline }: { readonly env: NodeJS.ProcessEnv; readonly offline: boolean },
): { readonly servers: readonly ServerSettings[]; readonly problems: ReadonlyMap<string, string> } {
  const ready: ServerSettings[] = []
  const problems = new Map<string, string>()
  for (const [name, { enabled, timeout_s: seconds, ...settings }] of Object.entries(servers)) {
    const problem = enabled ? problemOf(settings, env, offline) : undefined
    if (problem !== undefined) problems.set(name, problem)
    if (problem !== undefined || !enabled) continue
    ready.push({
      ...settings,
      name,
      timeoutMs: seconds * 1000,
      env: allFilled(settings.env, env),
      headers: allFilled(settings.headers, env),
    })
  }
  return { servers: ready, problems }
}

type Unnamed = Omit<ServerSettings, 'name' | 'timeoutMs'>

function problemOf(settings: Unnamed, env: NodeJS.ProcessEnv, offline: boolean): string | undefined {
  const { command, url } = settings
  if ((command === undefined) === (url === undefined)) return 'it needs either `command` or `url`'
  if (url !== undefined && offline) return 'the network is switched off (`offline`)'
  const missing = missingIn([...Object.values(settings.env), ...Object.values(settings.headers)], env)
  return missing.length > 0 ? `it needs ${missing.join(' and ')} in the environment` : undefined
}
