import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { noSources, type Sources } from '../../../src/nano/weights/format.ts'
import { fitPrompt, type PromptParts } from '../../../src/nano/weights/prompt.ts'
import type { NanoStep } from '../../../src/nano/steps/run.ts'
import { nanoTools, offers } from '../../../src/nano/weights/tools.ts'
import type { Segment } from '../../../src/embedded/segment.ts'
import { runs } from '../../support/runs.ts'

/** No token is shorter than a byte. */
const countBytes = (segments: readonly Segment[]): number => Buffer.byteLength(toText(segments))

const toText = (segments: readonly Segment[]): string => segments.map(({ text }) => text).join('')

const sources: Sources = {
  paths: ['src/app.ts'],
  scripts: [{ label: 'test', command: 'npm test' }],
  ids: [],
  lines: [],
}

const partsOf = (more: Partial<PromptParts> = {}): PromptParts => ({
  request: 'read it',
  steps: [],
  sources: noSources,
  tools: offers.write.flatMap((name) => nanoTools.get(name) ?? []),
  ...more,
})

const stepOf = (path: string, shown: string): NanoStep => ({
  call: { name: 'read_file', input: { path } },
  ok: true,
  text: shown,
  shown,
})

test('everything is shown where it fits', () => {
  const parts = partsOf({ sources, steps: [stepOf('a', 'first'), stepOf('b', 'second')] })

  const { segments, isRequestCut } = fitPrompt(parts, countBytes, 2048)

  expect(isRequestCut).toBe(false)
  expect(toText(segments)).toMatch(/read it[^]*src\/app\.ts[^]*test=npm test[^]*first[^]*second/)
})

test('the oldest result goes first, then most of the last, then the sources, and the request last', () => {
  const parts = partsOf({
    sources,
    steps: [stepOf('a', 'first '.repeat(60)), stepOf('b', 'second '.repeat(150))],
  })
  const shown = [2945, 2345, 1845, 1245].map((most) => toText(fitPrompt(parts, countBytes, most).segments))

  expect(shown.map((text) => /first/.test(text))).toEqual([true, false, false, false])
  expect(shown.map((text) => text.match(/second/g)?.length ?? 0)).toEqual([150, 150, 85, 14])
  expect(shown.map((text) => /src\/app\.ts/.test(text))).toEqual([true, true, true, true])
  expect(shown.map((text) => /read it/.test(text))).toEqual([true, true, true, true])
})

test('a request that is cut is said to be', () => {
  const { segments, isRequestCut } = fitPrompt(
    partsOf({ request: 'word '.repeat(1000) }),
    countBytes,
    100_000,
  )

  expect(isRequestCut).toBe(true)
  expect(toText(segments)).toMatch(/word wo?\n\[cut\]\n|word \n\[cut\]\n/)
})

test('no conversation is larger than what it may be', () => {
  const anyText = fc.string({ unit: 'grapheme', maxLength: 5000, size: 'max' })
  const anyStep = fc.tuple(anyText, anyText).map(([path, shown]) => stepOf(path, shown))

  fc.assert(
    fc.property(anyText, fc.array(anyStep, { maxLength: 4 }), (request, steps) => {
      const { segments, isRequestCut } = fitPrompt(partsOf({ request, steps, sources }), countBytes, 1648)

      expect(countBytes(segments)).toBeLessThanOrEqual(1648)
      expect(isRequestCut || toText(segments).includes(request)).toBe(true)
    }),
    { numRuns: runs(20, 60) },
  )
})
