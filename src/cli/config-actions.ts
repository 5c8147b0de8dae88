/** What `covey config` does. Nothing here prints a secret. */
import { resolve } from 'node:path'
import { stringify } from 'smol-toml'
import { missingVariables } from '../config/arm.ts'
import { explainConfig, type Explanation } from '../config/explain.ts'
import { formatOrigin } from '../config/layer.ts'
import { loadConfig, readConfig, type LoadedConfig, type LoadOptions } from '../config/load.ts'
import { maskSecrets } from '../config/mask.ts'
import { appPaths } from '../config/paths.ts'
import { cleanControl } from '../lib/clean.ts'
import { nearest } from '../lib/nearest.ts'
import { AppError } from '../protocol/error.ts'
import { openTrustOf } from '../app/config.ts'
import type { NamedProblem } from '../app/named-models.ts'
import type { CommandContext } from './command.ts'

export function actOnConfig(context: CommandContext): Promise<number> {
  const [name = ''] = context.args
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw new AppError('config-invalid', unknownAction(name))
  return action(context)
}

const actions: Readonly<Record<string, (context: CommandContext) => Promise<number>>> = {
  show,
  explain,
  check,
  path: printPath,
}

function unknownAction(name: string): string {
  const names = Object.keys(actions)
  const guess = nearest(name, names)
  if (guess) return `config has no "${name}"; did you mean \`covey config ${guess}\`?`
  return `say what to do: ${names.map((action) => `\`covey config ${action}\``).join(', ')}`
}

async function show(context: CommandContext): Promise<number> {
  const loaded = await loadConfig(await loadOptions(context))
  warn(loaded, context)
  context.io.out(`${stringify(maskSecrets(loaded.config))}\n`)
  return 0
}

async function explain(context: CommandContext): Promise<number> {
  const loaded = await loadConfig(await loadOptions(context))
  warn(loaded, context)
  const explanations = explainConfig(loaded, context.args[1])
  context.io.out(
    `${explanations.map((explanation) => cleanControl(formatExplanation(explanation))).join('\n\n')}\n`,
  )
  return 0
}

function formatExplanation({ key, value, origin, meaning, expected, ...rest }: Explanation): string {
  const where = origin.layer === 'default' ? 'the default' : `from ${formatOrigin(origin)} (${origin.layer})`
  const fallback =
    origin.layer === 'default' || rest.default === undefined ? [] : [`default ${toText(rest.default)}`]
  const facts = value === undefined ? [expected] : [where, ...fallback, expected]
  return [`${key} = ${toText(value)}`, `  ${meaning}`, `  ${facts.join('; ')}`].join('\n')
}

const toText = (value: unknown): string => (value === undefined ? '(not set)' : JSON.stringify(value))

/** Mistakes make it fail. A key that is missing from the environment does not: the arm may never be asked. */
async function check(context: CommandContext): Promise<number> {
  const { io, env } = context
  const reading = await readConfig(await loadOptions(context))
  const named = reading.ok ? await problemOfModel(reading.loaded, env) : undefined
  const problems = reading.ok ? [] : reading.problems
  for (const problem of [...problems, ...(named ? [named.text] : [])]) io.err(`${cleanControl(problem)}\n`)
  if (!reading.ok || named?.isUnknown) return 2
  warn(reading.loaded, context)
  for (const [id, arm] of Object.entries(reading.loaded.config.arms)) {
    const missing = missingVariables(arm, env).join(', ')
    if (missing)
      io.err(`${cleanControl(`arms.${id} cannot be asked until ${missing} is in the environment.`)}\n`)
  }
  io.out('The configuration is valid.\n')
  return 0
}

/** With COVEY_BASE_URL the name belongs to that server, which need not be asked here. */
async function problemOfModel(
  { config, origins }: LoadedConfig,
  env: NodeJS.ProcessEnv,
): Promise<NamedProblem | undefined> {
  const { model, arms } = config
  const origin = origins.get('model')
  if (model === undefined || Object.hasOwn(arms, model) || env['COVEY_BASE_URL'] || !origin) return undefined
  const { problemOfName } = await import('../app/named-models.ts')
  const problem = await problemOfName(model, config, { env, paths: appPaths(env, process.platform) })
  return problem && { ...problem, text: `${formatOrigin(origin)}: model: ${problem.text}` }
}

function printPath({ io, env }: CommandContext): Promise<number> {
  io.out(`${appPaths(env, process.platform).configFile}\n`)
  return Promise.resolve(0)
}

async function loadOptions({ options, env, cwd }: CommandContext): Promise<LoadOptions> {
  const profile = textOf(options['profile']) ?? env['COVEY_PROFILE']
  const { isTrusted } = await openTrustOf(env)
  return {
    env,
    cwd: resolve(cwd, textOf(options['cwd']) ?? '.'),
    isTrusted,
    ...(profile ? { profile } : {}),
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const warn = ({ warnings }: LoadedConfig, { io }: CommandContext): void => {
  for (const warning of warnings) io.err(`covey: ${cleanControl(warning)}\n`)
}
