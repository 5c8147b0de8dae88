/** What the page computes without a browser: which rows are drawn, what is completed, how a diff is laid out. */
import { describe, expect, test } from 'vitest'
import { toLines, toRows } from '../../web/src/chat/diff-lines.ts'
import { rangeOf } from '../../web/src/chat/range.ts'
import { wordAt } from '../../web/src/chat/word-at.ts'
import { votesAfter } from '../../web/src/flock/use-activity.ts'
import { clean } from '../../web/src/ui/text.ts'

describe('a long list', () => {
  test('draws the rows in the pane and a margin around it', () => {
    const heights = Array.from({ length: 1000 }, () => 100)

    const range = rangeOf(heights, 1000, { top: 50_000, height: 800 })

    expect(range).toEqual({ start: 491, end: 518, top: 49_100, bottom: 48_200 })
  })

  test('begins at its end, and what is drawn and left out is always the whole', () => {
    const heights: number[] = [10, 500, 30]

    for (const count of [0, 1, 3, 40, 5000]) {
      const { start, end, top, bottom } = rangeOf(heights, count, { top: Infinity, height: 600 })
      const drawn = Array.from({ length: end - start }, (_, index) => heights[start + index] ?? 90)
      const whole = Array.from({ length: count }, (_, index) => heights[index] ?? 90)
      const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

      expect(end).toBe(count)
      expect(top + sum(drawn) + bottom).toBe(sum(whole))
      expect(drawn.length).toBeLessThan(40)
    }
  })
})

test.each([
  ['/co', 3, { kind: 'command', from: 0, to: 3, query: 'co' }],
  ['look at @src/c', 14, { kind: 'file', from: 8, to: 14, query: 'src/c' }],
  ['@', 1, { kind: 'file', from: 0, to: 1, query: '' }],
  ['mail me@example.org', 19, undefined],
  ['say /co', 7, undefined],
  ['@done and more', 14, undefined],
])('at the cursor in %j stands %j', (text, cursor, word) => {
  expect(wordAt(text, cursor)).toEqual(word)
})

test('a diff shows what was replaced beside what replaced it', () => {
  const lines = toLines('@@ -3,3 +3,4 @@\n same\n-old\n+new\n+more\n\\ No newline at end of file')

  expect(toRows(lines)).toEqual([
    { left: lines[0], right: lines[0] },
    {
      left: { kind: 'same', text: 'same', before: 3, after: 3 },
      right: { kind: 'same', text: 'same', before: 3, after: 3 },
    },
    { left: { kind: 'remove', text: 'old', before: 4 }, right: { kind: 'add', text: 'new', after: 4 } },
    { right: { kind: 'add', text: 'more', after: 5 } },
    { left: lines[5], right: lines[5] },
  ])
})

test('two votes at once stay apart, and one whose request was given up is not at work for ever', () => {
  const start = { type: 'vote', stage: 'start', why: 'always', workers: ['a', 'b'] } as const
  const candidate = { type: 'vote', stage: 'candidate', worker: 'a', shows: '42' } as const
  const request = { kind: 'request', id: 'r', client: 'editor' } as const
  const session = { kind: 'session', id: 's' } as const
  const told = [
    { id: 1, at: 1, source: request, event: start },
    { id: 2, at: 2, source: session, event: start },
    { id: 3, at: 3, source: request, event: candidate },
    { id: 4, at: 4, source: request, event: { type: 'request-end' } as const },
  ]

  const votes = told.reduce(votesAfter, [])

  expect(votes.map(({ key, source, isBroken, vote }) => [key, source.id, isBroken, vote.workers])).toEqual([
    [1, 'r', true, [{ worker: 'a', shows: '42' }, { worker: 'b' }]],
    [2, 's', false, [{ worker: 'a' }, { worker: 'b' }]],
  ])
})

test('characters that reorder or hide text are shown', () => {
  expect(clean('a\u202Eb\u200Bc\u0007\n\td')).toBe('a⟨202E⟩b⟨200B⟩c⟨7⟩\n\td')
})
