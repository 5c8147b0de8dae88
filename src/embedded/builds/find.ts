/**
 * The builds of llama.cpp on this machine. The one for the processor (Metal on Apple silicon) comes with the package; those
 * for graphics cards are large and lie, once someone added them, in a folder of the user's. Each is one package of the registry
 * with one addon in it.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dependencyFile, packageFile } from '../../lib/package-files.ts'

/** Best first: that is the order in which they are tried. */
const GPU_BUILDS = ['cuda', 'vulkan'] as const
export type GpuBuild = (typeof GPU_BUILDS)[number]
export type BuildName = GpuBuild | 'metal' | 'cpu'

export type Build = {
  readonly name: BuildName
  /** The addon that Node loads. */
  readonly addon: string
  /** Where the library for CUDA 12 lies, when it was added too; the build itself wants CUDA 13. */
  readonly fallback?: string
}

export type Machine = { readonly platform: NodeJS.Platform; readonly arch: string }

const PLATFORM: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: 'linux',
  darwin: 'mac',
  win32: 'win',
}

/** `linux-x64`; absent where llama.cpp is not built for this kind of machine. */
const platformOf = ({ platform, arch }: Machine): string | undefined => {
  const name = `${PLATFORM[platform]}-${arch}`
  return /^(?:linux|mac|win)-(?:x64|arm64)$/.test(name) ? name : undefined
}

/** The registry's package of a build. Cards other than Apple's are supported on x64 only. */
export function buildPackage(name: GpuBuild | 'cuda-ext', machine: Machine = process): string | undefined {
  const platform = platformOf(machine)
  return platform === 'linux-x64' || platform === 'win-x64'
    ? `@node-llama-cpp/${platform}-${name}`
    : undefined
}

/** The build in the package; absent where none was installed. */
export function packagedBuild(machine: Machine = process): Build | undefined {
  const platform = platformOf(machine)
  if (platform === undefined) return undefined
  const isMetal = platform === 'mac-arm64'
  const folder = isMetal ? `${platform}-metal` : platform
  try {
    const main = dependencyFile(`@node-llama-cpp/${folder}`)
    return { name: isMetal ? 'metal' : 'cpu', addon: addonIn(join(dirname(main), '..'), folder) }
  } catch {
    return undefined
  }
}

/** The builds that were added, best first. */
export const addedBuilds = (folder: string, machine: Machine = process): readonly Build[] =>
  GPU_BUILDS.flatMap((name) => addedBuild(folder, name, machine) ?? [])

function addedBuild(folder: string, name: GpuBuild, machine: Machine): Build | undefined {
  const packageName = buildPackage(name, machine)
  const extra = name === 'cuda' ? buildPackage('cuda-ext', machine) : undefined
  if (packageName === undefined) return undefined
  const addon = addonIn(buildFolder(folder, packageName), shortName(packageName))
  if (!existsSync(addon)) return undefined
  const bins = extra === undefined ? '' : join(buildFolder(folder, extra), 'bins', shortName(packageName))
  return { name, addon, ...(extra !== undefined && existsSync(bins) && { fallback: bins }) }
}

/** Where a package is put: `FOLDER/linux-x64-cuda`. */
export const buildFolder = (folder: string, packageName: string): string =>
  join(folder, shortName(packageName))

const shortName = (packageName: string): string => packageName.slice(packageName.indexOf('/') + 1)

const addonIn = (packageFolder: string, name: string): string =>
  join(packageFolder, 'bins', name, 'llama-addon.node')

/** All builds are of one version: that of the library in this package. */
export function engineVersion(): string {
  const { optionalDependencies } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
    optionalDependencies: Readonly<Record<string, string>>
  }
  return optionalDependencies['@node-llama-cpp/linux-x64'] ?? ''
}
