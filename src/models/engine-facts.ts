/**
 * What of this machine decides how fast an engine computes: features of the processor, and the drivers for its cards.
 */
import type { HardwareEffects } from './machine.ts'

export type EngineFacts = {
  /** Vector units that llama.cpp has code for; absent where the system does not tell. */
  readonly cpuFeatures?: readonly string[]
  /** Version of NVIDIA's driver; absent = none. */
  readonly nvidiaDriver?: string
  readonly vulkanLoader: boolean
  /** Names of the registered Vulkan drivers. */
  readonly vulkanDrivers: readonly string[]
  readonly metal: boolean
}

export async function detectEngineFacts(effects: HardwareEffects): Promise<EngineFacts> {
  const { platform, arch } = effects
  const [cpuFeatures, driver, vulkanLoader, vulkanDrivers] = await Promise.all([
    featuresOf(effects),
    effects.run('nvidia-smi', '--query-gpu=driver_version', '--format=csv,noheader'),
    hasVulkan(effects),
    driversOf(effects),
  ])
  const nvidiaDriver = driver?.trim().split('\n')[0]
  return {
    ...(cpuFeatures && { cpuFeatures }),
    ...(nvidiaDriver && { nvidiaDriver }),
    vulkanLoader,
    vulkanDrivers,
    metal: platform === 'darwin' && arch === 'arm64',
  }
}

/** As the kernel names them, in the order of what they are worth. */
const FEATURES = [
  'sse4_2',
  'avx',
  'f16c',
  'fma',
  'avx2',
  'avx512f',
  'avx_vnni',
  'avx512_vnni',
  'avx512_bf16',
  'amx_int8',
]
const ARM_FEATURES = ['asimd', 'asimddp', 'i8mm', 'bf16', 'sve', 'sve2', 'sme']

async function featuresOf({ platform, read, run }: HardwareEffects): Promise<readonly string[] | undefined> {
  const text =
    platform === 'linux'
      ? await read('/proc/cpuinfo')
      : platform === 'darwin'
        ? await run('sysctl', '-n', 'machdep.cpu.features', 'machdep.cpu.leaf7_features')
        : undefined
  if (!text) return undefined
  const line = platform === 'linux' ? (/^(?:flags|Features)\s*:(.*)$/m.exec(text)?.[1] ?? '') : text
  const flags = new Set(line.toLowerCase().replaceAll('.', '_').split(/\s+/))
  return [...FEATURES, ...ARM_FEATURES].filter((feature) => flags.has(feature))
}

const LOADER_FOLDERS = [
  '/usr/lib/x86_64-linux-gnu',
  '/usr/lib/aarch64-linux-gnu',
  '/usr/lib64',
  '/usr/lib',
  '/lib64',
]

async function hasVulkan({ platform, list, run }: HardwareEffects): Promise<boolean> {
  if (platform === 'win32') {
    return (await list('C:\\Windows\\System32')).some((name) => name.toLowerCase() === 'vulkan-1.dll')
  }
  if (platform !== 'linux') return false
  const names = (await Promise.all(LOADER_FOLDERS.map((folder) => list(folder)))).flat()
  const cache = (await run('ldconfig', '-p')) ?? (await run('/sbin/ldconfig', '-p')) ?? ''
  return names.includes('libvulkan.so.1') || cache.includes('libvulkan.so.1')
}

async function driversOf({ list }: HardwareEffects): Promise<readonly string[]> {
  const folders = ['/usr/share/vulkan/icd.d', '/etc/vulkan/icd.d']
  const names = (await Promise.all(folders.map((folder) => list(folder)))).flat()
  return names
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.replace(/(?:_icd)?(?:\.\w+)?\.json$/, ''))
}
