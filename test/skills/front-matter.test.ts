import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readFrontMatter } from '../../src/skills/front-matter.ts'
import { runs } from '../support/runs.ts'

const head = (...lines: readonly string[]) =>
  readFrontMatter(['---', ...lines, '---', '', 'Do it.', ''].join('\n'))

describe('the head of a skill', () => {
  test('holds texts, lists, booleans and one level of keys', () => {
    const { fields, body } = head(
      'name: review   # the name',
      'description: "Says: \\"look\\", twice"',
      "quoted: 'it''s'",
      'plain: a value: with colons # and a comment',
      'url: http://host/#part',
      'folded: >-',
      '  one',
      '  two',
      'block: |',
      '  first',
      '    second',
      '',
      'allowed-tools: [read_file, "search_text", \'a, b\']',
      'paths:',
      '  - src',
      '  # nothing',
      '  - "docs/**"',
      'flat:',
      '- x',
      'user-invocable: true',
      'metadata:',
      '  author: someone',
      '  version: "1.0"',
      'license:',
    )

    expect(fields).toEqual({
      name: 'review',
      description: 'Says: "look", twice',
      quoted: "it's",
      plain: 'a value: with colons',
      url: 'http://host/#part',
      folded: 'one two',
      block: 'first\n  second',
      'allowed-tools': ['read_file', 'search_text', 'a, b'],
      paths: ['src', 'docs/**'],
      flat: ['x'],
      'user-invocable': true,
      metadata: { author: 'someone', version: '1.0' },
      license: '',
    })
    expect(body).toBe('Do it.')
  })

  test('may have the line ends of Windows and a byte order mark', () => {
    expect(readFrontMatter('\uFEFF---\r\nname: a\r\n---\r\nbody\r\n')).toEqual({
      fields: { name: 'a' },
      body: 'body',
    })
  })

  test.each([
    ['no head at all', 'name: a\n', 'line 1: it must begin with a head'],
    ['a head that never ends', '---\nname: a\n', 'line 1: it must begin'],
    ['a line that says nothing', '---\nname a\n---\n', 'line 2: expected `key: value`'],
    ['a key twice', '---\nname: a\nname: b\n---\n', 'line 3: `name` is set twice; remove one'],
    ['a list over several lines', '---\ntools: [a,\n  b]\n---\n', 'line 2: a list in `[`'],
    ['an open quote', '---\nname: "a\n---\n', 'line 2: cannot read `"a`'],
    ['an anchor', '---\nname: *a\n---\n', 'line 2: cannot read'],
    ['keys two levels deep', '---\na:\n  b:\n    c: d\n---\n', 'line 3: expected `key: value` below'],
  ])('is refused with %s', (_, text, problem) => {
    expect(() => readFrontMatter(text)).toThrow(problem)
  })

  test('gives back every quoted text', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !/[\n\r\u2028\u2029]/.test(text)),
        (text) => {
          const quoted = `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

          expect(head(`key: ${quoted}`).fields['key']).toBe(text)
        },
      ),
    )
  })

  test('is read or refused in linear time, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', ':', ' ', '-', '[', '"', '#', "'", ',', '|') })),
        (lines) => {
          try {
            expect(head(...lines).fields).toBeTypeOf('object')
          } catch (error) {
            expect(String(error)).toMatch(/line \d+/)
          }
        },
      ),
      { numRuns: runs(100, 500) },
    )
  })
})
