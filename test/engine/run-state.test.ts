import { expect, test } from 'vitest'
import { RunState } from '../../src/engine/run-state.ts'
import { traceOf } from './record.ts'

const recorded = (...sketches: Parameters<typeof traceOf>[0]): RunState => {
  const run = new RunState([])
  run.resultsSinceCompaction = 0
  for (const record of traceOf(sketches).calls) run.record(record)
  return run
}

test('a result read again after a compaction counts as one since it', () => {
  const same = { name: 'read_file', path: 'a.js', text: 'one' }

  expect(recorded(same, same).resultsSinceCompaction).toBe(2)
})

test('a failed call, and one that a detector answered, do not', () => {
  const run = recorded(
    { name: 'read_file', path: 'b.js', code: 'missing-path' },
    { name: 'read_file', path: 'a.js', code: 'refused', ok: true },
  )

  expect(run.resultsSinceCompaction).toBe(0)
})
