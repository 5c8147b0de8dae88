import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CsvParser, type CsvRow, isHeader, sniffSeparator } from '../../../src/tools/data-view/csv.ts'

function parse(text: string, separator = ',', size = text.length): readonly CsvRow[] {
  const parser = new CsvParser(separator)
  const rows: CsvRow[] = []
  for (let at = 0; at < text.length; at += size) rows.push(...parser.push(text.slice(at, at + size)))
  return [...rows, ...parser.end().rows]
}

describe('rows', () => {
  test.each([
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['"a,1","b ""q""","c\nd"\r\n', [['a,1', 'b "q"', 'c\nd']]],
    ['a,"",\n', [['a', '', '']]],
    ['5" pipe,x\n', [['5" pipe', 'x']]],
    ['"a"b,c\n', [['ab', 'c']]],
    ['a\n\n\nb\n', [['a'], ['b']]],
    [',\n', [['', '']]],
    ['', []],
    ['"open, and\nnever closed', [['open, and\nnever closed']]],
  ])('%j', (text, rows) => {
    expect(parse(text)).toEqual(rows)
  })

  test('are the same however the text is cut, and what was written is what is read', () => {
    const field = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', 'ü', ' '), maxLength: 6 })
    const table = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 })

    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 9 }), (rows, size) => {
        const text = rows
          .map((row) => row.map((each) => `"${each.replaceAll('"', '""')}"`).join(','))
          .join('\r\n')

        expect(parse(text, ',', size)).toEqual(rows)
      }),
    )
  })

  test('a quote that is never closed is reported', () => {
    const parser = new CsvParser(',')
    parser.push('a,"b\n')

    expect(parser.end()).toEqual({ rows: [['a', 'b\n']], unclosed: true })
  })

  test('of a huge field the beginning is kept, of a row with countless fields the first', () => {
    const parser = new CsvParser(',')

    const rows = [
      ...parser.push('"'),
      ...Array.from({ length: 100 }, () => parser.push('x'.repeat(10_000))).flat(),
      ...parser.push('",b\n'),
      ...parser.push(`${'y,'.repeat(20_000)}\n`),
    ]

    expect(rows.map((row) => row.length)).toEqual([2, 5000])
    expect(rows[0]?.[0]?.length).toBe(64 * 1024)
    expect(rows[0]?.[1]).toBe('b')
    expect(parser.clipped).toBe(2)
  })
})

test.each([
  ['a,b,c\n1,2,3\n', ','],
  ['a;b\n1,5;2,5\n3,5;4,5\n', ';'],
  ['a\tb, c\n1\t2, 3, 4\n', '\t'],
  ['a|b\n1|2\n', '|'],
  ['"x;y",b\n"z;w",c\n', ','],
  ['alone\n1\n', ','],
])('the separator of %j is found', (sample, separator) => {
  expect(sniffSeparator(sample)).toBe(separator)
})

test.each([
  [['id', 'name'], true],
  [['1', 'name'], false],
  [['a', 'a'], false],
  [['a', ''], false],
])('%j names columns: %s', (row, expected) => {
  expect(isHeader(row)).toBe(expected)
})
