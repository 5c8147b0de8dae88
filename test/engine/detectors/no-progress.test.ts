import { describe, expect, test } from 'vitest'
import { noProgress } from '../../../src/engine/detectors/no-progress.ts'
import { type Sketch, traceOf } from '../record.ts'

const times = (count: number, sketch: (index: number) => Sketch): Sketch[] =>
  Array.from({ length: count }, (_, index) => sketch(index))

describe('ends the run', () => {
  test('after eight turns that found nothing new', () => {
    const reads = times(9, () => ({ name: 'read_file', path: 'a.ts', text: 'same' }))

    expect(noProgress(traceOf(reads.slice(0, 8)))).toBeUndefined()
    expect(noProgress(traceOf(reads))).toBe('no-progress')
  })

  test('after eight turns of calls that never ran, however different', () => {
    const calls = times(
      8,
      (index) =>
        ({ name: 'read_file', path: `x${index}`, code: 'missing-path', text: `no x${index}` }) as const,
    )

    expect(noProgress(traceOf(calls))).toBe('no-progress')
  })

  test('after eight turns of making and undoing the same change', () => {
    const edits = times(10, (index) => ({
      name: 'edit_file',
      key: `edit ${index % 2}`,
      text: `edit ${index % 2}`,
      wrote: true,
    }))

    expect(noProgress(traceOf(edits))).toBe('no-progress')
  })

  test('after eight turns without any call', () => {
    expect(noProgress({ turns: 8, calls: [] })).toBe('no-progress')
  })
})

describe('lets a run go on', () => {
  test('while results are new', () => {
    expect(
      noProgress(traceOf(times(30, (index) => ({ name: 'run_command', text: `line ${index}` })))),
    ).toBeUndefined()
  })

  test('while paths are new, even if their content is the same', () => {
    expect(
      noProgress(traceOf(times(30, (index) => ({ name: 'read_file', path: `${index}.ts` })))),
    ).toBeUndefined()
  })

  test('while different changes are made', () => {
    const edits = times(30, (index) => ({
      name: 'edit_file',
      key: `edit ${index}`,
      path: 'a.ts',
      wrote: true,
    }))

    expect(noProgress(traceOf(edits))).toBeUndefined()
  })
})
