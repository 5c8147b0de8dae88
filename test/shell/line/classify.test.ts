/** The table of lines beside this file, and what the marks and the grammar of the shells decide. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { classify, toKind, type WordKind } from '../../../src/shell/line/classify.ts'

type Labelled = {
  readonly line: string
  readonly kind: WordKind
  readonly expected: string
  readonly isTuned: boolean
}

const KINDS: Readonly<Record<string, string>> = {
  f: 'file',
  b: 'builtin',
  a: 'alias',
  u: 'function',
  k: 'keyword',
  n: '',
}

/** The rule is in the file, and was fixed before the first line was judged. */
const isForTuning = (text: string): boolean =>
  Number.parseInt(createHash('sha256').update(text).digest('hex')[0] ?? '', 16) % 2 === 0

const table: readonly Labelled[] = readFileSync(new URL('lines.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((row) => /^[cq] [fbaukn] /.test(row))
  .map((row) => ({
    line: row.slice(4).replaceAll('⏎', '\n'),
    kind: toKind(KINDS[row[2] ?? ''] ?? ''),
    expected: row.startsWith('c') ? 'command' : 'question',
    isTuned: isForTuning(row.slice(4)),
  }))

const wrong = (rows: readonly Labelled[]): readonly string[] =>
  rows.filter(({ line, kind, expected }) => classify(line, kind).reading !== expected).map(({ line }) => line)

test('the table is large and has two halves', () => {
  const tested = table.filter(({ isTuned }) => !isTuned)

  expect(table.length).toBeGreaterThanOrEqual(300)
  expect(tested.length / table.length).toBeGreaterThan(0.4)
})

test('at least 98 % of the lines it was not tuned on are read rightly', () => {
  const tested = table.filter(({ isTuned }) => !isTuned)

  const misread = wrong(tested)

  expect(misread.length / tested.length, misread.join('\n')).toBeLessThanOrEqual(0.02)
})

test('every line it was tuned on is read rightly', () => {
  expect(wrong(table.filter(({ isTuned }) => isTuned))).toEqual([])
})

test('no question of the table is run as a command that destroys', () => {
  const run = table.filter(({ line, kind, expected }) => {
    const { reading, destroys, sure } = classify(line, kind)
    return expected === 'question' && reading === 'command' && destroys && sure
  })

  expect(run).toEqual([])
})

test('a mark decides, whatever the words are', () => {
  expect(classify('? rm -rf build', 'file')).toEqual({
    reading: 'question',
    sure: true,
    text: 'rm -rf build',
    destroys: false,
  })
  expect(classify('!why is this', 'none')).toEqual({
    reading: 'command',
    sure: true,
    text: 'why is this',
    destroys: false,
  })
})

test.each([
  'rm old files',
  'rm notes drafts',
  'mv everything somewhere else',
  'killall old things',
  'git reset old changes',
  'git checkout old version',
  'docker rm stopped containers',
  'shred old tax papers',
  'kill firefox',
  'truncate long lines',
])('"%s" may be a sentence, so it is not run on a guess', (line) => {
  const { reading, sure } = classify(line, 'file')

  expect(reading === 'question' || !sure).toBe(true)
})

test.each([
  'rm -rf build',
  'rm notes.txt',
  'git push --force',
  'kill -9 42',
  'dd if=a of=b',
  'mv a.txt b.txt',
])('"%s" is what it looks like and runs', (line) => {
  expect(classify(line, 'file')).toEqual({ reading: 'command', sure: true, text: line, destroys: true })
})

test.each([
  ['', 'command'],
  ['   ', 'command'],
  ['# what is this?', 'command'],
  ['\u001B[31mwhy', 'question'],
  ['a'.repeat(100_000), 'question'],
  [`echo ${'x '.repeat(50_000)}`, 'command'],
  ["'unclosed", 'question'],
  ['🙂', 'question'],
])('%j is read without fail', (line, expected) => {
  expect(classify(line, line.startsWith('echo') ? 'builtin' : 'none').reading).toBe(expected)
})
