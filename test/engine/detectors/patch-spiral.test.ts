import { describe, expect, test } from 'vitest'
import { mayOverwrite, patchSpiral, patchSpiralGoesOn } from '../../../src/engine/detectors/patch-spiral.ts'
import { type Sketch, traceOf } from '../record.ts'

const miss = (path = 'a.ts'): Sketch => ({ name: 'edit_file', path, code: 'no-match', text: 'not found' })
const hit = (path = 'a.ts'): Sketch => ({ name: 'edit_file', path, wrote: true })
const read: Sketch = { name: 'read_file', path: 'a.ts' }

describe('four missed edits of one path', () => {
  const trace = traceOf([miss(), miss(), miss(), miss()])

  test('get a note to write it whole', () => {
    expect(patchSpiral(trace)).toMatchObject({ detector: 'patch-spiral', path: 'a.ts' })
    expect(patchSpiral(trace)?.note).toContain('write_file')
  })

  test('allow this file, and only this, to be overwritten', () => {
    expect(mayOverwrite(trace, 'a.ts')).toBe(true)
    expect(mayOverwrite(trace, 'b.ts')).toBe(false)
  })

  test('are not spoken of again on a turn that missed nothing', () => {
    expect(patchSpiral(traceOf([miss(), miss(), miss(), miss(), read]))).toBeUndefined()
  })
})

test('eight missed edits of one path end the run', () => {
  const misses = Array.from({ length: 8 }, () => miss())

  expect(patchSpiralGoesOn(traceOf(misses.slice(1)))).toBeUndefined()
  expect(patchSpiralGoesOn(traceOf(misses))).toBe('patch-spiral')
})

describe('is no spiral', () => {
  test('three misses', () => {
    expect(patchSpiral(traceOf([miss(), read, miss(), read, miss()]))).toBeUndefined()
  })

  test('misses of different files', () => {
    const trace = traceOf(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((path) => miss(path)))

    expect([patchSpiral(trace), patchSpiralGoesOn(trace)]).toEqual([undefined, undefined])
  })

  test('a miss now and then between edits that hit', () => {
    const trace = traceOf(Array.from({ length: 10 }, () => [miss(), hit()]).flat())

    expect([patchSpiral(trace), patchSpiralGoesOn(trace), mayOverwrite(trace, 'a.ts')]).toEqual([
      undefined,
      undefined,
      false,
    ])
  })
})
