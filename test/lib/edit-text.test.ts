import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editText } from '../../src/lib/edit-text.ts'
import { runs } from '../support/runs.ts'

const edit = (text: string, old: string, replacement: string): string | undefined => {
  const edited = editText(text, { old, new: replacement })
  return edited.ok ? edited.text : undefined
}

describe('new lines take the indentation of the file', () => {
  const python = 'class A:\n    def f(self):\n        return 1\n'

  test.each([
    ['written without it', 'def f(self):\n    return  1', 'def f(self):\n    return 2'],
    ['written with another one', '  def f(self):\n      return  1', '  def f(self):\n      return 2'],
    [
      'quoted without it on the first line',
      'def f(self):\n        return  1',
      'def f(self):\n        return 2',
    ],
    [
      'quoted with doubled blanks',
      '     def  f(self):\n                return  1',
      'def f(self):\n    return 2',
    ],
    ['new text already right', 'def  f(self):\n  return 1', '    def f(self):\n        return 2'],
  ])('%s', (_, old, replacement) => {
    expect(edit(python, old, replacement)).toBe('class A:\n    def f(self):\n        return 2\n')
  })

  test('tabs for spaces', () => {
    const text = 'class A {\n\tfoo() {\n\t\treturn 1\n\t}\n}\n'

    const edited = edit(text, '  foo() {\n    return 1\n  }', '  foo() {\n    return 2\n  }')

    expect(edited).toBe('class A {\n\tfoo() {\n\t\treturn 2\n\t}\n}\n')
  })

  test('one line that becomes several', () => {
    expect(edit('x:\n    foo = 1\n', ' foo  =  1', 'if y:\n    foo = 2')).toBe(
      'x:\n    if y:\n        foo = 2\n',
    )
  })
})

describe('the edges of a quote', () => {
  test('blanks around an inexact quote are not written', () => {
    expect(edit('let s = a - b;\n', ' a  -  b ', ' a + b ')).toBe('let s = a + b;\n')
  })

  test('a quote that ends its line does not glue the next one to it', () => {
    expect(edit('one\ntwo\nthree\n', 'two\n', 'TWO')).toBe('one\nTWO\nthree\n')
  })

  test('a whole line replaced by nothing is gone', () => {
    expect(edit('one\n    two( 2 )\nthree\n', 'two(  2  )', '')).toBe('one\nthree\n')
  })

  test('a line that is added stays added', () => {
    expect(edit('one( 1 )\nthree\n', 'one(  1  )', 'one( 1 )\ntwo\n')).toBe('one( 1 )\ntwo\n\nthree\n')
  })
})

describe('line ends', () => {
  test('a file with CRLF keeps it', () => {
    expect(edit('a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz')).toBe('x\r\ny\r\nz\r\nc\r\n')
  })

  test('also when the quote was inexact', () => {
    expect(edit('f(  1 )\r\nb\r\n', 'f( 1 )\n', 'g( 1 )\nh()\n')).toBe('g(  1 )\r\nh()\r\nb\r\n')
  })

  test('a file without a final line end gets none', () => {
    expect(edit('a\nb', 'b', 'c')).toBe('a\nc')
  })
})

const line = fc.constantFrom(
  '',
  '  ',
  'a = 1',
  '  b(2)',
  '\tc',
  'return total',
  'x  =  y + 1',
  'grüße("🦆")',
  '}',
)
const file = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 12 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([lines, end, isClosed]) => lines.join(end) + (isClosed ? end : ''))

test('a short line with nothing in common is another line', () => {
  const text = 'grüße("🦆")\n}\n'

  expect(editText(text, { old: 'grüße("🦆")\n\tc\n', new: 'c' }).ok).toBe(false)
  expect(editText(text, { old: 'grüße("🦆")\n};\n', new: 'x\n};\n' })).toMatchObject({
    ok: true,
    text: 'x\n}\n',
  })
})

test('an edit that succeeds changes the matched place and nothing else', () => {
  fc.assert(
    fc.property(
      file,
      fc.array(line, { minLength: 1, maxLength: 3 }),
      fc.string(),
      (text, quote, replacement) => {
        const edited = editText(text, { old: quote.join('\n'), new: replacement })
        if (!edited.ok) return

        const [piece = { start: 0, end: 0, replacement: '' }] = edited.pieces
        const { start, end } = piece
        expect(edited.text).toBe(text.slice(0, start) + piece.replacement + text.slice(end))
        const withoutSpace = (part: string): string => part.replaceAll(/\s/g, '')
        expect(withoutSpace(text.slice(start, end))).toBe(withoutSpace(quote.join('')))
      },
    ),
    { numRuns: runs(300, 2000) },
  )
})

test('a piece that occurs in the file once is replaced exactly, whatever it is', () => {
  fc.assert(
    fc.property(file, fc.nat(), fc.nat(), (text, from, length) => {
      const start = from % text.length
      const old = text.slice(start, start + 1 + (length % 20))
      const isUnique = text.indexOf(old) === text.lastIndexOf(old)
      if (!isUnique || old.trim() === '' || /\r$|^\n/.test(old)) return

      const end = old.endsWith('\n') ? old.replace(/\r?\n$/, '').length : old.length
      expect(edit(text, old, 'NEW')).toBe(`${text.slice(0, start)}NEW${text.slice(start + end)}`)
    }),
    { numRuns: runs(300, 2000) },
  )
})

describe('a context that is not there, around lines that are', () => {
  const text =
    'function load(path) {\n  // reads the settings\n  const limit = 10\n  check(limit)\n  return read(path, limit)\n}\n'
  const wanted = text.replace('limit = 10', 'limit = 20')

  test.each([
    ['a line is left out', 'function load(path) {\n  const limit = 10\n  check(limit)'],
    [
      'a comment has other words',
      '  // loads all settings of the user first\n  const limit = 10\n  check(limit)',
    ],
    ['a name is another', '  const limit = 10\n  check(limit)\n  return read(fileName, limit)'],
  ])('%s', (_, old) => {
    expect(edit(text, old, old.replace('limit = 10', 'limit = 20'))).toBe(wanted)
  })

  test.each([
    [
      'the line to change is another',
      'function load(path) {\n  const limits = 11',
      'function load(path) {\n  const limits = 12',
    ],
    [
      'nothing around it is there',
      'some other words\n  const limit = 10',
      'some other words\n  const limit = 20',
    ],
    [
      'it leaves lines out of what it writes',
      'function load(x) {\n  // ...\n  const limit = 10',
      'function load(x) {\n  // ...\n  const limit = 20\n  more',
    ],
    [
      'a line would be added',
      'function load(file) {\n  const limit = 10',
      'function load(file) {\n  const limit = 10\n  const more = 1',
    ],
  ])('is refused where %s', (_, old, replacement) => {
    expect(edit(text, old, replacement)).toBeUndefined()
  })

  test('is refused where the line stands twice', () => {
    const old = 'function load(file) {\n  const limit = 10'

    expect(edit(text + text, old, old.replace('10', '20'))).toBeUndefined()
  })
})
