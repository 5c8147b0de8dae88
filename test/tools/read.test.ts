import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Exec } from '../../src/protocol/tool.ts'
import { findFilesTool } from '../../src/tools/find-files.ts'
import { listFilesTool } from '../../src/tools/list-files.ts'
import { createReadFile } from '../../src/tools/read-file.ts'

const readFileTool = createReadFile({ seen: new Set() })
import { searchTextTool } from '../../src/tools/search-text.ts'
import { tempProject, toolContext } from '../support/project.ts'
import { callTool } from './call.ts'

const numbers = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n')

describe('read_file', () => {
  test('lines come back numbered', async () => {
    const root = await tempProject({ 'a.txt': 'hello\n', 'b.txt': '\uFEFFgrüße\r\n\r\n🦆' })

    expect(await callTool(readFileTool, { path: 'a.txt' }, toolContext(root))).toEqual({
      ok: true,
      text: '1\thello',
    })
    expect((await callTool(readFileTool, { path: 'b.txt' }, toolContext(root))).text).toBe(
      '1\tgrüße\n2\t\n3\t🦆',
    )
  })

  test('pages join to the whole file, none larger than it may be', async () => {
    const context = toolContext(await tempProject({ 'long.txt': numbers(700) }), { pageTokens: 300 })
    const pages: string[] = []

    for (let from: number | undefined = 1; from !== undefined;) {
      const { text } = await callTool(readFileTool, { path: 'long.txt', from }, context)
      expect(context.countTokens(text)).toBeLessThanOrEqual(300)
      pages.push(text)
      from = Number(/go on with from=(\d+)\]$/.exec(text)?.[1]) || undefined
    }

    const lines = pages.flatMap((page) => page.split('\n').filter((line) => !line.startsWith('[')))
    expect(lines.map((line) => line.split('\t')[1]).join('\n')).toBe(numbers(700))
    expect(pages[0]).toMatch(/\[lines 1-\d+ of 700; go on with from=\d+\]$/)
    expect(pages.at(-1)).toMatch(/\[end, 700 lines\]$/)
  })

  test('the first page of a long source file says what comes further down', async () => {
    const source = `${numbers(300).replaceAll('line', '// line')}\nexport function late() {\n  return 1\n}\n`
    const context = toolContext(await tempProject({ 'long.js': source }), { pageTokens: 300 })

    const { text } = await callTool(readFileTool, { path: 'long.js' }, context)

    expect(text).toMatch(/go on with from=\d+\]\n\[further down\]\n301\texport function late\(\) \{$/)
    expect(context.countTokens(text)).toBeLessThanOrEqual(300)
  })

  test('a line larger than a page is cut and says so', async () => {
    const context = toolContext(await tempProject({ 'min.js': 'x'.repeat(50_000) }), { pageTokens: 100 })

    const { text } = await callTool(readFileTool, { path: 'min.js' }, context)

    expect(text).toMatch(/^1\tx+ \[… line cut, it has 50002 characters\]$/)
    expect(context.countTokens(text)).toBeLessThanOrEqual(100)
  })

  test('an empty file says so', async () => {
    const root = await tempProject({ 'a.txt': '' })

    expect((await callTool(readFileTool, { path: 'a.txt' }, toolContext(root))).text).toBe('a.txt is empty.')
  })

  test('a line beyond the end is a failure that names the length', async () => {
    const root = await tempProject({ 'a.txt': 'one\ntwo\n' })

    await expect(callTool(readFileTool, { path: 'a.txt', from: 9 }, toolContext(root))).rejects.toMatchObject(
      {
        message: 'a.txt has only 2 lines; ask for a lower `from`.',
        details: { failure: 'bad-arguments' },
      },
    )
  })

  test.each([
    ['folder', /is a folder; use list_files/],
    ['photo.png', /is a binary file/],
    ['gone.txt', /gone.txt does not exist/],
    ['.env', /may hold secrets/],
  ])('%s cannot be read', async (path, message) => {
    const root = await tempProject({ 'folder/a': '', 'photo.png': new Uint8Array([0, 1]), '.env': 'A=1' })

    await expect(callTool(readFileTool, { path }, toolContext(root))).rejects.toThrow(message)
  })
})

