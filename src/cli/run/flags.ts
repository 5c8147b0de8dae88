/** The flags of a run as values, checked: a wrong one is named with what it should be. */
import { resolve } from 'node:path'
import { z } from 'zod'
import type { AppOptions } from '../../app/open.ts'
import type { SessionChoice } from '../../app/session.ts'
import type { PromptOptions } from '../../protocol/session-api.ts'
import { defined } from '../../lib/object.ts'
import { AppError } from '../../protocol/error.ts'
import type { CommandContext } from '../command.ts'
import { wholeNumber } from '../number-flag.ts'
import { parseFlags } from '../parse-flags.ts'
import { permissionModes } from '../../protocol/permission-modes.ts'
import { SMALLEST_WINDOW } from '../../protocol/token-limits.ts'

export type RunFlags = {
  readonly app: Omit<AppOptions, 'env'>
  readonly prompt: PromptOptions
  readonly resume: SessionChoice['resume']
  readonly timeoutMs?: number
  /** The server whose session is used instead of one here. */
  readonly attach?: string
  readonly json: boolean
  /** Line by line, without a single escape code. */
  readonly plain: boolean
  /** The model gets a summary of the last session. */
  readonly recap: boolean
  readonly verbose: boolean
}

/** What a timer of Node can hold. */
const MAX_SECONDS = 2_000_000
const SECONDS = `must be seconds, more than 0 and at most ${MAX_SECONDS}`

const Flags = z.object({
  model: z.string().optional(),
  auto: z.boolean().optional(),
  offline: z.boolean().optional(),
  swarm: wholeNumber({ max: 7 }).optional(),
  toolHost: z.string().optional(),
  baseUrl: z
    .url({
      protocol: /^https?$/,
      error: 'must be an http or https address, such as http://127.0.0.1:8080/v1',
    })
    .optional(),
  apiKeyEnv: z.string().min(1).optional(),
  provider: z.enum(['openai-compatible', 'openai', 'anthropic', 'google']).optional(),
  window: wholeNumber({ min: SMALLEST_WINDOW }).optional(),
  probe: z.boolean().default(true),
  permission: z.enum(permissionModes).optional(),
  maxTurns: wholeNumber().optional(),
  timeout: z.coerce
    .number({ error: SECONDS })
    .positive({ error: SECONDS })
    .max(MAX_SECONDS, { error: SECONDS })
    .optional(),
  system: z.string().optional(),
  resume: z.boolean().default(false),
  resumeId: z.string().optional(),
  attach: z.string().optional(),
  incognito: z.boolean().default(false),
  profile: z.string().optional(),
  cwd: z.string().optional(),
  json: z.boolean().default(false),
  plain: z.boolean().default(false),
  logFile: z.string().min(1).optional(),
  recap: z.boolean().default(false),
  verbose: z.boolean().default(false),
})

export function toRunFlags({ options, env, cwd }: CommandContext): RunFlags {
  const flags = parseFlags(Flags, { ...fromEnvironment(env), ...options })
  const { maxTurns, timeout, resume, resumeId, attach, offline, swarm, toolHost, ...shown } = flags
  const { json, verbose, plain, recap, logFile, ...rest } = shown
  return {
    app: {
      ...defined({ ...rest, apiKey: keyOf(rest.apiKeyEnv, env) }),
      cwd: resolve(cwd, rest.cwd ?? '.'),
      flags: {
        ...(logFile !== undefined && { 'log.file': resolve(cwd, logFile) }),
        ...(offline && { offline }),
        ...defined({ 'tool_host.url': toolHost }),
        ...(swarm !== undefined && { 'swarm.mode': 'auto', 'swarm.workers': swarm }),
      },
    },
    prompt: maxTurns === undefined ? {} : { maxTurns },
    resume: resumeId ? { id: resumeId } : resume ? 'last' : 'new',
    ...defined({ attach }),
    ...(timeout !== undefined && { timeoutMs: Math.ceil(timeout * 1000) }),
    json,
    plain,
    recap,
    verbose,
  }
}

function keyOf(variable: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  if (variable === undefined) return env['COVEY_API_KEY'] || undefined
  if (env[variable]) return env[variable]
  throw new AppError(
    'config-invalid',
    `--api-key-env names ${variable}, which is not set. Set it: export ${variable}=KEY`,
  )
}

/** The short names beside the configuration's own `COVEY_SECTION__KEY`. */
const fromEnvironment = (env: NodeJS.ProcessEnv) =>
  defined({
    baseUrl: env['COVEY_BASE_URL'],
    model: env['COVEY_MODEL'],
    profile: env['COVEY_PROFILE'],
  })
