/**
 * Slips that small models make when they quote code, on real files of six languages. A letter, digit or operator that
 * is wrong in the quote must never end up in the file or take something out of it that was not quoted; white space,
 * quote characters, indentation and line numbers may differ.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { editText } from '../../src/lib/edit-text.ts'
import { runs } from '../support/runs.ts'

const ROUNDS = runs(120, 1_000)

const root = new URL('../../', import.meta.url)
const files = [
  'src/engine/loop.ts',
  'src/session/session.ts',
  'scripts/build.mjs',
  'nano/train.py',
  'nano/tools.py',
  '.ci/run',
  'package.json',
].map((path) => readFileSync(new URL(path, root), 'utf8'))

/** The same sequence every time. */
function createRandom(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

type Quote = {
  readonly file: string
  readonly lines: readonly string[]
  readonly at: number
  readonly change: number
}

/** Three lines of a file that occur once, the middle one long enough to change. */
function pickQuote(random: (below: number) => number): Quote {
  for (;;) {
    const file = files[random(files.length)] ?? ''
    const all = file.split('\n')
    const at = random(Math.max(1, all.length - 3))
    const lines = all.slice(at, at + 3)
    const isUsable = lines.length === 3 && lines.every((line) => line.trim().length > 12)
    if (isUsable && file.split(lines.join('\n')).length === 2) return { file, lines, at, change: 1 }
  }
}

const changed = (line: string): string => line.replace(/(\S+)(\s*)$/, 'CHANGED$2')

function slip(line: string, random: (below: number) => number): string {
  const places = [...line.matchAll(/[A-Za-z0-9<>=+*/-]/g)].map(({ index }) => index)
  const at = places[random(places.length)] ?? 0
  const old = line[at] ?? ''
  const others = /\d/.test(old) ? '0123456789' : /[A-Za-z]/.test(old) ? 'aeioutnsrlAEIOU' : '<>=+*/-'
  const other = [...others].filter((letter) => letter !== old)[random(others.length - 1)] ?? 'x'
  return line.slice(0, at) + other + line.slice(at + 1)
}

test('no slip of a letter, digit or operator gets into a file', () => {
  const random = createRandom(7)
  const outcomes = { applied: 0, refused: 0, wrong: 0 }

  for (let round = 0; round < ROUNDS; round++) {
    const { file, lines } = pickQuote(random)
    const inContext = round % 2 === 0
    const bad = inContext ? (random(2) === 0 ? 0 : 2) : 1
    const quoted = lines.map((line, index) => (index === bad ? slip(line, random) : line))
    const replacement = quoted.map((line, index) => (index === 1 ? changed(line) : line))
    const meant = lines.map((line, index) => (index === 1 ? changed(line) : line))

    const edited = editText(file, { old: quoted.join('\n'), new: replacement.join('\n') })

    if (!edited.ok) outcomes.refused++
    else if (edited.text === file.replace(lines.join('\n'), () => meant.join('\n'))) outcomes.applied++
    else outcomes.wrong++
  }

  expect(outcomes.wrong).toBe(0)
  expect(outcomes.applied).toBeGreaterThan(ROUNDS * 0.3)
})

const harmless: Readonly<Record<string, (lines: readonly string[], at: number) => readonly string[]>> = {
  'doubled blanks': (lines) => lines.map((line) => line.replaceAll(/(?<=\S) (?=\S)/g, '  ')),
  'no indentation': (lines) => lines.map((line) => line.trimStart()),
  'more indentation': (lines) => lines.map((line) => `    ${line}`),
  'tabs for blanks': (lines) => lines.map((line) => line.replaceAll('  ', '\t')),
  'trailing blanks': (lines) => lines.map((line) => `${line}  `),
  'a blank line more': (lines) => [lines[0] ?? '', '', ...lines.slice(1)],
  'typographic quotes': (lines) => lines.map((line) => line.replaceAll("'", '’').replaceAll('"', '”')),
  'line numbers of read_file': (lines, at) => lines.map((line, index) => `${at + index + 1}\t${line}`),
  'line numbers of a search': (lines, at) => lines.map((line, index) => `${at + index + 1}: ${line}`),
  'line numbers of other agents': (lines, at) =>
    lines.map((line, index) => `${String(at + index + 1).padStart(5, '0')}| ${line}`),
}

test('differences of white space, quotes, indentation and line numbers still apply', () => {
  const random = createRandom(11)
  const kinds = Object.keys(harmless)
  const failed: string[] = []

  for (let round = 0; round < ROUNDS; round++) {
    const { file, lines, at } = pickQuote(random)
    const kind = kinds[round % kinds.length] ?? ''
    const meant = lines.map((line, index) => (index === 1 ? changed(line) : line))
    const old = harmless[kind]?.(lines, at) ?? []
    const now = harmless[kind]?.(meant, at) ?? []

    const edited = editText(file, { old: old.join('\n'), new: now.join('\n') })

    const wanted = file.replace(lines.join('\n'), () => meant.join('\n'))
    const isRight = edited.ok && edited.text.replaceAll(/\s+/g, ' ') === wanted.replaceAll(/\s+/g, ' ')
    if (!isRight) failed.push(kind)
  }

  expect(failed.length).toBeLessThanOrEqual(ROUNDS * 0.05)
})