describe('list_files', () => {
  test('a small project is shown whole, without what git ignores', async () => {
    const root = await tempProject({
      '.gitignore': 'dist\nnode_modules\n',
      'README.md': '',
      'src/a.ts': '',
      'src/deep/b.ts': '',
      'dist/a.js': '',
      'node_modules/x/index.js': '',
      '.git/config': '',
    })

    expect((await callTool(listFilesTool, {}, toolContext(root))).text).toBe(
      '.gitignore\nREADME.md\nsrc/a.ts\nsrc/deep/b.ts\n[ignored or empty: dist/, node_modules/]',
    )
  })

  test('of a large one the top is shown with counts', async () => {
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`src/f${index}.ts`, '']))
    const root = await tempProject({ 'README.md': '', ...many })

    expect((await callTool(listFilesTool, { path: '.' }, toolContext(root))).text).toBe(
      'README.md\nsrc/ (80 files)',
    )
  })

  test('paths of a folder are those read_file takes', async () => {
    const root = await tempProject({ 'src/a.ts': '', 'src/deep/b.ts': '', 'other.ts': '' })

    expect((await callTool(listFilesTool, { path: './src/' }, toolContext(root))).text).toBe(
      'src/a.ts\nsrc/deep/b.ts',
    )
  })

  test('an unreadable file among others hides nothing', async () => {
    const context = toolContext(await tempProject({ 'a.txt': 'hello', 'b.txt': 'hello' }))
    const { exec } = context
    // One place that cannot be read: ripgrep ends with an error then, whatever it found elsewhere.
    const program: Exec['program'] = (argv, options) => exec.program([...argv, 'nowhere'], options)
    const hampered = { ...context, exec: { ...exec, program } }

    expect((await callTool(searchTextTool, { pattern: 'hello' }, hampered)).text).toBe(
      'a.txt:1: hello\nb.txt:1: hello',
    )
    expect((await callTool(listFilesTool, {}, hampered)).text).toBe('a.txt\nb.txt')
  })

  test('a list too long to be heard whole holds no half names', async () => {
    const name = (index: number) => `${'n'.repeat(230)}${String(index).padStart(4, '0')}.ts`
    const many = Object.fromEntries(Array.from({ length: 2600 }, (_, index) => [name(index), '']))
    const context = toolContext(await tempProject(many), { pageTokens: 1_000_000 })

    const { text } = await callTool(findFilesTool, { pattern: '*.ts' }, context)

    const lines = text.split('\n')
    expect(lines.length).toBeGreaterThan(2000)
    expect(lines.filter((line) => !/^n{230}\d{4}\.ts$/.test(line))).toEqual([])
  })

  test('the folder of several files is named once', async () => {
    const names = ['lib/a.js', 'lib/b.js', 'lib/util/c.js', 'package.json', 'test/d.js']
    const context = toolContext(await tempProject(Object.fromEntries(names.map((name) => [name, 'x']))))

    expect((await callTool(listFilesTool, {}, context)).text.split('\n')).toEqual([
      'lib/: a.js, b.js',
      'lib/util/c.js',
      'package.json',
      'test/d.js',
    ])
  })

  test('a list that does not fit is shown in pages', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`a-long-file-name-${index}.ts`, '']),
    )
    const context = toolContext(await tempProject(many), { pageTokens: 100 })

    const { text } = await callTool(listFilesTool, {}, context)
    const [, next] = /\n\[lines 1-\d+ of 50; go on with from=(\d+)\]$/.exec(text) ?? []
    const second = await callTool(listFilesTool, { from: Number(next) }, context)

    expect(context.countTokens(text)).toBeLessThanOrEqual(100)
    expect(second.text).toMatch(/^a-long-file-name-\d+\.ts\n/)
    expect(text).not.toContain(second.text.split('\n', 1)[0])
  })

  test('an empty folder, a file, nothing and the outside are distinguished', async () => {
    const root = await tempProject({ 'a.txt': '' })
    const context = toolContext(root)
    await symlink('/tmp', join(root, 'out'))

    expect((await callTool(listFilesTool, {}, toolContext(await tempProject()))).text).toBe('. is empty.')
    await expect(callTool(listFilesTool, { path: 'a.txt' }, context)).rejects.toThrow(
      'a.txt is a file; use read_file.',
    )
    await expect(callTool(listFilesTool, { path: 'gone' }, context)).rejects.toMatchObject({
      details: { failure: 'missing-path' },
    })
    await expect(callTool(listFilesTool, { path: 'out' }, context)).rejects.toMatchObject({
      code: 'permission-denied',
    })
    await expect(callTool(listFilesTool, { path: '..' }, context)).rejects.toMatchObject({
      code: 'permission-denied',
    })
  })
})

