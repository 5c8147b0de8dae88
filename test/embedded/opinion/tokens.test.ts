import { expect, test } from 'vitest'
import { projectWords, tokensOf } from '../../../src/embedded/opinion/tokens.ts'

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
