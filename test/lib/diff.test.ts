import { expect, test } from 'vitest'
import { changedLines, toDiffText } from '../../src/lib/diff.ts'

test('only the lines between the first and the last difference are shown', () => {
  const change = changedLines('a\nb\nc\nd\n', 'a\nB\nC\nd\n')

  expect(change).toEqual({ from: 2, removed: ['b', 'c'], added: ['B', 'C'] })
  expect(change && toDiffText(change, 10)).toBe('-b\n-c\n+B\n+C')
})

test('an added line has nothing removed, also between equal lines', () => {
  expect(changedLines('a\na\n', 'a\na\na\n')).toEqual({ from: 3, removed: [], added: ['a'] })
})

test('no difference, or one of line ends only, is no change', () => {
  expect(changedLines('a\n', 'a\n')).toBeUndefined()
  expect(changedLines('a\r\nb', 'a\nb\n')).toBeUndefined()
})

test('a long change is cut on each side', () => {
  const change = { from: 1, removed: ['1', '2', '3'], added: ['x'.repeat(500)] }

  const text = toDiffText(change, 2)

  expect(text.split('\n').map((line) => line.slice(0, 8))).toEqual(['-1', '-2', '-… 1 mor', '+xxxxxxx'])
  expect(text.length).toBeLessThan(200)
})
