/** What `covey engine` does. */
import { loadConfig } from '../config/load.ts'
import {
  ADDABLE,
  addEngine,
  type Addable,
  type EngineStatus,
  engineStatus,
  removeEngine,
} from '../app/engines.ts'
import { cleanControl, jsonLine } from '../lib/clean.ts'
import { AppError } from '../protocol/error.ts'
import { requireAction } from './action.ts'
import type { CommandContext } from './command.ts'
import { createProgress } from './models/progress.ts'

type Action = (context: CommandContext) => Promise<number>

export function actOnEngine(context: CommandContext): Promise<number> {
  const [name = 'ls', ...args] = context.args
  return requireAction('engine', actions, name)({ ...context, args })
}

const actions: Readonly<Record<string, Action>> = { ls: showEngine, add: addBuild, rm: removeBuild }

async function showEngine({ io, env, options }: CommandContext): Promise<number> {
  const status = await engineStatus(env)
  if (options['json'] === true) io.out(jsonLine(toJson(status)))
  else for (const [name, text] of describe(status)) io.out(`${name.padEnd(8)} ${cleanControl(text)}\n`)
  return status.choice.build === undefined ? 1 : 0
}

const toJson = ({ choice, ...status }: EngineStatus) => ({
  ...status,
  inUse: choice.build?.name ?? null,
  devices: choice.devices,
  notUsed: choice.skipped,
})

type Line = readonly [name: string, text: string]

function describe({ facts, cores, version, added, choice, advice }: EngineStatus): readonly Line[] {
  const { cpuFeatures, nvidiaDriver, vulkanLoader, vulkanDrivers, metal } = facts
  const loader = vulkanLoader ? 'loader found' : 'no loader (libvulkan)'
  return [
    ['cpu', `${cores} cores, ${cpuFeatures?.join(' ') || 'features unknown'}`],
    [
      'nvidia',
      nvidiaDriver === undefined ? 'no driver (nvidia-smi does not answer)' : `driver ${nvidiaDriver}`,
    ],
    [
      'vulkan',
      `${loader}, ${vulkanDrivers.length > 0 ? `drivers: ${vulkanDrivers.join(', ')}` : 'no drivers'}`,
    ],
    ['metal', metal ? 'part of this system' : 'only on Apple silicon'],
    ['version', version],
    ['in use', inUse(choice)],
    ...choice.skipped.map(({ name, why }): Line => ['not used', `${name}: ${why}`]),
    ...added
      .filter(({ name }) => name !== choice.build?.name && !choice.skipped.some((one) => one.name === name))
      .map(({ name }): Line => ['added', `${name}: a better one is in use`]),
    ['faster', advice?.text ?? 'nothing: no card lies idle that a build could use'],
  ]
}

function inUse({ build, devices }: EngineStatus['choice']): string {
  if (!build) return 'none: no build for this platform is installed; run npm install -g covey again'
  return `${build.name}${devices.length > 0 ? ` on ${devices.join(', ')}` : ''} (${build.addon})`
}

async function addBuild(context: CommandContext): Promise<number> {
  const { io, env, cwd, options, signal } = context
  const name = requireName(context)
  const json = options['json'] === true
  const offline = options['offline'] === true || (await loadConfig({ env, cwd })).config.offline
  const progress = createProgress(io, name, json)
  try {
    const { folder, trial } = await addEngine({ name, env, offline, onProgress: progress.show }, signal)
    progress.end()
    if (json) io.out(jsonLine({ type: 'added', name, folder, trial }))
    else io.out(`${name} is in ${folder}\n${describeTrial(trial)}\n`)
    return 0
  } catch (error) {
    progress.end()
    if (!signal.aborted) throw error
    io.err('Stopped; what has arrived is kept. The same command goes on from there.\n')
    return 130
  }
}

function describeTrial(trial: Awaited<ReturnType<typeof addEngine>>['trial']): string {
  if (!trial) return `It is used once its build is there too: covey engine add cuda`
  if (trial.ok) return `It works and is used from now on: ${cleanControl(trial.devices.join(', '))}.`
  const older = /CUDA toolkit/.test(trial.why) ? TOOLKIT : ''
  return `It is not used: ${cleanControl(trial.why)}. Answers are computed on the processor until then.${older}`
}

const TOOLKIT =
  ' With the toolkit 12: covey engine add cuda-ext. With the driver alone: covey engine add vulkan.'

async function removeBuild(context: CommandContext): Promise<number> {
  const name = requireName(context)
  const folder = await removeEngine(name, context.env)
  context.io.out(`${name} is gone from ${folder}\n`)
  return 0
}

function requireName({ args }: CommandContext): Addable {
  const [given] = args
  const name = ADDABLE.find((known) => known === given)
  if (name) return name
  throw new AppError(
    'config-invalid',
    given === undefined
      ? `which build? Builds to add are ${ADDABLE.join(', ')}; for example: covey engine add cuda`
      : `there is no build "${given}"; builds to add are ${ADDABLE.join(', ')}. \`covey engine\` says which helps here.`,
  )
}
