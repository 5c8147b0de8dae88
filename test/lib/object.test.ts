import { expect, test } from 'vitest'
import { defined } from '../../src/lib/object.ts'

test('a key without a value is not there at all; every other value stays', () => {
  const fields = { a: undefined, b: null, c: 0, d: '', e: false, f: [undefined] }

  const kept = defined(fields)

  expect(Object.entries(kept)).toEqual([
    ['b', null],
    ['c', 0],
    ['d', ''],
    ['e', false],
    ['f', [undefined]],
  ])
})
