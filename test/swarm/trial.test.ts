import { expect, test } from 'vitest'
import type { ExecResult, FileChange } from '../../src/protocol/tool.ts'
import { withTrial } from '../../src/swarm/trial.ts'

const signal = new AbortController().signal
const call = { id: 'c', name: 'edit_file', input: '{}' }
const change = (after: string): FileChange => ({ path: 'src/a.ts', before: 'x', after })
const ended = (exitCode: number, output = ''): ExecResult => ({
  exitCode,
  output,
  timedOut: false,
  omittedBytes: 0,
})

test('a check that passes without the change and fails with it takes the vote', async () => {
  const asked: string[] = []
  const judge = withTrial(async () => ({ ok: true, changes: [change('broken')] }), {
    checks: { '*.ts': 'tsc', '*.py': 'mypy' },
    tryChanges: async (changes, command) => {
      asked.push(`${command} ${changes.length}`)
      return changes.length > 0 ? ended(2, 'src/a.ts(1,1): error TS1\nmore') : ended(0)
    },
  })

  expect(await judge(call, signal)).toEqual({
    ok: false,
    why: '`tsc` would fail: src/a.ts(1,1): error TS1',
  })
  await judge(call, signal)
  expect(asked).toEqual(['tsc 0', 'tsc 1'])
})

test('a check that failed already, or is late, says nothing', async () => {
  const found = { ok: true, changes: [change('fine')] } as const
  const failing = withTrial(async () => found, {
    checks: { '*.ts': 'tsc' },
    tryChanges: async () => ended(2),
  })
  const late = withTrial(async () => found, {
    checks: { '*.ts': 'tsc' },
    tryChanges: async (changes) => (changes.length > 0 ? { ...ended(1), timedOut: true } : ended(0)),
  })

  expect(await failing(call, signal)).toEqual(found)
  expect(await late(call, signal)).toEqual(found)
})

test('without changes nothing runs', async () => {
  const judge = withTrial(async () => ({ ok: true }), {
    checks: { '*': 'true' },
    tryChanges: () => Promise.reject(new Error('nothing to try')),
  })

  expect(await judge(call, signal)).toEqual({ ok: true })
})
