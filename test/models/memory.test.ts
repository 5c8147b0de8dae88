import { describe, expect, test } from 'vitest'
import { loadCatalog, quantsOf, type CatalogEntry } from '../../src/models/catalog.ts'
import { cacheBytes, estimatedWeights, GIB, memoryNeeded, weightBytes } from '../../src/models/memory.ts'
import { bitsOf, type Quant } from '../../src/models/quant.ts'

const catalog = await loadCatalog()
const KIB = 1024

function entryOf(id: string): CatalogEntry {
  const entry = catalog.find(({ name, size }) => `${name}:${size}` === id)
  if (!entry) throw new Error(`no ${id}`)
  return entry
}

describe('weights', () => {
  test.each<[string, Quant, number]>([
    ['qwen2.5-coder:7b', 'q4_k_m', 4.34],
    ['qwen2.5-coder:7b', 'q8_0', 7.54],
    ['qwen2.5-coder:14b', 'q4_k_m', 8.42],
    ['qwen2.5-coder:14b', 'q8_0', 14.6],
    ['qwen3:4b', 'q4_k_m', 2.29],
    ['qwen3:8b', 'q4_k_m', 4.67],
    ['qwen3:14b', 'q4_k_m', 8.41],
    ['qwen3-coder:30b', 'q4_k_m', 17.4],
    ['llama3.2:3b', 'q4_k_m', 1.83],
    ['llama3.1:8b', 'q4_k_m', 4.58],
    ['llama3.1:8b', 'q8_0', 7.95],
    ['phi4-mini:3.8b', 'q4_k_m', 2.19],
    ['ministral-3:8b', 'q4_k_m', 4.84],
    ['ministral-3:14b', 'q4_k_m', 7.7],
    ['granite4.1:8b', 'q4_k_m', 4.78],
    ['granite4:tiny-h', 'q4_k_m', 4.23e9 / GIB],
    ['gpt-oss:20b', 'mxfp4', 12.1e9 / GIB],
    ['smollm3:3b', 'q4_k_m', 1.75],
  ])('of %s in %s are within five percent of what is published', (id, quant, gib) => {
    const estimate = estimatedWeights(entryOf(id), quant) / GIB

    expect(Math.abs(estimate / gib - 1)).toBeLessThan(0.05)
  })

  test('of a model from 7 billion parameters on are within five percent of its file', () => {
    const off = catalog
      .filter(({ parameters }) => parameters > 7e9)
      .flatMap((entry) =>
        quantsOf(entry).map((quant) => {
          const bytes = entry.files[quant]?.bytes
          return bytes === undefined ? 0 : Math.abs(estimatedWeights(entry, quant) / bytes - 1)
        }),
      )

    expect(Math.max(...off)).toBeLessThan(0.05)
  })

  test('are those of the file where its size is known', () => {
    expect(weightBytes(entryOf('qwen2.5-coder:0.5b'), 'q4_k_m')).toBe(491_400_064)
  })

  test('grow with the bits of a weight in every model', () => {
    const shrinking = catalog.filter((entry) => {
      const sizes = quantsOf(entry)
        .toSorted((a, b) => bitsOf(a) - bitsOf(b))
        .map((quant) => weightBytes(entry, quant))
      return sizes.some((size, index) => index > 0 && size <= (sizes[index - 1] ?? 0))
    })

    expect(shrinking.map(({ title }) => title)).toEqual([])
  })
})

describe('the KV cache', () => {
  test.each([
    ['qwen2.5-coder:0.5b', 12],
    ['qwen2.5-coder:7b', 56],
    ['qwen2.5-coder:14b', 192],
    ['qwen3:8b', 144],
    ['qwen3-coder:30b', 96],
    ['qwen3.5:2b', 12],
    ['qwen3.5:4b', 32],
    ['qwen3.6:27b', 64],
    ['qwen3.6:35b', 20],
    ['llama3.2:1b', 32],
    ['gemma3:4b', 20],
    ['gemma4:26b', 20],
    ['ministral-3:14b', 160],
    ['granite4.1:3b', 80],
    ['granite4:tiny-h', 8],
    ['deepseek-coder-v2:16b', 270],
    ['gpt-oss:20b', 24],
    ['lfm2.5:1.2b', 12],
    ['glm-4.7-flash:30b', 52.875],
  ])('of %s grows by %d KiB for each token', (id, kib) => {
    const entry = entryOf(id)

    expect((cacheBytes(entry, 20_001) - cacheBytes(entry, 20_000)) / KIB).toBe(kib)
  })

  test('of sliding layers stops growing one batch after their window', () => {
    const entry = entryOf('gpt-oss:20b')
    const global = 24 * KIB

    expect(cacheBytes(entry, 1000) - 1000 * global).toBe(cacheBytes(entry, 9000) - 9000 * global)
    expect(cacheBytes(entry, 9000) - 9000 * global).toBe(640 * 24 * KIB)
  })

  test('takes little more than half in q8_0', () => {
    const entry = entryOf('qwen3:8b')

    expect(cacheBytes(entry, 4096, 'q8_0') / cacheBytes(entry, 4096)).toBe(34 / 64)
  })
})

test('workers share the weights, each has a cache, and there is a reserve of 15 percent', () => {
  const entry = entryOf('qwen3:8b')
  const load = { window: 16_384, cache: 'f16' } as const

  const one = memoryNeeded(entry, 'q4_k_m', { ...load, workers: 1 })
  const three = memoryNeeded(entry, 'q4_k_m', { ...load, workers: 3 })

  expect(three - one).toBeCloseTo(2 * cacheBytes(entry, 16_384) * 1.15, 0)
  expect(one).toBeGreaterThan((weightBytes(entry, 'q4_k_m') + cacheBytes(entry, 16_384)) * 1.15)
})
