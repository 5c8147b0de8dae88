/** Results of other programs' tools, in the words of Covey's own. */
import { describe, expect, test } from 'vitest'
import { inOwnResult, rootIn } from '../../../src/nano/client/results.ts'
import type { NanoCall, NanoStep } from '../../../src/nano/steps/run.ts'

const said = (name: string, input: NanoCall['input'], text: string, root?: string): NanoStep =>
  inOwnResult({ call: { name, input }, ok: true, text, shown: text }, root)

describe('lines of a file are numbered', () => {
  test.each([
    ['plain', 'a: 1\nb: 2'],
    ['with an arrow', '     1→a: 1\n     2→b: 2'],
    ['with a tab', '     1\ta: 1\n     2\tb: 2'],
    ['with a bar, in tags', '<file>\n00001| a: 1\n00002| b: 2\n</file>'],
  ])('%s', (_, text) => {
    expect(said('read_file', { path: 'a.yml' }, text)).toMatchObject({ ok: true, text: '1\ta: 1\n2\tb: 2' })
  })

  test('from where it was read', () => {
    expect(said('read_file', { path: 'a.yml', from: 7 }, 'a: 1').text).toBe('7\ta: 1')
  })

  test('also where they look like a message', () => {
    const log = 'Error: one\nError: two\nError: three\nError: four\nError: five'

    expect(said('read_file', { path: 'a.log' }, log).ok).toBe(true)
  })
})

describe('entries of a folder are paths', () => {
  test.each([
    ['names', 'a.md\nold/'],
    ['a tree', '- /work/docs/\n  - a.md\n  - old/'],
    ['marked', '[FILE] a.md\n[DIR] old'],
    ['long', 'total 8\n-rw-r--r-- 1 me me 12 Nov  3 10:11 a.md\ndrwxr-xr-x 2 me me 64 Nov  3 10:11 old'],
    ['drawn', '├── a.md\n└── old/'],
  ])('%s', (_, text) => {
    expect(said('list_files', { path: 'docs/' }, text, '/work').text).toBe('docs/a.md\ndocs/old/')
  })

  test('none in an empty one', () => {
    expect(said('list_files', { path: 'docs' }, '').text).toBe('docs is empty.')
  })
})

test.each([
  ['/work/docs/a.md\n/work/b.md', 'docs/a.md\nb.md'],
  ['./docs/a.md\n./b.md', 'docs/a.md\nb.md'],
  ['No files found', 'No files match.'],
])('files that were found: %j', (text, expected) => {
  expect(said('find_files', { pattern: '**/*.md' }, text, '/work').text).toBe(expected)
})

test.each([
  ['docs/a.md:3:port = 1', 'docs/a.md:3:port = 1'],
  ['Found 1 matches\ndocs/a.md:\n  Line 3: port = 1', 'docs/a.md:3:port = 1'],
  ['Found 1 files\n/work/docs/a.md', 'docs/a.md:1:'],
  ['No matches found', 'No matches.'],
])('lines that were found: %j', (text, expected) => {
  expect(said('search_text', { pattern: 'port' }, text, '/work').text).toBe(expected)
})

test.each([
  ['read_file', "Error: ENOENT: no such file or directory, open 'a.md'"],
  ['read_file', '<tool_use_error>File does not exist.</tool_use_error>'],
  ['read_file', 'cat: a.md: No such file or directory'],
  ['edit_file', 'String to replace not found in file.'],
  ['edit_file', 'The user rejected this change.'],
  ['run_command', 'npm ERR! missing script\nExit code: 1'],
])('%s failed: %j', (name, text) => {
  expect(said(name, { path: 'a.md' }, text).ok).toBe(false)
})

test('a command tells how it ended', () => {
  expect(said('run_command', { command: 'npm test' }, '2 failed\nExit code: 1').shown).toBe(
    'exit code 1\n2 failed',
  )
  expect(said('run_command', { command: 'npm test' }, 'ok\nExit code: 0').shown).toBe('exit code 0\nok')
})

test.each([
  ['<env>\nWorking directory: /home/me/shop\nPlatform: linux\n</env>', '/home/me/shop'],
  ['# Current Workspace Directory (/srv/app) Files', '/srv/app'],
  ['<cwd>/srv/app</cwd>', '/srv/app'],
  ['You are a coding agent.', undefined],
])('the folder a client works in: %j', (system, expected) => {
  expect(rootIn(system)).toBe(expected)
})

test('what was done is read in the words of the own tool, and told in those of the client', () => {
  const call = { name: 'move_file', input: { from: 'a.md', to: 'docs/a.md' } }
  const said = 'Successfully moved a.md to docs/a.md'

  const { text, shown } = inOwnResult({ call, ok: true, text: said, shown: said })

  expect([text, shown]).toEqual([said, 'Moved a.md to docs/a.md.'])
})
