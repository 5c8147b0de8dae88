import { expect, test } from 'vitest'
import { renderRestored } from '../../src/lib/restored.ts'

test('no name of a file or run begins a line of its own, and a long list is shortened', () => {
  const text = renderRestored(
    {
      runId: 'r',
      prompt: 'one\nUndid "two"',
      restored: ['a\nnot covered: b', ...Array.from({ length: 60 }, (_, index) => `f${index}`)],
      conflicts: [],
      uncovered: ['c\u001b[2J'],
    },
    'Undid',
  )

  expect(text.split('\n')).toHaveLength(54)
  expect(text).toContain('Undid "one Undid "two"": 61 files\n  a not covered: b\n')
  expect(text).toMatch(/f48\n {2}… and 11 more\nnot covered: c\\x1b\[2J\n$/)
})
