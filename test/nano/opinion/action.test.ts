import { expect, test } from 'vitest'
import { actionOf } from '../../../src/nano/opinion/action.ts'
import { hashOf, likelihoods } from '../../../src/nano/opinion/linear.ts'

test('a sign speaks for the label it was seen with, an unknown one for none', () => {
  const model = {
    labels: ['no', 'read'],
    step: 0.1,
    rows: new Map([[hashOf('=show'), 0]]),
    weights: Int8Array.from([-20, 20]),
  }

  const [no = 0, read = 0] = likelihoods(model, ['=show', '=zzz'])
  const even = likelihoods(model, ['=zzz'])

  expect(read).toBeGreaterThan(0.9)
  expect(no + read).toBeCloseTo(1)
  expect(even).toEqual([0.5, 0.5])
})

test('a call that no request by hand asks for is left to nano', () => {
  expect(actionOf({ name: 'remember', input: { text: 'x' } })).toBeUndefined()
  expect(actionOf({ name: 'run_command', input: { command: 'git status' } })).toBeUndefined()
  expect(actionOf({ name: 'run_command', input: { command: 'make test' } })).toBe('run')
  expect(actionOf({ name: 'change_line', input: {} })).toBe('edit')
  expect(actionOf(undefined)).toBe('no')
})
