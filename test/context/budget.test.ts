import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { budgetFor, fairShare, learnWindow } from '../../src/context/budget.ts'
import { sum } from '../../src/context/count.ts'

test('a window of 4,096 is divided by fractions', () => {
  expect(budgetFor(4096)).toEqual({
    window: 4096,
    reserve: 1024,
    fixed: 614,
    preceding: 614,
    prompt: 819,
    page: 614,
    trigger: 2826,
    target: 1843,
    keep: 1433,
    digest: 409,
  })
})

test('more of the window is used where the arm itself counts', () => {
  expect(budgetFor(8192)).toMatchObject({ trigger: 5652, target: 3686 })
  expect(budgetFor(8192, 0)).toMatchObject({ trigger: 5529, target: 3686 })
  expect(budgetFor(8192, 1)).toMatchObject({ trigger: 4915, target: 3686 })
})

test('the answer reserve never takes more than 4,096', () => {
  expect(budgetFor(131_072)).toMatchObject({ reserve: 4096, trigger: 116_817, page: 25_395 })
})

describe('a window is learned from what the server reports', () => {
  test('a report far below what was sent halves it', () => {
    expect(learnWindow(8192, { counted: 5000, reported: 2050 })).toBe(4096)
  })

  test('so does one that has stopped growing', () => {
    const previous = { counted: 4000, reported: 4090 }

    expect(learnWindow(8192, { counted: 5200, reported: 4095 }, previous)).toBe(4096)
  })

  test.each([
    ['a credible report', { counted: 5000, reported: 4200 }, undefined],
    [
      'an estimate that is somewhat high',
      { counted: 5000, reported: 3300 },
      { counted: 3000, reported: 2000 },
    ],
    ['a server that always reports 100', { counted: 5000, reported: 100 }, { counted: 2000, reported: 100 }],
    [
      'a smaller prompt after a compaction',
      { counted: 1800, reported: 1700 },
      { counted: 3000, reported: 2900 },
    ],
  ])('%s changes nothing', (_name, report, previous) => {
    expect(learnWindow(8192, report, previous)).toBeUndefined()
  })

  test('a window that is already tiny is not halved again', () => {
    expect(learnWindow(2000, { counted: 5000, reported: 1100 })).toBeUndefined()
  })
})

describe('a fair share', () => {
  test('gives small texts what they need and divides the rest equally', () => {
    expect(fairShare([10, 500, 300], 210)).toBe(100)
    expect(fairShare([10, 20], 100)).toBe(Number.POSITIVE_INFINITY)
    expect(fairShare([10, 20], -5)).toBe(0)
  })

  test('never lets the texts exceed what is available, nor leaves room unused', () => {
    const sizes = fc.array(fc.nat(1000), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(sizes, fc.nat(5000), (list, available) => {
        const share = fairShare(list, available)
        const taken = sum(list.map((size) => Math.min(size, share)))
        return taken <= available && (share === Infinity || taken > available - list.length)
      }),
    )
  })
})
