import { expect, test } from 'vitest'
import { bothLimits } from '../../src/lib/limits.ts'

test('of two limits only what both allow is left', () => {
  const one = { allowedTools: ['read_file', 'plan'], allowedPaths: ['src/a', 'docs'], deniedTools: ['x'] }
  const other = { allowedTools: ['plan', 'run_command'], allowedPaths: ['src', 'docs/b'], deniedTools: ['y'] }

  expect(bothLimits(one, other)).toEqual({
    allowedTools: ['plan'],
    allowedPaths: ['src/a', 'docs/b'],
    deniedTools: ['x', 'y'],
  })
})

test('a limit that says nothing leaves the other as it is', () => {
  expect(bothLimits({}, {})).toEqual({})
  expect(bothLimits({ allowedTools: ['plan'] }, { allowedPaths: ['src'] })).toEqual({
    allowedTools: ['plan'],
    allowedPaths: ['src'],
  })
})

test('limits that share nothing allow nothing', () => {
  expect(bothLimits({ allowedPaths: ['a'] }, { allowedPaths: ['ab'] })).toEqual({ allowedPaths: [] })
})
