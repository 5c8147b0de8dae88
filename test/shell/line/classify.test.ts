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
  .split(/^(?=## )/m)
  .flatMap((section) => {
    const writer = /^## writer .*: for (tuning|testing)$/m.exec(section)?.[1]
    const rows = section.split('\n').filter((row) => /^[cq] [fbaukn] /.test(row))
    return rows.map((row) => ({
      line: row.slice(4).replaceAll('⏎', '\n'),
      kind: toKind(KINDS[row[2] ?? ''] ?? ''),
      expected: row.startsWith('c') ? 'command' : 'question',
      isTuned: writer === undefined ? isForTuning(row.slice(4)) : writer === 'tuning',
    }))
  })

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

test('every line it was tuned on is read rightly, but for `help`, which is a builtin of the shell', () => {
  expect(wrong(table.filter(({ isTuned }) => isTuned))).toEqual(['help'])
})

test.each([
  'wkae up the server',
  'act as a reviewer',
  'explain src/app.ts',
  'fix the tests',
  'summarize README.md',
  'hello',
  'ouch',
])('"%s" begins with no program, nor with one that is mistyped', (line) => {
  expect(classify(line, 'none').reading).toBe('question')
})

test.each([
  'dcoker ps -a',
  'exti',
  'kubctl get pods',
  'mkdirr src',
  'unknown-tool --version',
  'gti commit -am "why not"',
])('"%s" is a command, mistyped or missing', (line) => {
  expect(classify(line, 'none')).toMatchObject({ reading: 'command', sure: false })
})

test.each([
  "rm -rf node_modules didn't help, what else can i try",
  'git reset --hard ate my work',
  'dd if=/dev/zero of=/dev/sda is what he told me to run',
  'kill -9 does not work on that process',
])('"%s" is not run on a guess', (line) => {
  const { reading, sure } = classify(line, 'file')

  expect(reading === 'question' || !sure).toBe(true)
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
