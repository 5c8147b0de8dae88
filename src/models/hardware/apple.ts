/** Apple machines: one memory for processor and graphics, of which the graphics part may use only a share. */
import { bandwidthOf } from '../bandwidth.ts'
import { GIB } from '../memory.ts'
import type { Gpu, HardwareEffects, Memory } from '../machine.ts'
import { defined } from '../../lib/object.ts'

type Runner = Pick<HardwareEffects, 'run'>

export async function macMemory(effects: Runner & Pick<HardwareEffects, 'memory'>): Promise<Memory> {
  const total = Number(await effects.run('sysctl', '-n', 'hw.memsize'))
  const free = readVmStat((await effects.run('vm_stat')) ?? '')
  const own = effects.memory()
  return {
    ...own,
    ...(total > 0 && { ramBytes: total }),
    ...defined({ ramFree: free }),
  }
}

/** Node's own "free" leaves out what macOS would hand over at once: old file pages and purgeable memory. */
function readVmStat(text: string): number | undefined {
  const page = Number(/page size of (\d+) bytes/.exec(text)?.[1])
  const pages = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)
  if (!(page > 0)) return undefined
  const free = ['Pages free', 'Pages inactive', 'Pages speculative', 'Pages purgeable'].map(pages)
  return free.reduce((sum, count) => sum + count * page, 0)
}

export async function appleGpus(
  effects: Runner & Pick<HardwareEffects, 'arch'>,
  { ramBytes, ramFree }: Memory,
): Promise<readonly Gpu[]> {
  const names = readDisplays((await effects.run('system_profiler', 'SPDisplaysDataType', '-json')) ?? '')
  const name = names.find((known) => known.startsWith('Apple')) ?? 'Apple GPU'
  // Graphics of Intel Macs are of no use to llama.cpp's Metal code.
  if (effects.arch !== 'arm64') return []
  const wired = Number(await effects.run('sysctl', '-n', 'iogpu.wired_limit_mb'))
  const limit = wired > 0 ? wired * 2 ** 20 : ramBytes === undefined ? undefined : ramBytes * share(ramBytes)
  const free = limit === undefined ? ramFree : Math.min(limit, ramFree ?? limit)
  const bandwidth = bandwidthOf(name)
  return [
    {
      vendor: 'apple',
      name,
      unified: true,
      ...defined({ totalBytes: limit, freeBytes: free, bandwidth }),
    },
  ]
}

/** Metal's default limit. */
const share = (ramBytes: number): number => (ramBytes > 36 * GIB ? 3 / 4 : 2 / 3)

function readDisplays(text: string): string[] {
  try {
    const { SPDisplaysDataType: displays } = JSON.parse(text) as {
      SPDisplaysDataType?: readonly { readonly sppci_model?: string }[]
    }
    return (displays ?? []).flatMap(({ sppci_model: model }) => model ?? [])
  } catch {
    return []
  }
}
