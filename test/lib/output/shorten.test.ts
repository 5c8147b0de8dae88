import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../../src/context/count.ts'
import { shortenOutput } from '../../../src/lib/output/shorten.ts'
import { type Recording, recordedNames, recordings, viewPath } from './recordings.ts'

const LIMIT = 400

const show = ({ text, exit }: Pick<Recording, 'text' | 'exit'>, tokens = LIMIT): string =>
  shortenOutput(text, { tokens, countTokens: estimateTokens, failed: exit !== 0 })

const all = recordings()

test('at least 60 outputs of at least 12 tools are recorded, each with its facts', () => {
  const tools = new Set(all.map(({ name }) => name.replace(/\d*(?:-.*)?$/, '')))

  expect(all.map(({ name }) => name).toSorted()).toEqual(recordedNames())
  expect(all.length).toBeGreaterThanOrEqual(60)
  expect(tools.size).toBeGreaterThanOrEqual(12)
})

describe.each(all)('$name', (recording) => {
  test('shows name, place and message of what failed within 400 tokens', async () => {
    const shown = show(recording)

    expect(estimateTokens(shown)).toBeLessThanOrEqual(LIMIT)
    expect(recording.visible.filter((fact) => !shown.includes(fact))).toEqual([])
    if (recording.exit !== 0) expect(shown.split('\n').at(-1)).toBe(`[exit ${recording.exit}]`)
    await expect(`${shown}\n`).toMatchFileSnapshot(viewPath(recording.name))
  })
})

describe('output of no test and no build', () => {
  const plain = ['report.json', 'service-log', 'reporter-source', 'search-hits']

  test.each(plain)(
    '%s is left as it is where it fits, and only cut in its middle where it does not',
    (name) => {
      const text = readFileSync(new URL(`plain/${name}.txt`, import.meta.url), 'utf8').trimEnd()

      expect(show({ text, exit: 0 }, 100_000)).toBe(text)

      const cut = show({ text, exit: 0 }, 500)
      const [head = '', tail = ''] = cut.split(/\n\[… \d+ lines left out …\]\n/)
      expect(text.startsWith(head)).toBe(true)
      expect(text.endsWith(tail)).toBe(true)
      expect(tail).not.toBe('')
    },
  )

  test('of a failed command shows the lines that look like errors beside head and tail', () => {
    const lines = Array.from({ length: 2000 }, (_, index) => `row ${index} of the import is done`)
    lines[900] = 'fatal error: the disk is full'

    const shown = show({ text: [...lines, '[exit 3]'].join('\n'), exit: 3 })

    expect(estimateTokens(shown)).toBeLessThanOrEqual(LIMIT)
    expect(shown).toMatch(
      /^row 0 [^]*left out …\]\nAmong them:\nfatal error: the disk is full\n\[…\]\n[^]*\[exit 3\]$/,
    )
  })
})

test('short output is never changed, whatever it says', () => {
  for (const { text, exit } of all) {
    const short = text.split('\n').slice(-8).join('\n')
    if (estimateTokens(short) <= LIMIT) expect(show({ text: short, exit })).toBe(short)
  }
})

test('CRLF, colours and a progress bar change nothing of what is shown', () => {
  const { text, exit } = all.find(({ name }) => name === 'jest30-verbose') ?? all[0]!
  const lines = text.split('\n')
  const noisy = lines
    .map((line) => (line.trim() === '' ? '\r' : `10 %\r50 %\r\u001B[31m${line}\u001B[0m\r`))
    .join('\n')

  expect(show({ text: noisy, exit })).toBe(show({ text, exit }))
})

test('counts that were not printed are not claimed', () => {
  const { text, exit } = all.find(({ name }) => name === 'node22-tap') ?? all[0]!
  const cut = text
    .split('\n')
    .filter((line) => !/^# (?:tests|pass|fail)/.test(line))
    .join('\n')

  expect(show({ text: cut, exit }).split('\n')[0]).toBe('4 failures found in the output')
})

test('programs that wrote at once are distinguished by the prefix of their lines', () => {
  const byName = (wanted: string) =>
    all
      .find(({ name }) => name === wanted)!
      .text.split('\n')
      .slice(0, -1)
  const [one, other] = [byName('tsc5').slice(0, 3), byName('mocha11')]
  const mixed = other.flatMap((line, index) => [
    `[test] ${line}`,
    ...(one[index] ? [`[types] ${one[index]}`] : []),
  ])

  const shown = show({ text: mixed.join('\n'), exit: 1 })

  for (const fact of [
    '5 of 47 failed',
    'a cart > counts pieces',
    'cart.spec.cjs:8',
    'cart.ts(11,5): error TS2322',
  ]) {
    expect(shown).toContain(fact)
  }
})

test('a run piped through tail says that its failures are not there', () => {
  const { text } = all.find(({ name }) => name === 'node22-tap') ?? all[0]!
  const end = text.split('\n').slice(-90, -1).join('\n')

  expect(show({ text: end, exit: 0 }).split('\n')[0]).toBe(
    '4 of 46 failed; what failed is not in this output',
  )
})

test('thousands of chained exceptions and of errors in one output are shown in bounded depth', () => {
  const chained = Array.from(
    { length: 20_000 },
    (_, index) =>
      `Traceback (most recent call last):\n  File "a.py", line ${index}, in f\n    g()\nValueError: ${index}\n\nDuring handling of the above exception, another exception occurred:\n`,
  ).join('\n')
  const errors = Array.from({ length: 60_000 }, (_, index) => `a.c:${index}:1: error: no`).join('\n')

  expect(show({ text: chained, exit: 1 })).toContain('File "a.py", line')
  expect(show({ text: errors, exit: 1 }).split('\n')[0]).toBe('60000 errors found in the output')
})

test('what was shown once is not shown differently a second time', () => {
  for (const { text, exit } of all) {
    const once = show({ text, exit }, 600)
    expect(show({ text: once, exit }, 600)).toBe(once)
  }
})

test('what Covey itself says before and after the output stays', () => {
  const { text } = all.find(({ name }) => name === 'mocha11') ?? all[0]!
  const notes = ['[sandbox: there is no network here; set `network = true` in [sandbox]]', '[exit 5]']
  const output = text.split('\n').slice(0, -1)

  const shown = show({ text: ['[bash is run_command here]', ...output, ...notes].join('\n'), exit: 5 })

  expect(shown.split('\n').slice(0, 2)).toEqual(['[bash is run_command here]', '5 of 47 failed'])
  expect(shown.split('\n').slice(-2)).toEqual(notes)
})
