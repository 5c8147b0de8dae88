import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanOutput, clip, lineAt, lineEndOf, looksBinary, toLines } from '../../src/lib/text.ts'

test('lines are what a person counts', () => {
  expect(toLines('')).toEqual([])
  expect(toLines('a')).toEqual(['a'])
  expect(toLines('a\n')).toEqual(['a'])
  expect(toLines('\uFEFFa\r\n\r\nb')).toEqual(['a', '', 'b'])
  expect(toLines('\n\n')).toEqual(['', ''])
})

test('the line end of most lines is the line end of the text', () => {
  expect(lineEndOf('')).toBe('\n')
  expect(lineEndOf('a\r\nb\r\nc\n')).toBe('\r\n')
  expect(lineEndOf('a\nb\nc\r\n')).toBe('\n')
})

test('an offset lies on the line that counting line ends says', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', '\n')), fc.nat(50), (letters, offset) => {
      const text = letters.join('')

      expect(lineAt(text, offset)).toBe(text.slice(0, offset).split('\n').length)
    }),
  )
})

test('a clipped text never ends in half a character', () => {
  expect(clip('short', 10)).toBe('short')
  expect(clip('a long text', 6)).toBe('a lon…')
  expect(clip('ab🦆🦆', 4)).toBe('ab…')
})

describe('output of a terminal program', () => {
  test.each([
    ['\u001B[31mred\u001B[0m text', 'red text'],
    ['\u001B]0;title\u0007shown', 'shown'],
    ['10 %\r50 %\r100 %\ndone', '100 %\ndone'],
    ['windows\r\nlines\r\n', 'windows\nlines\n'],
    ['tab\tstays, bell\u0007 goes', 'tab\tstays, bell goes'],
    ['grüße 🦆', 'grüße 🦆'],
  ])('%j is read as %j', (output, expected) => {
    expect(cleanOutput(output)).toBe(expected)
  })

  test('nothing is left that a terminal would obey', () => {
    const messy = fc.array(fc.constantFrom('\u001B', '[', ']', '3', 'm', '\u0007', '\r', 'x', '\u009B', '\\'))
    fc.assert(
      fc.property(messy, (parts) => {
        expect(cleanOutput(parts.join(''))).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/)
      }),
    )
  })

  test('half a megabyte in one line takes no longer than its length', () => {
    expect(cleanOutput('x'.repeat(512 * 1024))).toHaveLength(512 * 1024)
    expect(cleanOutput('\u001B]'.repeat(200_000))).toBe('')
  })
})

test('a NUL or a known file type is binary, text of any script is not', () => {
  expect(looksBinary(Buffer.from([1, 0, 2]))).toBe(true)
  expect(looksBinary(Buffer.from('%PDF-1.7'))).toBe(true)
  expect(looksBinary(Buffer.from('日本語 text'))).toBe(false)
  expect(looksBinary(Buffer.alloc(0))).toBe(false)
})
