import { describe, expect, test } from 'vitest'
import { findMatch } from '../../src/lib/match.ts'

const span = (text: string, quote: string): string | undefined => {
  const match = findMatch(text, quote)
  return match.kind === 'found' ? `${match.how}: ${text.slice(match.start, match.end)}` : undefined
}

describe('a quote is found', () => {
  test.each([
    ['exactly', 'a\nb = 1\nc', 'b = 1', 'exact: b = 1'],
    ['with doubled and leading blanks', 'let sum = a - b\n', ' a  -  b', 'folded: a - b'],
    [
      'with other indentation',
      '  if (x) {\n    y()\n  }\n',
      'if (x) {\n  y()\n}',
      'folded: if (x) {\n    y()\n  }',
    ],
    ['across other line ends', 'one\r\ntwo\r\n', 'one\ntwo', 'folded: one\r\ntwo'],
    [
      'with blanks where the file has none',
      'call(first,second)',
      'call( first, second )',
      'folded: call(first,second)',
    ],
    [
      'with a slip in a long line',
      'const a = 1\nconst message = "the quick brown fox jumps"\n',
      "const message = 'the quick brown fox jumps'",
      'similar: const message = "the quick brown fox jumps"',
    ],
  ])('%s', (_, text, quote, expected) => {
    expect(span(text, quote)).toBe(expected)
  })
})

describe('a quote is not guessed', () => {
  test('when it fits in several places: their lines are named', () => {
    expect(findMatch('x = 1\ny = 2\nx = 1\n', 'x = 1')).toEqual({
      kind: 'many',
      how: 'exact',
      spans: [
        { start: 0, end: 5 },
        { start: 12, end: 17 },
      ],
    })
  })

  test('when it fits in several places but for white space', () => {
    expect(findMatch('f( 1 )\ng()\nf(  1 )\n', 'f(   1 )')).toMatchObject({ kind: 'many', how: 'folded' })
  })

  test('when two places are nearly as similar', () => {
    const text = 'const firstCounterValue = 10\nconst firstCounterValue = 11\n'

    expect(findMatch(text, 'const firstCounterValue = 12').kind).toBe('many')
  })

  test('when the best place is not similar enough', () => {
    expect(findMatch('const colour = "blue"\n', 'const flavour = "sweet"')).toEqual({
      kind: 'none',
      nearest: { from: 1, to: 1 },
    })
  })

  test('when a line in the middle is left out of the quote', () => {
    const text = 'function start() {\n  prepare everything here\n  removeAll()\n  finish the whole thing\n}\n'

    expect(
      findMatch(text, 'function start() {\n  prepare everything here\n  finish the whole thingy').kind,
    ).toBe('none')
  })

  test('when it is short and only nearly right', () => {
    expect(findMatch('a = 1\n', 'a = 2').kind).toBe('none')
  })

  test('when it is blank', () => {
    expect(findMatch('  \n\n', ' \n')).toEqual({ kind: 'none' })
  })
})

test('the nearest lines are those that share most words', () => {
  const text = 'import os\n\ndef load(path):\n    return open(path)\n\ndef save(path, data):\n    pass\n'

  expect(findMatch(text, 'def save(file, data, mode):\n    write(data)')).toEqual({
    kind: 'none',
    nearest: { from: 6, to: 7 },
  })
})

test('ten thousand similar lines are searched without trouble', () => {
  const line = 'the same words again and again with number '
  const text = Array.from({ length: 10_000 }, (_, index) => `${line}${index}`).join('\n')

  expect(findMatch(text, `${line}what\n${line}else\n${line}more`).kind).toBe('many')
})
