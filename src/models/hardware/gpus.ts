/**
 * Graphics cards by what their makers' tools and the kernel say. Where both describe the same card the larger reading
 * counts: a tool in a container sees less, and some kernels report only the part the processor can reach.
 */
import { bandwidthOf } from '../bandwidth.ts'
import type { Gpu, HardwareEffects, Memory } from '../machine.ts'
import { defined } from '../../lib/object.ts'

const MIB = 2 ** 20

type Runner = Pick<HardwareEffects, 'run'>
type Kernel = Pick<HardwareEffects, 'read' | 'list'>

export async function nvidiaGpus(effects: Runner, { ramFree }: Memory): Promise<readonly Gpu[]> {
  const query = ['--query-gpu=name,memory.total,memory.free', '--format=csv,noheader,nounits']
  const text = (await effects.run('nvidia-smi', ...query)) ?? ''
  return text.split('\n').flatMap((line) => {
    const [name, total, free] = line.split(',').map((field) => field.trim())
    if (!name || total === undefined || free === undefined) return []
    // Boards with one memory for everything (Jetson, GB10) print [N/A]: what is free there is the main memory. What a
    // card of its own will not tell, for want of a permission or in a slice of it, stays unknown.
    const isUnified = /n\/a|not supported/i.test(total)
    const sizes = isUnified ? { freeBytes: ramFree } : { totalBytes: mib(total), freeBytes: mib(free) }
    return [toGpu({ vendor: 'nvidia', name, ...(isUnified && { unified: true }) }, sizes)]
  })
}

const mib = (text: string): number | undefined => (/^\d+$/.test(text) ? Number(text) * MIB : undefined)

type Sizes = { readonly totalBytes?: number | undefined; readonly freeBytes?: number | undefined }

function toGpu(gpu: Gpu, { totalBytes, freeBytes }: Sizes): Gpu {
  const bandwidth = bandwidthOf(gpu.name)
  return {
    ...gpu,
    ...defined({ totalBytes, freeBytes, bandwidth }),
  }
}

export async function amdGpus(effects: Runner & Kernel): Promise<readonly Gpu[]> {
  const args = ['--showproductname', '--showmeminfo', 'vram', '--json']
  const told = readRocm((await effects.run('rocm-smi', ...args)) ?? '')
  const seen = await kernelCards(effects, AMD)
  const kernel = await Promise.all(seen.map((folder) => amdCard(effects, folder)))
  const count = Math.max(told.length, kernel.length)
  return Array.from({ length: count }, (_, index) => larger(told[index], kernel[index])).filter(
    (gpu) => gpu !== undefined,
  )
}

function readRocm(text: string): readonly Gpu[] {
  try {
    const cards = JSON.parse(text) as Readonly<Record<string, Readonly<Record<string, string>>>>
    return Object.entries(cards)
      .filter(([key]) => key.startsWith('card'))
      .map(([, facts]) => {
        const total = Number(facts['VRAM Total Memory (B)'])
        const used = Number(facts['VRAM Total Used Memory (B)'])
        const name = facts['Card Series'] ?? facts['Card series'] ?? UNNAMED
        return toGpu({ vendor: 'amd', name }, vram(total, used))
      })
  } catch {
    return []
  }
}

const vram = (total: number, used: number): Sizes =>
  total > 0 ? { totalBytes: total, ...(used >= 0 && { freeBytes: Math.max(0, total - used) }) } : {}

const UNNAMED = 'AMD GPU'

const AMD = '0x1002'
const INTEL = '0x8086'
const DRM = '/sys/class/drm'

/** Folders of the cards of one maker. `card0-HDMI-A-1` is a socket, not a card. */
async function kernelCards(effects: Kernel, vendor: string): Promise<readonly string[]> {
  const cards = (await effects.list(DRM)).filter((name) => /^card\d+$/.test(name)).toSorted()
  const vendors = await Promise.all(cards.map((card) => effects.read(`${DRM}/${card}/device/vendor`)))
  return cards.filter((_, index) => vendors[index]?.trim() === vendor).map((card) => `${DRM}/${card}/device`)
}

async function amdCard(effects: Kernel, folder: string): Promise<Gpu> {
  const [total, used, name] = await Promise.all([
    effects.read(`${folder}/mem_info_vram_total`),
    effects.read(`${folder}/mem_info_vram_used`),
    effects.read(`${folder}/product_name`),
  ])
  return toGpu({ vendor: 'amd', name: name?.trim() || UNNAMED }, vram(Number(total), Number(used)))
}

function larger(told: Gpu | undefined, kernel: Gpu | undefined): Gpu | undefined {
  if (!told || !kernel) return told ?? kernel
  const isLess = (told.totalBytes ?? 0) < (kernel.totalBytes ?? 0)
  const name = told.name === UNNAMED ? kernel.name : told.name
  return isLess ? { ...told, ...kernel, name } : { ...kernel, ...told, name }
}

/** Only cards with memory of their own; graphics inside the processor bring nothing that the main memory does not. */
export async function intelGpus(effects: Kernel): Promise<readonly Gpu[]> {
  const folders = await kernelCards(effects, INTEL)
  const cards = await Promise.all(
    folders.map(async (folder) => {
      const [xe, i915] = await Promise.all([
        effects.read(`${folder}/tile0/physical_vram_size_bytes`),
        effects.read(`${folder.replace(/\/device$/, '')}/lmem_total_bytes`),
      ])
      const total = Number(xe ?? i915)
      // The kernel does not say how much of it is in use.
      return total > 0 ? [toGpu({ vendor: 'intel', name: 'Intel GPU' }, { totalBytes: total })] : []
    }),
  )
  return cards.flat()
}
