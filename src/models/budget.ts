/** What of a machine's memory a model may use: the graphics cards' own first, then the main memory. Pure. */
import type { Gpu, Hardware } from './machine.ts'
import { defined } from '../lib/object.ts'

/** A pool that holds nothing is 0; one of unknown size is absent. */
export type Budget = {
  readonly gpu: number
  readonly ram?: number
  /** Bytes per second. */
  readonly gpuBandwidth?: number
  readonly ramBandwidth?: number
}

export function toBudget({ gpus, ramFree, ramBandwidth }: Hardware): Budget {
  const cards = bestVendor(gpus)
  const gpu = cards.reduce((sum, { freeBytes = 0 }) => sum + freeBytes, 0)
  const isUnified = cards.some(({ unified }) => unified)
  // Memory that a card shares with the processor must not be counted twice.
  const ram = isUnified && ramFree !== undefined ? Math.max(0, ramFree - gpu) : ramFree
  const gpuBandwidth = slowest(cards)
  const mainBandwidth = isUnified ? gpuBandwidth : ramBandwidth
  return {
    gpu: isUnified && ramFree !== undefined ? Math.min(gpu, ramFree) : gpu,
    ...defined({ ram, gpuBandwidth, ramBandwidth: mainBandwidth }),
  }
}

/** One model is spread over cards of one maker only: they share a driver. */
function bestVendor(gpus: readonly Gpu[]): readonly Gpu[] {
  const known = gpus.filter(({ freeBytes }) => freeBytes !== undefined)
  const free = (vendor: Gpu['vendor']): number =>
    known.reduce((sum, gpu) => sum + (gpu.vendor === vendor ? (gpu.freeBytes ?? 0) : 0), 0)
  const [best] = known.map(({ vendor }) => vendor).toSorted((a, b) => free(b) - free(a))
  return known.filter(({ vendor }) => vendor === best)
}

/** Every card waits for the slowest; of one that is not known nothing can be said. */
function slowest(cards: readonly Gpu[]): number | undefined {
  const rates = cards.map(({ bandwidth }) => bandwidth)
  if (rates.length === 0 || rates.includes(undefined)) return undefined
  return Math.min(...rates.filter((rate) => rate !== undefined))
}

/** All that is free; nothing where not even the main memory is known. */
export const totalOf = ({ gpu, ram }: Budget): number | undefined =>
  ram === undefined && gpu === 0 ? undefined : gpu + (ram ?? 0)
