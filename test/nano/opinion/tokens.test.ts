import { expect, test } from 'vitest'
import { spelledRight } from '../../../src/nano/opinion/spelling.ts'
import { projectWords, tokensOf } from '../../../src/nano/opinion/tokens.ts'

const project = projectWords(['docs/minutes.md', 'config/app.ini'], ['Budget for the harbour: 300'])
const known = new Set(['change', 'please'])

test('quoted text, files and numbers are signs, and so are words that only the project knows', () => {
  const { plain } = tokensOf(
    'please change "a b" to 40 in config/app.ini, the minutes and the harbour',
    project,
    known,
  )

  expect(plain).toEqual('please change <quote> to <number> in <file> , the <name> and the <text>'.split(' '))
})

test('an unknown word becomes a sign, and a file keeps its extension', () => {
  const { spelled, plain } = tokensOf('frobnicate app.ini', project, known)

  expect(plain).toEqual(['<word>', '<file>'])
  expect(spelled).toEqual(['frobnicate', '<file>.ini'])
})

test.each([
  ['chnage', 'change'],
  ['pleeease', 'please'],
  ['delte', 'delete'],
  ['foldr', 'folder'],
  ['helllo', 'hello'],
  ['frobnicate', 'frobnicate'],
  ['teh', 'teh'],
])('a slip of the finger is a known word: %s', (typed, meant) => {
  expect(spelledRight(typed, new Set(['change', 'please', 'delete', 'folder', 'hello', 'test']))).toBe(meant)
})

test('a name and a word of the project are no slips', () => {
  const { plain } = tokensOf('tell Pleasa about the chang', projectWords([], ['chang noodles']), known)

  expect(plain).toEqual('<word> <word> <word> the <text>'.split(' '))
})
