import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Tool, ToolContext, ToolResult } from '../../src/protocol/tool.ts'
import { builtinTools } from '../../src/tools/all.ts'
import { tempProject, toolContext } from '../support/project.ts'
import { callTool } from './call.ts'

type Session = {
  readonly root: string
  readonly context: ToolContext
  call(name: string, input: unknown): Promise<ToolResult>
  text(path: string): Promise<string>
}

async function session(
  files: Record<string, string | Uint8Array> = {},
  checks: Record<string, string> = {},
): Promise<Session> {
  const root = await tempProject(files)
  const context = toolContext(root)
  const tools: readonly Tool[] = builtinTools({ list: () => tools, checks })
  return {
    root,
    context,
    call: (name, input) =>
      callTool(
        tools.find((tool) => tool.name === name)!,
        input,
        context,
      ),
    text: (path) => readFile(join(root, path), 'utf8'),
  }
}

/** A model that reads results for these words would take a good one for a bad one. */
const ALARMING = /error|not found|failed|denied|invalid|no match|could not|unknown/i

describe('write_file', () => {
  test('makes a file and its folders', async () => {
    const { call, text } = await session()

    expect(await call('write_file', { path: 'src/deep/a.js', content: 'const a = 1\nconst b = 2' })).toEqual({
      ok: true,
      text: 'Created src/deep/a.js (2 lines).',
      changed: ['src/deep/a.js'],
    })
    expect(await text('src/deep/a.js')).toBe('const a = 1\nconst b = 2')
  })

  test('does not replace what it did not make', async () => {
    const { call, text } = await session({ 'a.txt': 'one\ntwo\n' })

    expect(await call('write_file', { path: 'a.txt', content: 'new' })).toEqual({
      ok: false,
      code: 'failed',
      text: 'a.txt exists (2 lines). Change a part of it with edit_file, or replace all of it with overwrite: true.',
    })
    expect(await text('a.txt')).toBe('one\ntwo\n')
  })

  test('replaces with overwrite, and keeps CRLF', async () => {
    const { call, text } = await session({ 'a.txt': 'one\r\ntwo\r\n' })
    await call('read_file', { path: './a.txt' })

    expect(await call('write_file', { path: 'a.txt', content: '1\n2\n3\n', overwrite: true })).toEqual({
      ok: true,
      text: 'Replaced a.txt (was 2 lines, now 3 lines).',
      changed: ['a.txt'],
    })
    expect(await text('a.txt')).toBe('1\r\n2\r\n3\r\n')
  })

  test('does not replace what was never read', async () => {
    const { call, text } = await session({ 'a.txt': 'one\ntwo\n' })

    expect(await call('write_file', { path: 'a.txt', content: '1\n', overwrite: true })).toEqual({
      ok: false,
      code: 'failed',
      text: 'Nothing was written: a.txt has 2 lines that were not read yet. Read it with read_file, then replace it.',
    })
    expect(await text('a.txt')).toBe('one\ntwo\n')
  })

  test.each([
    '// ... rest of the file unchanged',
    '# ... existing code ...',
    '... (rest unchanged)',
    '/* remaining functions unchanged */',
    '<!-- ... -->',
    '// existing code',
  ])('does not replace a file by a part of it and %j', async (mark) => {
    const { call, text } = await session({ 'a.js': 'one\ntwo\nthree\nfour\n' })
    await call('read_file', { path: 'a.js' })

    const result = await call('write_file', { path: 'a.js', content: `ONE\n${mark}\n`, overwrite: true })

    expect(result).toMatchObject({ ok: false, code: 'bad-arguments' })
    expect(result.text).toContain('Change the lines you mean with edit_file, or write the whole file.')
    expect(await text('a.js')).toBe('one\ntwo\nthree\nfour\n')
  })

  test('replaces freely what this session made, and an empty file', async () => {
    const { call, text } = await session({ 'empty.txt': '' })
    await call('write_file', { path: 'mine.txt', content: 'first' })

    expect((await call('write_file', { path: 'mine.txt', content: 'second' })).ok).toBe(true)
    expect((await call('write_file', { path: 'empty.txt', content: 'text' })).ok).toBe(true)
    expect(await text('mine.txt')).toBe('second')
  })

  test('the same content again is fine', async () => {
    const { call } = await session({ 'a.txt': 'same' })

    expect(await call('write_file', { path: 'a.txt', content: 'same' })).toEqual({
      ok: true,
      text: 'a.txt already has exactly this content.',
    })
  })

  test.each([
    ['one\n', 'two\n', 'one\ntwo\n'],
    ['one', 'two\n', 'one\ntwo\n'],
    ['one\r\n', 'two\nthree', 'one\r\ntwo\r\nthree'],
    ['', 'two', 'two'],
  ])('appends to %j', async (before, content, expected) => {
    const { call, text } = await session({ 'a.txt': before })

    await call('write_file', { path: 'a.txt', content, append: true })

    expect(await text('a.txt')).toBe(expected)
  })

  test.each([
    ['folder', /is a folder/],
    ['../out.txt', /outside the project/],
    ['.git/config', /decides what runs later/],
  ])('%s cannot be written', async (path, message) => {
    const { call } = await session({ 'folder/a': '' })

    await expect(call('write_file', { path, content: 'x' })).rejects.toThrow(message)
  })

  test('content of any kind comes out as it went in', async () => {
    const { call, text } = await session()
    const content = '日本語 🦆 "quotes" \\n $HOME `x`\n\n\n'

    await call('write_file', { path: 'a b/ü.txt', content })

    expect(await text('a b/ü.txt')).toBe(content)
  })
})

