import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadCatalog } from '../../src/models/catalog.ts'
import { fitModel, type FitResult } from '../../src/models/fit.ts'
import type { Gpu, Hardware } from '../../src/models/machine.ts'
import { GIB, memoryNeeded } from '../../src/models/memory.ts'

const catalog = await loadCatalog()

const ram = (gib: number): Hardware => ({ ramFree: gib * GIB, gpus: [] })

const card = (gib: number, bandwidth?: number): Gpu => ({
  vendor: 'nvidia',
  name: 'card',
  freeBytes: gib * GIB,
  ...(bandwidth && { bandwidth: bandwidth * 1e9 }),
})

const apple = (free: number, limit: number, bandwidth: number): Hardware => ({
  ramFree: free * GIB,
  gpus: [
    { vendor: 'apple', name: 'Apple', unified: true, freeBytes: limit * GIB, bandwidth: bandwidth * 1e9 },
  ],
})

const withCards = (gib: number, ...gpus: Gpu[]): Hardware => ({ ...ram(gib), gpus })

const summary = (result: FitResult) =>
  result.ok ? [result.choice.id, result.choice.window, result.choice.place] : [result.reason]

describe('the best for', () => {
  test.each<[string, Hardware, unknown[]]>([
    ['1 GB free', ram(0.9), ['nothing-fits']],
    ['2 GB free', ram(2), ['qwen3.5:2b:q4_k_m', 16_384, 'cpu']],
    ['an old laptop, 4 GB', ram(3.2), ['qwen3.5:2b:q8_0', 32_768, 'cpu']],
    ['a laptop, 8 GB', ram(5.5), ['qwen3.5:4b:q6_k', 32_768, 'cpu']],
    ['a laptop, 16 GB', ram(12), ['qwen3.5:9b:q4_k_m', 32_768, 'cpu']],
    ['a desktop without a card, 32 GB', ram(26), ['qwen3.6:35b:q4_k_m', 32_768, 'cpu']],
    ['a MacBook Air M1, 8 GB', apple(5, 5, 68), ['qwen3.5:4b:q5_k_m', 32_768, 'gpu']],
    ['a MacBook M2, 16 GB', apple(11, 10.6, 100), ['qwen3.5:9b:q6_k', 32_768, 'gpu']],
    ['an 8 GB card, 16 GB', withCards(12, card(7.5)), ['gpt-oss:20b:mxfp4', 32_768, 'split']],
    ['a 12 GB card, 32 GB', withCards(26, card(11.5)), ['qwen3.6:35b:q5_k_m', 32_768, 'split']],
    ['an RTX 4090, 64 GB', withCards(58, card(23.5, 1008)), ['qwen3.6:27b:q4_k_m', 32_768, 'gpu']],
    ['two RTX 3090', withCards(58, card(23.5, 936), card(23.5, 936)), ['qwen3.6:35b:q8_0', 32_768, 'gpu']],
    ['an unknown machine', { gpus: [] }, ['unknown-memory']],
  ])('%s', (_name, hardware, expected) => {
    expect(summary(fitModel(hardware, catalog))).toEqual(expected)
  })

  test('no machine is one that is slow, or that has a small window', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 200, noNaN: true }),
        fc.double({ min: 0, max: 80, noNaN: true }),
        (main, own) => {
          const result = fitModel(withCards(main, card(own)), catalog)

          if (result.ok) {
            expect(result.choice).toMatchObject({ slow: false })
            expect(result.choice.window).toBeGreaterThanOrEqual(16_384)
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  test('any machine can be had again by the command that is given', () => {
    const result = fitModel(ram(12), catalog)

    expect(result).toMatchObject({ ok: true, command: 'covey --model qwen3.5:9b:q4_k_m --window 32768' })
  })
})

describe('what fits', () => {
  test('never needs more than is free, with all its workers', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 100, noNaN: true }), (gib) => {
        for (const line of fitModel(ram(gib), catalog).lines) {
          if (!('fit' in line)) continue
          const { quant, window, workers } = line.fit
          const need = memoryNeeded(line.entry, quant, { window, workers, cache: 'f16' })
          expect(need).toBeLessThanOrEqual(gib * GIB)
        }
      }),
      { numRuns: 40 },
    )
  })

  test('on a machine fits on one with more memory', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 60, noNaN: true }),
        fc.double({ min: 0, max: 60, noNaN: true }),
        (gib, more) => {
          const fitting = (hardware: Hardware) =>
            fitModel(hardware, catalog).lines.flatMap((line) => ('fit' in line ? line.entry.title : []))

          expect(fitting(ram(gib + more))).toEqual(expect.arrayContaining(fitting(ram(gib))))
        },
      ),
      { numRuns: 40 },
    )
  })

  test('has its speed estimated from the bandwidth, and not where none is known', () => {
    const known = fitModel(withCards(8, card(23, 1000)), catalog, 'qwen3:8b:q4_k_m')
    const unknown = fitModel(withCards(8, card(23)), catalog, 'qwen3:8b:q4_k_m')

    expect(known.ok && known.choice.speed).toBeCloseTo((1000e9 / 5_027_783_488) * 0.55)
    expect(unknown.ok && unknown.choice.speed).toBe(undefined)
  })

  test('is as fast as it was measured, whatever the estimate', () => {
    const measured = { 'qwen3:8b:q4_k_m': 12 }

    const result = fitModel(withCards(8, card(23, 1000)), catalog, 'qwen3:8b:q4_k_m', { measured })

    expect(result.ok && result.choice.speed).toBe(12)
  })

  test('reads only the active experts for a token', () => {
    const dense = fitModel(withCards(0, card(40, 1000)), catalog, 'qwen3.6:27b:q4_k_m')
    const mixture = fitModel(withCards(0, card(40, 1000)), catalog, 'qwen3.6:35b:q4_k_m')

    expect(dense.ok && Math.round(dense.choice.speed ?? 0)).toBe(33)
    expect(mixture.ok && Math.round(mixture.choice.speed ?? 0)).toBe(290)
  })

  test('can be asked for with a window', () => {
    const result = fitModel(ram(12), catalog, 'qwen3.5:4b:q4_k_m', { window: 131_072 })

    expect(result).toMatchObject({ ok: true, choice: { window: 131_072, workers: 1 } })
  })
})

