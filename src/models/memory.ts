/**
 * How much memory a model takes, before it is on this disk: weights once, a KV cache for each worker, and what
 * llama.cpp needs to compute. For a file that is here its header knows better.
 */
import { quantsOf, type AttentionLayers, type CatalogEntry } from './catalog.ts'
import { bitsOf, type Quant } from './quant.ts'

export const GIB = 2 ** 30

/** What the KV cache is kept in; q8_0 holds 32 numbers in 34 bytes. */
export type CacheType = 'f16' | 'q8_0'

const CACHE_BYTES: Readonly<Record<CacheType, number>> = { f16: 2, q8_0: 34 / 32 }

export type Load = {
  readonly window: number
  readonly workers: number
  readonly cache: CacheType
}

/** What to have free, in bytes: everything below and a reserve for the rest. */
export const memoryNeeded = (entry: CatalogEntry, quant: Quant, load: Load): number =>
  (weightBytes(entry, quant) +
    load.workers * cacheBytes(entry, load.window, load.cache) +
    computeBytes(entry, quant)) *
  (1 + RESERVE)

const RESERVE = 0.15

/** The size of the file where it is known, else an estimate. */
export const weightBytes = (entry: CatalogEntry, quant: Quant): number =>
  entry.files[quant]?.bytes ?? estimatedWeights(entry, quant) + surplus(entry, quant)

export const estimatedWeights = ({ parameters }: CatalogEntry, quant: Quant): number =>
  (parameters * bitsOf(quant)) / 8

/**
 * Small models keep their vocabulary in more bits than the rest, up to two thirds of the file. How much that is shows
 * in a file whose size is known; the one nearest in bits says it best.
 */
function surplus(entry: CatalogEntry, quant: Quant): number {
  const distance = (other: Quant): number => Math.abs(bitsOf(other) - bitsOf(quant))
  const [known] = quantsOf(entry)
    .filter((other) => entry.files[other]?.bytes !== undefined)
    .toSorted((a, b) => distance(a) - distance(b))
  return known ? Math.max(0, weightBytes(entry, known) - estimatedWeights(entry, known)) : 0
}

/** Of one worker. */
export const cacheBytes = (entry: CatalogEntry, window: number, cache: CacheType = 'f16'): number =>
  entry.attention.reduce((sum, layers) => sum + tokensKept(layers, window) * tokenBytes(layers, cache), 0)

/** Of one token in these layers. */
const tokenBytes = ({ layers, kvHeads, key, value }: AttentionLayers, cache: CacheType): number =>
  layers * kvHeads * (key + value) * CACHE_BYTES[cache]

/** llama.cpp keeps one batch beyond a sliding window. */
const BATCH = 512

const tokensKept = ({ sliding }: AttentionLayers, window: number): number =>
  sliding === undefined ? window : Math.min(window, sliding + BATCH)

/** Scratch space of a batch: a floor for the vocabulary, and more for wider models. */
const computeBytes = (entry: CatalogEntry, quant: Quant): number =>
  Math.min(0.3 * GIB + 0.03 * weightBytes(entry, quant), GIB)

/** Read from memory for every token written: all the weights of a dense model, the chosen experts of a mixture. */
export const bytesPerToken = (entry: CatalogEntry, quant: Quant): number =>
  weightBytes(entry, quant) * (entry.active / entry.parameters)

/** What a machine reaches of its memory's bandwidth when it writes one token after the other. */
const EFFICIENCY = 0.55

export const tokensPerSecond = (bytesRead: number, bandwidth: number): number =>
  (bandwidth / bytesRead) * EFFICIENCY
