import { describe, expect, test } from 'vitest'
import { intentBreaker } from '../../../src/engine/detectors/intent-breaker.ts'
import { type Sketch, traceOf } from '../record.ts'

const failed = (name: string, code: Sketch['code'] = 'failed'): Sketch => ({ name, ...(code && { code }) })
const good = (name: string): Sketch => ({ name })

describe('asks for a plan', () => {
  test('at the third failure of one tool', () => {
    const finding = intentBreaker(
      traceOf([failed('fetch_url'), good('list_files'), failed('fetch_url'), failed('fetch_url')]),
    )

    expect(finding?.detector).toBe('intent-breaker')
    expect(finding?.note).toContain('Plan first')
  })

  test('at the third failure of one kind of action', () => {
    const trace = traceOf([
      failed('edit_file', 'no-match'),
      failed('apply_patch', 'no-match'),
      failed('edit_file', 'no-match'),
    ])

    expect(intentBreaker(trace)).toBeDefined()
  })
})

describe('says nothing', () => {
  const cases: { readonly [name: string]: readonly Sketch[] } = {
    'about two failures': [failed('fetch_url'), failed('fetch_url')],
    'a second time': [failed('fetch_url'), failed('fetch_url'), failed('fetch_url'), failed('fetch_url')],
    'about red tests': [
      failed('run_command', 'exit-code'),
      failed('run_command', 'exit-code'),
      failed('run_command', 'exit-code'),
    ],
    'about failures of different kinds': [
      failed('fetch_url'),
      failed('read_file', 'missing-path'),
      failed('edit_file', 'no-match'),
    ],
    'where successes balance them': [
      failed('read_file'),
      good('read_file'),
      failed('read_file'),
      good('read_file'),
      failed('read_file'),
    ],
    'about failures far apart': [
      failed('fetch_url'),
      ...Array.from({ length: 6 }, () => good('list_files')),
      failed('fetch_url'),
      ...Array.from({ length: 6 }, () => good('list_files')),
      failed('fetch_url'),
    ],
  }

  for (const [name, sketches] of Object.entries(cases)) {
    test(name, () => {
      expect(intentBreaker(traceOf(sketches))).toBeUndefined()
    })
  }
})
