/**
 * What this machine has for a model: processor cores, memory, graphics cards, disk. Every fact is asked for through the
 * effects handed in, so that recorded answers of other machines can be tested; what no one answers stays unknown.
 */
import { appleGpus, macMemory } from './apple.ts'
import { amdGpus, intelGpus, nvidiaGpus } from './gpus.ts'
import { linuxCores, linuxMemory } from './linux.ts'
import type { Gpu, Hardware, HardwareEffects, Memory } from '../machine.ts'

export async function detectHardware(effects: HardwareEffects): Promise<Hardware> {
  const [memory, cores, diskFree] = await Promise.all([
    detectMemory(effects),
    effects.platform === 'linux' ? linuxCores(effects) : effects.cores(),
    effects.diskFree(),
  ])
  const gpus = await detectGpus(effects, memory)
  return { cores, ...memory, gpus, ...(diskFree !== undefined && { diskFree }) }
}

async function detectMemory(effects: HardwareEffects): Promise<Memory> {
  if (effects.platform === 'linux') return linuxMemory(effects)
  if (effects.platform === 'darwin') return macMemory(effects)
  return effects.memory()
}

async function detectGpus(effects: HardwareEffects, memory: Memory): Promise<readonly Gpu[]> {
  if (effects.platform === 'darwin') return appleGpus(effects, memory)
  const found = await Promise.all([nvidiaGpus(effects, memory), amdGpus(effects), intelGpus(effects)])
  return found.flat()
}
