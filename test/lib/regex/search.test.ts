import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileRegex, compileTest } from '../../../src/lib/regex/search.ts'
import { runs } from '../../support/runs.ts'

const found = (source: string, text: string): readonly string[] =>
  compileRegex(source)(text).map(({ start, end }) => text.slice(start, end))

describe('a pattern of one’s own', () => {
  test.each([
    ['acme-[0-9]{8}', 'x acme-12345678 acme-1', ['acme-12345678']],
    ['\\bacme[-_]\\w{4,}', 'acme_AbCd12 macme_AbCd', ['acme_AbCd12']],
    ['key=.+?;', 'key=a;key=b;', ['key=a;', 'key=b;']],
    ['(?:foo|bar)$', 'foo bar\nfoo', ['bar', 'foo']],
    ['^line', 'line\nno line\nline', ['line', 'line']],
    ['(?<name>ab)+c?', 'ababc ab', ['ababc', 'ab']],
    ['\\x41\\u0042[^C-Z\\]]', 'ABx ABC AB]', ['ABx']],
    ['colou?r{2}', 'colorr colourr color', ['colorr', 'colourr']],
    ['k-\\p{Lu}{2}[\\p{N}]', 'k-ÄB1 k-aB1 k-ABc', ['k-ÄB1']],
    ['grün\\.', 'grün. gruen.', ['grün.']],
    ['BEGIN.+?END', 'BEGIN a END, BEGIN b END', ['BEGIN a END', 'BEGIN b END']],
  ])('%s', (source, text, expected) => {
    expect(found(source, text)).toEqual(expected)
  })

  test('upper and lower case are one where asked', () => {
    expect(compileRegex('acme', true)('ACME')).toEqual([{ start: 0, end: 4 }])
  })

  test.each([
    ['(?=a)b', /look-ahead and look-behind take more than linear time/],
    ['(?<!a)b', /look-ahead and look-behind/],
    ['(a)\\1', /back-references take more/],
    ['a*', /matches the empty string/],
    ['(a', /a group is never closed/],
    ['a)', /closing bracket too many/],
    ['*a', /nothing to repeat before \*/],
    ['[z-a]', /is not a set of characters/],
    ['a{3,1}', /the wrong way round/],
    ['((a{100}){100}){100}', /too large/],
    ['\\cA', /is not understood/],
  ])('%s is refused in words', (source, message) => {
    expect(() => compileRegex(source)).toThrow(message)
  })

  test('whatever JavaScript matches is found', () => {
    const atom = fc.constantFrom('a', 'b', '[ab]', '.', '\\d', '\\w', '(?:ab|b)', '(a|bc)', '\\b')
    const quantifier = fc.constantFrom('', '', '+', '?', '{2}', '{1,3}', '*')
    const source = fc
      .array(fc.tuple(atom, quantifier), { minLength: 1, maxLength: 5 })
      .map((parts) => parts.map(([left, right]) => (left === '\\b' ? left : left + right)).join(''))
      .filter((pattern) => !new RegExp(`^(?:${pattern})$`).test('') && !/^(?:\\b)+$/.test(pattern))
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '1', ' ', '\n'), { maxLength: 30 })
      .map((parts) => parts.join(''))

    fc.assert(
      fc.property(source, text, (pattern, subject) => {
        const compiled = tryCompile(pattern)
        const spans = compiled?.(subject) ?? []
        const isFound = (at: number) => spans.some(({ start, end }) => start <= at && at < end)
        // Letter by letter: a lazy match may be cut in two where another one begins.
        const missed = [...subject.matchAll(new RegExp(pattern, 'g'))].filter(({ 0: match, index }) =>
          [...match].some((_, offset) => !isFound(index + offset)),
        )

        expect(compiled ? missed : []).toEqual([])
      }),
      { numRuns: runs(100, 500) },
    )
  })

  test.each([
    ['^$', ['', 'a'], [true, false]],
    ['a*', ['', 'b'], [true, true]],
    ['b|$', ['abc', 'a'], [true, true]],
    ['a\\b', ['ab', 'a', 'ba c'], [false, true, true]],
  ])('asked only whether it occurs, %s may match nothing', (source, texts, expected) => {
    expect(texts.map(compileTest(source))).toEqual(expected)
  })

  test('nested repetition over long text ends', () => {
    expect(compileRegex('(x+x+)+y')('x'.repeat(200_000))).toEqual([])
  })
})

/** Patterns that may match nothing are refused; which ones that are is not what is tested here. */
function tryCompile(pattern: string): ReturnType<typeof compileRegex> | undefined {
  try {
    return compileRegex(pattern)
  } catch {
    return undefined
  }
}
