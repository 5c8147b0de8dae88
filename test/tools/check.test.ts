import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CheckResult, Tool } from '../../src/protocol/tool.ts'
import { builtinTools } from '../../src/tools/all.ts'
import { tempProject, toolContext } from '../support/project.ts'

const files = { 'a.ts': 'const a = 1\nconst b = 1\n', 'notes/b.txt': 'one\ntwo\n' }

async function check(name: string, input: unknown): Promise<CheckResult> {
  const root = await tempProject(files)
  const tools: readonly Tool[] = builtinTools({ list: () => tools })
  const tool = tools.find((one) => one.name === name)!
  const before = await snapshot(root)
  const { files: reading, signal } = toolContext(root)

  const result = await tool.check!(tool.input.parse(input), { files: reading, signal }).catch(
    (error: Error) => ({
      ok: false as const,
      why: error.message,
    }),
  )

  expect(await snapshot(root)).toEqual(before)
  return result
}

async function snapshot(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(paths.toSorted().map(async (path) => [path, await readFile(path, 'utf8')])),
  )
}

const PATCH = '--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n-const a = 1\n+const a = 2\n const b = 1\n'

describe('a call that would work says what it would leave behind', () => {
  test.each<[string, object, unknown]>([
    [
      'edit_file',
      { path: 'a.ts', old: 'a = 1', new: 'a = 2' },
      [{ path: 'a.ts', before: files['a.ts'], after: 'const a = 2\nconst b = 1\n' }],
    ],
    ['write_file', { path: 'new.ts', content: 'x' }, [{ path: 'new.ts', before: undefined, after: 'x' }]],
    [
      'write_file',
      { path: 'a.ts', content: 'const c = 1\n', append: true },
      [{ path: 'a.ts', before: files['a.ts'], after: `${files['a.ts']}const c = 1\n` }],
    ],
    ['write_file', { path: 'a.ts', content: files['a.ts'] }, []],
    [
      'apply_patch',
      { patch: PATCH },
      [{ path: 'a.ts', before: files['a.ts'], after: 'const a = 2\nconst b = 1\n' }],
    ],
    ['run_command', { command: 'npm test && echo "$(date)"' }, undefined],
    ['read_file', { path: 'a.ts', from: 2 }, undefined],
    ['list_files', { path: 'notes/' }, undefined],
    ['search_text', { pattern: 'one', path: 'notes' }, undefined],
  ])('%s %j', async (name, input, changes) => {
    expect(await check(name, input)).toEqual({ ok: true, ...(changes !== undefined && { changes }) })
  })
})

describe('a call that would fail says why', () => {
  test.each<[string, object, RegExp]>([
    ['edit_file', { path: 'a.ts', old: 'nowhere', new: 'x' }, /is not in a\.ts/],
    ['edit_file', { path: 'a.ts', old: ' = 1', new: ' = 2' }, /fits in 2 places of a\.ts/],
    ['edit_file', { path: 'a.ts', old: ' ', new: 'x' }, /old is empty/],
    ['edit_file', { path: 'c.ts', old: 'x', new: 'y' }, /c\.ts/],
    ['edit_file', { path: 'a.ts', old: 'a = 1', new: 'a = (1' }, /Syntax problem in a\.ts/],
    ['write_file', { path: 'a.ts', content: 'x' }, /a\.ts exists/],
    ['write_file', { path: 'c.json', content: '{' }, /Syntax problem in c\.json/],
    ['apply_patch', { patch: 'nonsense' }, /cannot be read/],
    ['apply_patch', { patch: PATCH.replace('-const a', '-const z') }, /does not fit a\.ts/],
    ['run_command', { command: ' ' }, /command is empty/],
    ['run_command', { command: 'if true; then echo' }, /bash cannot read/],
    ['read_file', { path: 'c.ts' }, /c\.ts/],
    ['read_file', { path: 'a.ts', from: 9 }, /2 lines/],
    ['list_files', { path: 'a.ts' }, /a\.ts/],
    ['search_text', { pattern: 'x', path: 'nowhere' }, /nowhere does not exist/],
    ['search_text', { pattern: '' }, /pattern is empty/],
  ])('%s %j', async (name, input, why) => {
    expect(await check(name, input)).toMatchObject({ ok: false, why: expect.stringMatching(why) })
  })
})