describe('find_files', () => {
  test.each([
    ['*.ts', 'a.ts\nsrc/b.ts\nsrc/deep/c.ts\nsrc/deep/changelog.ts'],
    ['src/*.ts', 'src/b.ts'],
    ['**/c.ts', 'src/deep/c.ts'],
    ['./a.ts', 'a.ts'],
    ['src/**/*.{ts,md}', 'src/b.ts\nsrc/deep/c.ts\nsrc/deep/changelog.ts\nsrc/deep/notes.md'],
    ['Notes', 'No files match Notes; nearest names:\nsrc/deep/notes.md'],
    ['*.zig', 'No files match *.zig. Try a part of the name, or list_files.'],
    ['**/*changelog*', 'CHANGELOG.md\nsrc/deep/changelog.ts'],
    ['**/*CHANGELOG*', 'CHANGELOG.md'],
    ['!a.ts', 'a.ts'],
    ['[', 'No files match [. Try a part of the name, or list_files.'],
  ])('%s', async (pattern, expected) => {
    const root = await tempProject({
      'a.ts': '',
      'CHANGELOG.md': '',
      'src/b.ts': '',
      'src/deep/c.ts': '',
      'src/deep/changelog.ts': '',
      'src/deep/notes.md': '',
    })

    const result = await callTool(findFilesTool, { pattern }, toolContext(root)).catch(
      (error: Error) => error.message,
    )

    expect(typeof result === 'string' ? result : result.text).toBe(expected)
  })
})

describe('search_text', () => {
  const project = {
    '.gitignore': 'dist\n',
    'src/a.ts': 'import { settle } from "./b"\nsettle(1)\n',
    'src/b.ts': 'export function settle(x: number) {\r\n  return x\r\n}\r\n',
    'test/b.test.ts': 'settle(2)\n',
    'dist/b.js': 'settle(3)\n',
    'server.key': 'settle(secret)\n',
    'README.md': 'How to settle (1 of 2) costs $5.\n',
  }

  test('definitions come first, then code, tests and prose; ignored and secret files never', async () => {
    const root = await tempProject(project)

    expect(await callTool(searchTextTool, { pattern: 'settle' }, toolContext(root))).toEqual({
      ok: true,
      text: [
        'src/b.ts:1: export function settle(x: number) {',
        'src/a.ts:1: import { settle } from "./b"',
        'src/a.ts:2: settle(1)',
        'test/b.test.ts:1: settle(2)',
        'README.md:1: How to settle (1 of 2) costs $5.',
      ].join('\n'),
    })
  })

  test.each([
    ['settle\\(\\d', 'test', 'test/b.test.ts:1: settle(2)'],
    [
      'settle(2',
      undefined,
      '(not a valid regex: searched for it as plain text)\ntest/b.test.ts:1: settle(2)',
    ],
    [
      'how to SETTLE',
      undefined,
      '(upper and lower case ignored)\nREADME.md:1: How to settle (1 of 2) costs $5.',
    ],
    ['return x', 'src/b.ts', 'src/b.ts:2:   return x'],
    ['-x', 'src', 'No matches in COUNT files of src.'],
    ['nowhere to be found', undefined, 'No matches in COUNT files. Try a shorter or different word.'],
    ['(?<=return )x', undefined, 'src/b.ts:2:   return x'],
  ])('%s in %s', async (pattern, path, expected) => {
    const root = await tempProject(project)

    const result = await callTool(searchTextTool, { pattern, ...(path && { path }) }, toolContext(root))

    expect({ ...result, text: result.text.replace(/in \d+ file/, 'in COUNT file') }).toEqual({
      ok: true,
      text: expected,
    })
  })

  test('many matches are cut to a page that says what is missing', async () => {
    const context = toolContext(await tempProject({ 'a.txt': numbers(500), 'b.txt': numbers(500) }), {
      pageTokens: 200,
    })

    const { text } = await callTool(searchTextTool, { pattern: 'line' }, context)

    expect(text).toMatch(/\[\d+ more matches in 2 files; use a narrower pattern or a path\]$/)
    expect(context.countTokens(text)).toBeLessThanOrEqual(200)
  })

  test('an endless line is shown by its beginning', async () => {
    const root = await tempProject({ 'a.js': `${'x'.repeat(100_000)}needle` })

    const { text } = await callTool(searchTextTool, { pattern: 'x+needle' }, toolContext(root))

    expect(text.length).toBeLessThan(400)
  })

  test('a missing place and an empty pattern are failures', async () => {
    const context = toolContext(await tempProject(project))

    await expect(callTool(searchTextTool, { pattern: 'a', path: 'gone' }, context)).rejects.toMatchObject({
      details: { failure: 'missing-path' },
    })
    await expect(callTool(searchTextTool, { pattern: '' }, context)).rejects.toMatchObject({
      details: { failure: 'bad-arguments' },
    })
    await expect(callTool(searchTextTool, { pattern: 'a', path: '../..' }, context)).rejects.toMatchObject({
      code: 'permission-denied',
    })
  })
})
