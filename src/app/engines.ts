/** Joins the builds of the embedded engine with what this machine has: which one computes, which could, adding and removing. */
import { rm } from 'node:fs/promises'
import { appPaths } from '../config/paths.ts'
import { type BuildChoice, chooseBuild } from '../embedded/builds/choose.ts'
import { addedBuilds, type Build, buildFolder, buildPackage, engineVersion } from '../embedded/builds/find.ts'
import { type TrialReport, tryBuild } from '../embedded/builds/trial.ts'
import type { DownloadProgress } from '../models/download.ts'
import { detectEngineFacts, type EngineFacts } from '../models/engine-facts.ts'
import { type EngineAdvice, engineAdvice, usableHardware } from '../models/engine-memory.ts'
import { detectHardware } from '../models/hardware/detect.ts'
import type { Hardware } from '../models/machine.ts'
import { fetchPackage } from '../models/package.ts'
import { systemEffects } from '../models/system.ts'
import { AppError } from '../protocol/error.ts'

/** What `covey engine add` and `rm` take. `cuda` wants the CUDA toolkit 13; `cuda-ext` adds the library for 12. */
export const ADDABLE = ['cuda', 'vulkan', 'cuda-ext'] as const
export type Addable = (typeof ADDABLE)[number]

const enginesFolderOf = (env: NodeJS.ProcessEnv): string => appPaths(env, process.platform).enginesFolder

type UsableHardware = {
  /** With the cards that the build in use computes on. */
  readonly hardware: Hardware
  readonly choice: BuildChoice
  readonly advice?: EngineAdvice
}

export async function detectUsable(env: NodeJS.ProcessEnv): Promise<UsableHardware> {
  const { modelsFolder } = appPaths(env, process.platform)
  const [hardware, choice] = await Promise.all([
    detectHardware(systemEffects(modelsFolder)),
    chooseBuild(enginesFolderOf(env)),
  ])
  const advice = engineAdvice(hardware, choice.build?.name ?? 'cpu', buildPackage('cuda') !== undefined)
  return {
    hardware: usableHardware(hardware, choice.build?.name ?? 'cpu'),
    choice,
    ...(advice && { advice }),
  }
}

export type EngineStatus = UsableHardware & {
  readonly facts: EngineFacts
  readonly cores: number
  readonly version: string
  readonly added: readonly Build[]
}

export async function engineStatus(env: NodeJS.ProcessEnv): Promise<EngineStatus> {
  const effects = systemEffects(appPaths(env, process.platform).modelsFolder)
  const [usable, facts] = await Promise.all([detectUsable(env), detectEngineFacts(effects)])
  const added = addedBuilds(enginesFolderOf(env))
  return { ...usable, facts, cores: effects.cores(), version: engineVersion(), added }
}

export type AddRequest = {
  readonly name: Addable
  readonly env: NodeJS.ProcessEnv
  readonly offline: boolean
  readonly onProgress: (progress: DownloadProgress) => void
}

/** Fetches the build and tries it: one that cannot be used is kept, with the reason why not. */
export async function addEngine(
  { name, env, offline, onProgress }: AddRequest,
  signal: AbortSignal,
): Promise<{ readonly folder: string; readonly trial?: TrialReport }> {
  const packageName = requirePackage(name)
  const root = enginesFolderOf(env)
  const folder = buildFolder(root, packageName)
  await fetchPackage(
    { name: packageName, version: engineVersion(), folder, env, offline, onProgress },
    signal,
  )
  const build = addedBuilds(root).find((added) => added.name === (name === 'cuda-ext' ? 'cuda' : name))
  return { folder, ...(build && { trial: await tryBuild(build) }) }
}

/** The folder that is gone now. */
export async function removeEngine(name: Addable, env: NodeJS.ProcessEnv): Promise<string> {
  const folder = buildFolder(enginesFolderOf(env), requirePackage(name))
  await rm(folder, { recursive: true, force: true })
  return folder
}

function requirePackage(name: Addable): string {
  const found = buildPackage(name)
  if (found !== undefined) return found
  throw new AppError(
    'config-invalid',
    `there is no ${name} build for ${process.platform} ${process.arch}; the build in the package is the only one here. \`covey engine\` shows it.`,
  )
}
