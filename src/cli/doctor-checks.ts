/** What `covey doctor` looks at. A check never throws: what it could not find out is a finding. */
import { execFile } from 'node:child_process'
import { access, constants, statfs } from 'node:fs/promises'
import { promisify } from 'node:util'
import { findConfinement, openProviders } from '../app/queries.ts'
import { appPaths } from '../config/paths.ts'
import { detectUsable } from '../app/engines.ts'
import { cleanControl } from '../lib/clean.ts'
import { ensureFolder } from '../lib/ensure-folder.ts'
import { errorMessage } from '../protocol/error.ts'
import type { ProviderInfo } from '../protocol/provider-service.ts'
import { loadTrusted } from '../app/config.ts'
import { baseUrlOf } from './base-url.ts'
import type { CommandContext } from './command.ts'

type Finding = { readonly name: string; readonly state: 'ok' | 'missing' | 'broken'; readonly text: string }

export async function checkMachine(context: CommandContext): Promise<number> {
  const findings = (await Promise.all(checks.map((check) => check(context)))).flat()
  for (const { name, state, text } of findings) {
    context.io.out(`${marks[state]} ${name.padEnd(10)} ${cleanControl(text)}\n`)
  }
  return findings.some(({ state }) => state === 'broken') ? 1 : 0
}

const marks = { ok: '✓', missing: '–', broken: '✗' } as const

const MIN_NODE = [20, 19] as const

const checks: readonly ((context: CommandContext) => Promise<Finding | readonly Finding[]>)[] = [
  checkNode,
  checkConfig,
  checkData,
  async ({ cwd }) => {
    const { rgPath } = await import('@vscode/ripgrep')
    return checkProgram({ name: 'ripgrep', argv: [rgPath, '--version'], cwd, fix: 'run npm install again' })
  },
  ({ cwd }) =>
    checkProgram({ name: 'git', argv: ['git', '--version'], cwd, fix: 'install git to see branches' }),
  ({ cwd }) =>
    checkProgram({
      name: 'python',
      argv: ['python3', '--version'],
      cwd,
      fix: 'install python3 to run Python',
    }),
  checkSandbox,
  checkEngine,
  checkServers,
]

async function checkNode(): Promise<Finding> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isNew = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])
  const text = isNew
    ? process.version
    : `${process.version} is too old; install Node ${MIN_NODE.join('.')} or later`
  return { name: 'node', state: isNew ? 'ok' : 'broken', text }
}

async function checkConfig({ env, cwd }: CommandContext): Promise<Finding> {
  try {
    const { config } = await loadTrusted({ env, cwd })
    const arms = Object.keys(config.arms)
    if (arms.length === 0) {
      const fix = `no arm configured; use --base-url URL, or add [arms.NAME] to ${appPaths(env, process.platform).configFile}`
      return { name: 'config', state: 'missing', text: fix }
    }
    return {
      name: 'config',
      state: 'ok',
      text: `${arms.length === 1 ? 'one arm' : `${arms.length} arms`} configured`,
    }
  } catch (error) {
    return { name: 'config', state: 'broken', text: errorMessage(error) }
  }
}

async function checkData({ env }: CommandContext): Promise<Finding> {
  const folder = appPaths(env, process.platform).dataFolder
  try {
    await ensureFolder(folder)
    await access(folder, constants.W_OK)
    const { bavail, bsize } = await statfs(folder)
    return {
      name: 'data',
      state: 'ok',
      text: `${folder}, ${Math.round((bavail * bsize) / 2 ** 30)} GiB free`,
    }
  } catch (error) {
    const fix = 'sessions cannot be kept; set XDG_DATA_HOME to a folder you can write'
    return { name: 'data', state: 'broken', text: `${errorMessage(error)}; ${fix}` }
  }
}

type Program = {
  readonly name: string
  readonly argv: readonly string[]
  readonly cwd: string
  readonly fix: string
}

async function checkProgram({ name, argv, cwd, fix }: Program): Promise<Finding> {
  const [program = '', ...rest] = argv
  try {
    const { stdout } = await promisify(execFile)(program, rest, { cwd, timeout: 5_000 })
    return { name, state: 'ok', text: stdout.split('\n', 1)[0] ?? '' }
  } catch {
    return { name, state: 'missing', text: fix }
  }
}

async function checkSandbox({ env, cwd }: CommandContext): Promise<Finding> {
  const { name, missing = '' } = await findConfinement(env, cwd)
  if (name !== undefined) return { name: 'sandbox', state: 'ok', text: `commands run in ${name}` }
  const fix = 'every command is asked for; on Linux: apt install bubblewrap'
  return { name: 'sandbox', state: 'missing', text: `${missing}; ${fix}` }
}

async function checkEngine({ env }: CommandContext): Promise<readonly Finding[]> {
  const { choice, advice } = await detectUsable(env)
  const { build, devices, skipped } = choice
  if (!build) {
    const text = `no build of the engine for ${process.platform} ${process.arch}; use a server: --base-url URL`
    return [{ name: 'engine', state: 'missing', text }]
  }
  const text = `computes on ${devices.join(', ') || build.name}${advice ? `; ${advice.text}` : ''}`
  const notUsed = skipped.map(({ name, why }): Finding => ({
    name: 'engine',
    state: 'missing',
    text: `${name} was added and is not used: ${why}; covey engine rm ${name} removes it`,
  }))
  return [{ name: 'engine', state: 'ok', text }, ...notUsed]
}

/** The same look as `covey providers` takes. */
async function checkServers({ env, cwd, options }: CommandContext): Promise<readonly Finding[]> {
  try {
    const servers = await (await openProviders(env, cwd, baseUrlOf(options))).servers()
    if (servers.length > 0) return servers.map(toFinding)
    const text = 'no model server answers on its usual port; start one, or use --base-url URL'
    return [{ name: 'servers', state: 'missing', text }]
  } catch {
    // A configuration that cannot be read is a finding of its own.
    return []
  }
}

const STATES = { ready: 'ok', off: 'missing', failed: 'broken' } as const

function toFinding({ id, state, about, models = [] }: ProviderInfo): Finding {
  const [first] = models
  const use = first ? `; use it with: covey ${first.use}`.trimEnd() : ''
  return { name: id, state: STATES[state], text: `${about}${use}` }
}
