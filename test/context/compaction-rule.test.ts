import { expect, test } from 'vitest'
import { budgetFor } from '../../src/context/budget.ts'
import { decideCompaction, tooSmallText } from '../../src/context/compaction-rule.ts'

const budget = budgetFor(4096)
const question = {
  used: budget.trigger + 50,
  budget,
  forced: false,
  resultsSince: Number.POSITIVE_INFINITY,
  failures: 0,
}

test.each([
  ['below the trigger nothing happens', { used: budget.trigger - 1 }, 'none'],
  ['at the trigger it compacts', { used: budget.trigger }, 'compact'],
  ['again after a good result', { resultsSince: 1 }, 'compact'],
  ['not twice without one, while the request still fits', { resultsSince: 0 }, 'none'],
  [
    'and when it no longer fits, the window is too small',
    { resultsSince: 0, used: 3073 },
    'window-too-small',
  ],
  ['not a fourth time after three that gained nothing', { failures: 3 }, 'none'],
  ['which also ends the run once nothing fits', { failures: 3, used: 3073 }, 'window-too-small'],
  ['a forced one ignores both', { forced: true, failures: 9, resultsSince: 0, used: 10 }, 'compact'],
] as const)('%s', (_name, changes, decision) => {
  expect(decideCompaction({ ...question, ...changes })).toBe(decision)
})

test('a window that is too small is reported with its numbers', () => {
  expect(tooSmallText(3500, 450, budget)).toBe(
    'A window of 4,096 tokens is too small to go on: instructions and tools take 450, the conversation 3,050 even ' +
      'after compaction, and 1,024 are kept for the answer. Use a model with a larger window, or start a new session ' +
      'with a smaller task.',
  )
})