describe('edit_file', () => {
  test('an exact edit says what changed, without alarming words', async () => {
    const { call, text } = await session({ 'sum.js': '// sum\nexport const sum = (a, b) => a - b\n' })

    const result = await call('edit_file', { path: 'sum.js', old: 'a - b', new: 'a + b' })

    expect(result).toEqual({
      ok: true,
      text: 'Edited sum.js: line 2\n-export const sum = (a, b) => a - b\n+export const sum = (a, b) => a + b',
      changed: ['sum.js'],
    })
    expect(result.text).not.toMatch(ALARMING)
    expect(await text('sum.js')).toBe('// sum\nexport const sum = (a, b) => a + b\n')
  })

  test.each([
    ['sum.js', 'export const sum = (a, b) => a - b\n', 'a - b', 'a + b'],
    ['server.yaml', 'host: x\nport: 8080\n', 'port: 8080', 'port: 9090'],
    ['b.js', "import { LIMIT } from './a.js'\n", '{ LIMIT }', '{ MAX_ITEMS }'],
    ['price.js', 'export const label = (x) => `EUR ${x}`\n', '`EUR ${x}`', '`${x} EUR`'],
    ['deep.py', 'if x:\n    return a - b\n', '    return a - b', '    return a + b'],
  ])('a quote with doubled and leading blanks is found in %s', async (path, before, old, replacement) => {
    const { call, text } = await session({ [path]: before })
    const drifted = ` ${old.replaceAll(' ', '  ')}`

    const result = await call('edit_file', { path, old: drifted, new: replacement })

    expect(result.ok).toBe(true)
    expect(result.text).toContain('(old differed in white space or quotes)')
    expect(result.text).not.toMatch(ALARMING)
    expect(await text(path)).toBe(before.replace(old, replacement))
  })

  test('line numbers copied from read_file are left out', async () => {
    const { call, text } = await session({ 'a.txt': 'one\ntwo\nthree\n' })

    const result = await call('edit_file', {
      path: 'a.txt',
      old: '2\ttwo\n3\tthree',
      new: '2\tTWO\n3\tTHREE',
    })

    expect(result.ok).toBe(true)
    expect(await text('a.txt')).toBe('one\nTWO\nTHREE\n')
  })

  test('several places are named and nothing is changed', async () => {
    const { call, text } = await session({ 'a.txt': 'x = 1\ny = 2\nx = 1\n' })

    expect(await call('edit_file', { path: 'a.txt', old: 'x = 1', new: 'x = 3' })).toEqual({
      ok: false,
      code: 'no-match',
      text: 'old fits in 2 places of a.txt:\n1\tx = 1\n3\tx = 1\nAdd the line before or after it to old, or all: true to change all.',
    })
    expect(await text('a.txt')).toBe('x = 1\ny = 2\nx = 1\n')
  })

  test('a miss shows the nearest lines', async () => {
    const source = 'import os\n\ndef load(path):\n    return open(path)\n\ndef save(path, data):\n    pass\n'
    const { call } = await session({ 'a.py': source })

    expect(
      await call('edit_file', { path: 'a.py', old: 'def load(file, mode):', new: 'def load():' }),
    ).toEqual({
      ok: false,
      code: 'no-match',
      text: [
        'old is not in a.py.',
        'Nearest lines:',
        '1\timport os',
        '2\t',
        '3\tdef load(path):',
        '4\t    return open(path)',
        '5\t',
        'Quote the lines exactly as they stand.',
      ].join('\n'),
    })
  })

  test('a miss says when the new text is already there', async () => {
    const { call } = await session({ 'a.js': 'const a = 1\nconst port = 9090\n' })

    const result = await call('edit_file', {
      path: 'a.js',
      old: 'const port = 8080',
      new: 'const port = 9090',
    })

    expect(result).toEqual({
      ok: false,
      code: 'no-match',
      text: 'Nothing was changed: old is not in a.js, but new already is:\n1\tconst a = 1\n2\tconst port = 9090',
    })
  })

  test.each([
    ['', 'x', 'bad-arguments', /old is empty/],
    [' \n', 'x', 'bad-arguments', /old is empty/],
    ['same', 'same', 'no-match', /the same/],
  ])('old %j and new %j make no edit', async (old, replacement, code, message) => {
    const { call } = await session({ 'a.txt': 'same' })

    expect(await call('edit_file', { path: 'a.txt', old, new: replacement })).toMatchObject({
      ok: false,
      code,
      text: expect.stringMatching(message),
    })
  })

  test('an edit that would change nothing is no success', async () => {
    const { call } = await session({ 'a.txt': 'f( 1 )\n' })

    expect(await call('edit_file', { path: 'a.txt', old: 'f(  1  )', new: 'f( 1 )' })).toEqual({
      ok: false,
      code: 'no-match',
      text: 'Nothing was changed: a.txt already reads like new there.\n1\tf( 1 )',
    })
  })

  test.each([
    ['gone.txt', { details: { failure: 'missing-path' } }],
    ['photo.png', { message: expect.stringContaining('binary') }],
    ['folder', { message: expect.stringContaining('is a folder') }],
    ['AGENTS.md', { code: 'permission-denied' }],
  ])('%s cannot be edited', async (path, expected) => {
    const { call } = await session({
      'photo.png': new Uint8Array([0]),
      'folder/a': '',
      'AGENTS.md': 'old text',
    })

    await expect(call('edit_file', { path, old: 'old text', new: 'new text' })).rejects.toMatchObject(
      expected,
    )
  })
})