describe('a wish', () => {
  test.each([
    ['qwen2.5-coder:7b:q4_k_m', 'qwen2.5-coder:7b:q4_k_m'],
    ['Qwen2.5-Coder:7B:Q4_K_M', 'qwen2.5-coder:7b:q4_k_m'],
    ['qwen2.5-coder:7b:4bit', 'qwen2.5-coder:7b:q4_k_m'],
    ['qwen2.5-coder:7b:8-bit', 'qwen2.5-coder:7b:q8_0'],
    ['gpt-oss:20b:4bit', 'gpt-oss:20b:mxfp4'],
    ['gpt-oss', 'gpt-oss:20b:mxfp4'],
    ['qwen3.5:4b', 'qwen3.5:4b:q8_0'],
  ])('%s is met by %s', (wish, id) => {
    expect(fitModel(ram(20), catalog, wish)).toMatchObject({ ok: true, choice: { id } })
  })

  test.each([
    ['qwen25-coder:7b', /^No model is called "qwen25-coder"; did you mean qwen2\.5-coder\?/],
    ['mixtral', /^No model is called "mixtral"\. `covey models fit` lists/],
    ['qwen3.5', /^qwen3\.5 comes in several sizes; say which: 0\.8b, 2b, 4b, 9b\./],
    ['qwen3.5:5b', /^qwen3\.5 has no size "5b"; there are 0\.8b, 2b, 4b, 9b\./],
    ['qwen3.5:4b:q7', /^"q7" is no quantisation; of qwen3\.5:4b there are q3_k_m, q4_k_m/],
    ['qwen3.5:4b:f16', /^qwen3\.5:4b is not published as f16; there are q3_k_m/],
    ['qwen3.5:4b:q4_k_m:x', /too many parts/],
  ])('%s is unknown, and said to be', (wish, message) => {
    expect(fitModel(ram(20), catalog, wish)).toMatchObject({
      ok: false,
      reason: 'unknown-model',
      message: expect.stringMatching(message),
    })
  })

  test('that does not fit is refused with how much is missing and what fits instead', () => {
    const result = fitModel(ram(12), catalog, 'qwen2.5-coder:32b:q8_0')

    expect(result).toMatchObject({
      ok: false,
      reason: 'too-large',
      message:
        'qwen2.5-coder:32b:q8_0 needs 39.6 GiB with a window of 4096 tokens and 12.0 GiB are free: it does not fit by 27.6 GiB. What fits is qwen3.5:9b:q4_k_m; `covey models fit` shows all.',
    })
  })

  test('for a longer window than the model has is refused', () => {
    const result = fitModel(ram(100), catalog, 'qwen2.5-coder:7b', { window: 65_536 })

    expect(result).toMatchObject({ ok: false, message: expect.stringContaining('trained for 32768 tokens') })
  })

  test('is granted where the amount of memory is unknown', () => {
    expect(fitModel({ gpus: [] }, catalog, 'qwen3:8b:q4_k_m')).toMatchObject({
      ok: true,
      choice: { place: 'unknown', window: 16_384, workers: 1 },
    })
  })
})
