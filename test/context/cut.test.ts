import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { estimateTokens } from '../../src/context/count.ts'
import { cutEnd, cutMiddle, handleIn } from '../../src/context/cut.ts'
import { runs } from '../support/runs.ts'

const log = Array.from({ length: 200 }, (_, at) => `line ${at} of the log`).join('\n')

test('text that fits is not touched', () => {
  expect(cutMiddle(log, 100_000, estimateTokens)).toBe(log)
  expect(cutEnd(log, 100_000, estimateTokens, () => 'never')).toBe(log)
})

test('the middle is left out and said so, whole lines stay', () => {
  const cut = cutMiddle(log, 100, estimateTokens)

  expect(cut).toMatch(
    /^line 0 of the log\n[\s\S]*\n\[… 1\d\d lines left out …\]\n[\s\S]*\nline 199 of the log$/,
  )
})

test('the end is left out and said so', () => {
  const cut = cutEnd(log, 100, estimateTokens, (omitted) => `[${omitted} tokens left out]`)

  expect(cut).toMatch(/^line 0 of the log\n[\s\S]*log\n\[\d+ tokens left out\]$/)
})

test('what is cut fits, whatever the text', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'word ', '\n', '漢', '🙂', '{"x":1}', '    '),
    maxLength: 400,
  })
  fc.assert(
    fc.property(text, fc.integer({ min: 30, max: 300 }), (given, limit) => {
      const middle = cutMiddle(given, limit, estimateTokens)
      const end = cutEnd(given, limit, estimateTokens, (omitted) => `[${omitted} left out]`)
      return estimateTokens(middle) <= limit && estimateTokens(end) <= limit
    }),
    { numRuns: runs(300, 2000) },
  )
})

test('no character is torn, and no room is no reason to show everything', () => {
  const smileys = '🙂'.repeat(200)

  for (const limit of [-5, 0, 7, 20, 21, 22, 23, 50, 51]) {
    const cuts = [cutMiddle(smileys, limit, estimateTokens), cutEnd(smileys, limit, estimateTokens, () => '')]
    for (const cut of cuts) expect(cut).not.toMatch(/\p{Surrogate}/u)
    for (const cut of cuts) expect(cut.length).toBeLessThan(smileys.length)
  }
})

test('the handle of a stored result is found', () => {
  expect(handleIn('text\n[stored as r12]')).toBe('r12')
  expect(handleIn('text\n[stored as r3: 400 lines; read_result shows the rest]')).toBe('r3')
  expect(handleIn('1\tquoted [stored as r1]\n[stored as r2]\n[note] go on')).toBe('r2')
  expect(handleIn('text')).toBeUndefined()
})
