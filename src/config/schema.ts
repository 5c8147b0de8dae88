/**
 * The one schema of the configuration. Types, defaults, messages, `covey config explain`, the JSON schema for editors
 * and docs/config.md all come from it. Every key is optional or has a default, so that each layer can be checked on its
 * own. A feature adds its own small schema and one line below; only `app/open.ts` and `cli` read the whole.
 */
import { z } from 'zod'
import { armSchema } from './arm.ts'
import { federationSchema } from './federation.ts'
import { routerSchema } from './router.ts'
import { hooksSchema } from './hooks.ts'
import { mcpSchema } from './mcp.ts'
import { memorySchema } from './memory.ts'
import { secretsSchema } from './secrets.ts'
import { shellSchema } from './shell.ts'
import { swarmSchema } from './swarm.ts'
import { toolHostSchema } from './tool-host.ts'
import { tuiSchema } from './tui.ts'
import { permissionModes } from '../protocol/permission-modes.ts'

const engine = z
  .strictObject({
    max_turns: z.int().min(1).default(50).describe('A run ends after this many turns.'),
    tools: z
      .enum(['auto', 'two-stage', 'all'])
      .default('auto')
      .describe('How tools are offered: by the size of the window, by category first, or all at once.'),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .exactOptional()
      .describe("Sampling temperature; the model's own when not set."),
    evidence: z
      .boolean()
      .default(true)
      .describe(
        'For a request about a failure or tests, run the failing command first where it may run unasked.',
      ),
    max_messages: z
      .int()
      .min(0)
      .default(0)
      .describe('Show the model at most this many messages, oldest left out first; 0 is off, 40 is usual.'),
  })
  .prefault({})
  .describe('The loop: when a run ends and how tools are offered.')

const rule = z.strictObject({
  tool: z.string().describe('Name of a tool, with `*`.'),
  pattern: z
    .string()
    .exactOptional()
    .describe('The start of a command, a path with wildcards, or a host or URL; absent = all it does.'),
  verdict: z.enum(['allow', 'ask', 'deny']).describe('The decision for matching calls.'),
})

const permission = z
  .strictObject({
    mode: z
      .enum(permissionModes)
      .default('ask')
      .describe(
        'What may happen without a question: reads, edits, sandboxed commands, nothing or everything.',
      ),
    rules: z
      .array(rule)
      .default([])
      .describe(
        'Decisions made beforehand. Of several matching rules the strictest counts; nothing lifts a deny.',
      ),
  })
  .prefault({})
  .describe('What the model may do without asking.')

const outsidePath = z.string().regex(/^(?:\/|~\/)/, 'is not an absolute path; begin it with / or ~/')

const sandbox = z
  .strictObject({
    network: z.boolean().default(false).describe('Commands in the sandbox may use the network.'),
    readable: z
      .array(outsidePath)
      .default([])
      .describe(
        'Files and folders outside the project that commands may read. Only in your own configuration.',
      ),
    writable: z
      .array(outsidePath)
      .default([])
      .describe('The same for those they may also change. Only in your own configuration.'),
  })
  .prefault({})
  .describe('Where commands run: the project is all they can change.')

const checks = z
  .record(z.string().describe('glob'), z.string())
  .default({})
  .describe('Commands that check files matching a glob, such as a type checker.')

const exec = z
  .strictObject({
    timeout_s: z.int().min(1).default(30).describe('Seconds before a command goes on in the background.'),
    long_timeout_s: z
      .int()
      .min(1)
      .default(300)
      .describe('The same for package managers, builds and tests, in seconds.'),
  })
  .prefault({})
  .describe('Time limits of commands.')

const server = z
  .strictObject({
    port: z.int().min(0).max(65_535).exactOptional().describe('Port of `covey serve`; 17615 when not set.'),
    host: z
      .string()
      .exactOptional()
      .describe('Address it listens on; this machine only when not set. Others need a token.'),
    fit: z
      .enum(['auto', 'off'])
      .default('auto')
      .describe("What to do with requests larger than a model's window: shorten or refuse them."),
  })
  .prefault({})
  .describe('What `covey serve` offers to other programs.')

const sessions = z
  .strictObject({
    keep: z.int().min(1).default(20).describe('Sessions kept; the oldest beyond that are deleted.'),
  })
  .prefault({})
  .describe('Conversations kept on disk.')

const log = z
  .strictObject({
    level: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
      .default('info')
      .describe('The least important lines that are still written.'),
    file: z.string().exactOptional().meta({
      description: 'File that log lines are appended to; without it they are shown only by --verbose.',
      format: 'path',
    }),
  })
  .prefault({})
  .describe('One structured line per request, call and result.')

export const Config = z.strictObject({
  model: z
    .string()
    .exactOptional()
    .describe(
      'The arm that answers, by its id, or `scripted:file.jsonl` to play a script. One arm needs no choice.',
    ),
  arms: z
    .record(z.string().describe('id'), armSchema)
    .default({})
    .describe('The models that may be asked, by an id of your choice.'),
  router: routerSchema,
  swarm: swarmSchema,
  shell: shellSchema,
  tui: tuiSchema,
  federation: federationSchema,
  mcp: mcpSchema,
  memory: memorySchema,
  tool_host: toolHostSchema,
  engine,
  permission,
  sandbox,
  hooks: hooksSchema,
  secrets: secretsSchema,
  checks,
  exec,
  server,
  sessions,
  offline: z
    .boolean()
    .default(false)
    .describe('Make every use of the network except the configured arms an error.'),
  log,
  prompts: z.string().exactOptional().meta({
    description: 'Folder with your own prompt texts; `prompts/` beside config.toml when not set.',
    format: 'path',
  }),
})

export type Config = z.output<typeof Config>
