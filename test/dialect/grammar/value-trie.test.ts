import { describe, expect, it } from 'vitest'
import { families } from '../../../src/dialect/all.ts'
import { buildGrammar } from '../../../src/dialect/grammar/write.ts'
import type { KnownValues } from '../../../src/protocol/known-values.ts'
import type { ToolSchema } from '../../../src/protocol/model.ts'
import { accepts, parseGbnf } from '../../support/gbnf.ts'

const text = { type: 'string' }
const tools: readonly ToolSchema[] = [
  { name: 'read_file', parameters: { type: 'object', properties: { path: text }, required: ['path'] } },
  {
    name: 'write_file',
    parameters: { type: 'object', properties: { path: text, content: text }, required: ['path', 'content'] },
  },
]

const values: KnownValues = {
  sets: {
    file: {
      exact: ['src/a.ts', 'src/ab.ts', 'src/a', 'README.md', 'odd "name".txt', 'ü.md'],
      open: ['node_modules/'],
    },
    target: { exact: ['new/deep/x.ts'], folders: ['', 'src/'] },
    job: { exact: [] },
  },
  uses: { 'read_file.path': 'file', 'write_file.path': 'target', 'read_file.from': 'job' },
}

/** Spaced as the grammar has it. */
const call = (name: string, input: object) => {
  const members = Object.entries(input).map(
    ([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  )
  return { id: 'call-1', name, input: `{${members.join(', ')}}` }
}

function checker(dialect: string) {
  const { grammar } = buildGrammar(tools, { dialect, choice: 'required', values })
  const parsed = parseGbnf(grammar)
  const family = families.find(({ name }) => name === dialect)!
  return (name: string, input: object): boolean => accepts(parsed, family.write(call(name, input)))
}

describe.each(['hermes', 'qwen-xml', 'pythonic', 'glm', 'llama3'])('paths in %s', (dialect) => {
  const allows = checker(dialect)

  it.each([
    ['src/a.ts', true],
    ['src/a', true],
    ['src/ab.ts', true],
    ['README.md', true],
    ['ü.md', true],
    ['node_modules/left-pad/index.js', true],
    ['src/b.ts', false],
    ['src/a.tsx', false],
    ['src/', false],
    ['', false],
    ['/etc/passwd', false],
  ])('of what is read: %j %j', (path, expected) => {
    expect(allows('read_file', { path })).toBe(expected)
  })

  it.each([
    ['src/new.ts', true],
    ['top.txt', true],
    ['new/deep/x.ts', true],
    ['invented/x.ts', false],
    ['src/invented/x.ts', false],
  ])('of what is written: %j %j', (path, expected) => {
    expect(allows('write_file', { path, content: 'x' })).toBe(expected)
  })
})

it('strings between the tokens of a family are held to the same paths', () => {
  const allows = checker('gemma')

  expect(allows('read_file', { path: 'src/a.ts' })).toBe(true)
  expect(allows('read_file', { path: 'src/b.ts' })).toBe(false)
})

it('a name with quotes is allowed as JSON writes it', () => {
  expect(checker('hermes')('read_file', { path: 'odd "name".txt' })).toBe(true)
})

it('five thousand files make a grammar that is parsed at once and small for a sampler', () => {
  const paths = Array.from({ length: 5_000 }, (_, at) => `packages/p${at % 50}/src/module-${at}/index.ts`)
  const many = { sets: { file: { exact: paths } }, uses: { 'read_file.path': 'file' } }

  const { grammar } = buildGrammar(tools.slice(0, 1), { dialect: 'hermes', choice: 'required', values: many })

  expect(grammar.length).toBeLessThan(paths.join('').length * 4)
  const parsed = parseGbnf(grammar)
  const written = (path: string) =>
    families.find(({ name }) => name === 'hermes')!.write(call('read_file', { path }))
  expect(accepts(parsed, written(paths[4_321]!))).toBe(true)
  expect(accepts(parsed, written('packages/p1/src/module-4321/index.ts'))).toBe(false)
})