describe('after a change', () => {
  test('broken syntax is said plainly, and the change stays', async () => {
    const { call, text } = await session({ 'a.js': 'const a = [1, 2]\n' })

    const result = await call('edit_file', { path: 'a.js', old: '2]', new: '2' })

    expect(result.ok).toBe(true)
    expect(result.text).toContain('\nSyntax problem in a.js at line 1: ')
    expect(await text('a.js')).toBe('const a = [1, 2\n')
  })

  test('what was broken before is not blamed', async () => {
    const { call } = await session({ 'a.js': 'const a = [1, 2\nlet b = 1\n' })

    expect((await call('edit_file', { path: 'a.js', old: 'b = 1', new: 'b = 2' })).text).not.toContain(
      'Syntax',
    )
  })

  test('a new file is checked as well', async () => {
    const { call } = await session()

    const { text } = await call('write_file', { path: 'a.json', content: '{"a": }' })

    expect(text).toMatch(/^Created a.json \(1 line\)\.\nSyntax problem in a.json at line 1: /)
  })

  test('the check of the project runs for its files only', async () => {
    const { call } = await session({}, { '*.txt': 'grep -q good a.txt || (echo "a.txt is bad"; exit 1)' })

    const good = await call('write_file', { path: 'a.txt', content: 'good' })
    const bad = await call('write_file', { path: 'a.txt', content: 'poor' })
    const other = await call('write_file', { path: 'a.md', content: 'poor' })

    expect(good.text).toMatch(/ passed\.$/)
    expect(bad).toMatchObject({ ok: true, text: expect.stringMatching(/ found problems:\na\.txt is bad$/) })
    expect(other.text).toBe('Created a.md (1 line).')
    expect(good.text).not.toMatch(ALARMING)
  })
})

