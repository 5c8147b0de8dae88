/** Of a machine's graphics memory only what the engine's build can reach counts; the rest is worth a hint. Pure. */
import type { Gpu, Hardware } from './machine.ts'

export type EngineBuild = 'cuda' | 'vulkan' | 'metal' | 'cpu'

const REACHES: Readonly<Record<EngineBuild, (gpu: Gpu) => boolean>> = {
  cuda: ({ vendor }) => vendor === 'nvidia',
  vulkan: ({ vendor }) => vendor !== 'apple',
  metal: ({ vendor }) => vendor === 'apple',
  cpu: () => false,
}

export const usableHardware = (hardware: Hardware, build: EngineBuild): Hardware => ({
  ...hardware,
  gpus: hardware.gpus.filter(REACHES[build]),
})

export type EngineAdvice = { readonly add: 'cuda' | 'vulkan'; readonly text: string }

/** The build that would make use of the largest card that lies idle; none where there is no such build. */
export function engineAdvice(
  hardware: Hardware,
  build: EngineBuild,
  canAdd: boolean,
): EngineAdvice | undefined {
  if (!canAdd) return undefined
  const idle = hardware.gpus.filter((gpu) => gpu.vendor !== 'apple' && !REACHES[build](gpu))
  const [card] = idle.toSorted((a, b) => sizeOf(b) - sizeOf(a))
  if (!card) return undefined
  const add = card.vendor === 'nvidia' ? 'cuda' : 'vulkan'
  const size = sizeOf(card) > 0 ? `${Math.round(sizeOf(card) / 2 ** 30)} GB ` : ''
  return { add, text: `add ${add} to use the ${size}card (${card.name}): covey engine add ${add}` }
}

const sizeOf = ({ totalBytes, freeBytes }: Gpu): number => totalBytes ?? freeBytes ?? 0
