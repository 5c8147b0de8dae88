import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chunkText } from '../../src/memory/chunk.ts'
import { runs } from '../support/runs.ts'

const show = async (path: string, text: string) =>
  (await chunkText(path, text)).map(
    ({ kind, name, line, from, to }) => `${kind} ${name} ${line} ${from}-${to}`,
  )

describe('a file is cut where its definitions are', () => {
  test('TypeScript', async () => {
    const text = [
      "import { a } from './a.ts'",
      '',
      '/** Adds. */',
      'export function add(x: number) {',
      '  return x + a',
      '}',
      '',
      'export class Counter {',
      '  #count = 0',
      '  next() {',
      '    return this.#count++',
      '  }',
      '}',
      'export const twice = (x: number) => x * 2',
    ].join('\n')

    expect(await show('src/add.ts', text)).toEqual([
      'text  1 1-2',
      'function add 4 3-6',
      'class Counter 8 8-9',
      'method next 10 10-12',
      'function twice 14 14-14',
    ])
  })

  test('Python', async () => {
    const text =
      'import os\n\n# Keeps.\nclass Store:\n    size = 1\n\n    def put(self, x):\n        self.x = x\n\ndef main():\n    pass\n'

    expect(await show('store.py', text)).toEqual([
      'text  1 1-2',
      'class Store 4 3-6',
      'method put 7 7-8',
      'function main 10 10-11',
    ])
  })

  test('Go names its types', async () => {
    expect(await show('a.go', 'package a\n\ntype Size struct {\n\tw int\n}\n')).toEqual([
      'text  1 1-2',
      'type Size 3 3-5',
    ])
  })
})

test('other text, and a very long definition, is cut into windows', async () => {
  const prose = Array.from({ length: 130 }, (_, index) => `line ${index}`).join('\n')
  const long = `function long() {\n${'  work()\n'.repeat(100)}}\n`

  expect(await show('notes.md', prose)).toEqual(['text  1 1-60', 'text  61 61-120', 'text  121 121-130'])
  expect(await show('long.ts', long)).toEqual(['function long 1 1-60', 'function long 61 61-102'])
})

test('a piece that only moved is the same piece', async () => {
  const before = await chunkText('a.ts', 'function f() {\n  return 1\n}\n')
  const after = await chunkText('a.ts', 'const x = 1\n\nfunction f() {\n  return 1\n}\n')

  expect(after.map(({ hash }) => hash)).toContain(before[0]?.hash)
})

test('no line with words is lost or shown twice, whatever the text', async () => {
  const line = fc.constantFrom(
    'function f() {',
    '}',
    'class A {',
    '  m() {',
    '  }',
    'x = 1',
    '// note',
    '',
    'def f():',
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 150 }),
      fc.constantFrom('a.ts', 'a.py', 'a.txt'),
      async (lines, path) => {
        const chunks = await chunkText(path, lines.join('\n'))
        const shown = chunks.flatMap(({ from, to }) =>
          Array.from({ length: to - from + 1 }, (_, at) => from + at),
        )
        const wordy = lines.flatMap((text, index) => (/\w/.test(text) ? [index + 1] : []))

        expect(new Set(shown).size).toBe(shown.length)
        expect(wordy.filter((number) => !shown.includes(number))).toEqual([])
      },
    ),
    { numRuns: runs(15, 50) },
  )
})