describe('apply_patch', () => {
  const files = { 'a.txt': 'one\ntwo\nthree\n', 'sub/b.txt': 'x\ny\nz', 'old.txt': 'gone\n' }

  test('a unified diff changes, makes and removes files', async () => {
    const { call, text, context } = await session(files)
    const patch = [
      'diff --git a/a.txt b/a.txt',
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@ -1,3 +1,3 @@',
      ' one',
      '-two',
      '+TWO',
      ' three',
      '--- /dev/null',
      '+++ b/new/c.txt',
      '@@ -0,0 +1,1 @@',
      '+fresh',
      '--- a/old.txt',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-gone',
      '',
    ].join('\n')

    expect(await call('apply_patch', { patch })).toEqual({
      ok: true,
      text: 'Patched 3 files:\nM a.txt\nA new/c.txt (1 line)\nD old.txt',
      changed: ['a.txt', 'new/c.txt', 'old.txt'],
    })
    expect(await text('a.txt')).toBe('one\nTWO\nthree\n')
    expect(await text('new/c.txt')).toBe('fresh\n')
    expect(await context.files.info('old.txt')).toBeUndefined()
  })

  test.each([
    ['wrong counts', '--- a/a.txt\n+++ b/a.txt\n@@ -1,9 +1,2 @@\n one\n-two\n+TWO\n three'],
    ['wrong position', '--- a/a.txt\n+++ b/a.txt\n@@ -40,3 +40,3 @@\n one\n-two\n+TWO\n three\n'],
    ['no position', '--- a/a.txt\n+++ b/a.txt\n@@\n one\n-two\n+TWO\n three\n'],
    ['no prefixes', '--- a.txt\n+++ a.txt\n@@ -2,1 +2,1 @@\n-two\n+TWO\n'],
    ['a fence around it', '```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -2,1 +2,1 @@\n-two\n+TWO\n```'],
    ['the other form', '*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+TWO\n*** End Patch'],
    [
      'the other form, blanks lost',
      '*** Begin Patch\n*** Update File: a.txt\none\n-two\n+TWO\nthree\n*** End Patch\n',
    ],
  ])('%s', async (_, patch) => {
    const { call, text } = await session(files)

    await call('apply_patch', { patch })

    expect(await text('a.txt')).toBe('one\nTWO\nthree\n')
  })

  test('a file without a final line end keeps none, in either form', async () => {
    const { call, text } = await session({ ...files, 'c.txt': 'x\ny\nz' })

    await call('apply_patch', {
      patch: '--- a/sub/b.txt\n+++ b/sub/b.txt\n@@ -1,3 +1,3 @@\n x\n y\n-z\n+Z\n',
    })
    await call('apply_patch', { patch: '*** Begin Patch\n*** Update File: c.txt\n y\n-z\n+Z\n*** End Patch' })

    expect(await text('sub/b.txt')).toBe('x\ny\nZ')
    expect(await text('c.txt')).toBe('x\ny\nZ')
  })

  test('a file with CRLF keeps it, in either form', async () => {
    const { call, text } = await session({ 'a.txt': 'one\r\ntwo\r\n', 'b.txt': 'one\r\ntwo\r\n' })

    await call('apply_patch', { patch: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n' })
    await call('apply_patch', {
      patch: '*** Begin Patch\n*** Update File: b.txt\n one\n-two\n+TWO\n*** End Patch',
    })

    expect(await text('a.txt')).toBe('one\r\nTWO\r\n')
    expect(await text('b.txt')).toBe('one\r\nTWO\r\n')
  })

  test('the other form adds, moves, removes and finds its place below a named line', async () => {
    const { call, text, context } = await session({
      'code.py': 'class A:\n    def run(self):\n        pass\n\nclass B:\n    def run(self):\n        pass\n',
      'old.txt': 'gone\n',
    })
    const patch = [
      '*** Begin Patch',
      '*** Add File: docs/new.md',
      '+# New',
      '+',
      '*** Update File: code.py',
      '*** Move to: moved.py',
      '@@ class B:',
      '     def run(self):',
      '-        pass',
      '+        return 1',
      '*** Delete File: old.txt',
      '*** End Patch',
    ].join('\n')

    expect((await call('apply_patch', { patch })).text).toBe(
      'Patched 4 files:\nA docs/new.md (2 lines)\nD code.py\nA moved.py (7 lines)\nD old.txt',
    )
    expect(await text('moved.py')).toBe(
      'class A:\n    def run(self):\n        pass\n\nclass B:\n    def run(self):\n        return 1\n',
    )
    expect(await context.files.info('code.py')).toBeUndefined()
  })

  test.each([
    [
      'one part does not fit',
      '--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+ONE\n--- a/sub/b.txt\n+++ b/sub/b.txt\n@@ -1,1 +1,1 @@\n-nope\n+x\n',
      'no-match',
    ],
    [
      'a chunk fits twice',
      '*** Begin Patch\n*** Update File: twice.txt\n-same\n+other\n*** End Patch',
      'no-match',
    ],
    [
      'a file is missing',
      '*** Begin Patch\n*** Update File: a.txt\n-one\n+ONE\n*** Update File: gone.txt\n-a\n+b\n*** End Patch',
      'missing-path',
    ],
    [
      'a new file exists',
      '*** Begin Patch\n*** Update File: a.txt\n-one\n+ONE\n*** Add File: old.txt\n+x\n*** End Patch',
      undefined,
    ],
    [
      'the last file is protected',
      '*** Begin Patch\n*** Update File: a.txt\n-one\n+ONE\n*** Add File: .bashrc\n+x\n*** End Patch',
      'denied',
    ],
    ['it is not a patch', 'please change a.txt', 'bad-arguments'],
    ['it names no file', '@@ -1,1 +1,1 @@\n-one\n+ONE\n', 'bad-arguments'],
    ['it is empty', '', 'bad-arguments'],
  ])('nothing changes when %s', async (_, patch, failure) => {
    const { call, text } = await session({ ...files, 'twice.txt': 'same\nsame\n' })

    const error = await call('apply_patch', { patch }).catch((thrown: unknown) => thrown)

    expect(error).toMatchObject({ details: failure ? { failure } : {} })
    expect([await text('a.txt'), await text('sub/b.txt'), await text('old.txt')]).toEqual(
      Object.values(files),
    )
  })

  test('the guard sees every file it would write', () => {
    const tools = builtinTools({ list: () => [] })
    const tool = tools.find(({ name }) => name === 'apply_patch')!
    const patch =
      '*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n-a\n+b\n*** Delete File: c.txt\n*** End Patch'

    expect(tool.access({ patch })).toEqual(
      ['a.txt', 'b.txt', 'c.txt'].map((target) => ({ kind: 'write', target })),
    )
    expect(tool.access({ patch: 'rubbish' })).toEqual([{ kind: 'write', target: '.' }])
  })
})
