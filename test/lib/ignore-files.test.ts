/** Ignore files that a search would wait for; the searches are real. */
import { execFileSync } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listProject } from '../../src/lib/list-project.ts'
import { findFilesTool } from '../../src/tools/find-files.ts'
import { searchTextTool } from '../../src/tools/search-text.ts'
import { tempProject, toolContext } from '../support/project.ts'
import { callTool } from '../tools/call.ts'

const project = () => tempProject({ 'a.txt': 'hello\n', 'sub/b.txt': 'hello\n' })
const pipe = (path: string): unknown => execFileSync('mkfifo', [path])

describe.skipIf(process.platform === 'win32')('an ignore file that never ends', () => {
  test.each([
    ['a link to a device', '.gitignore', (path: string) => symlink('/dev/zero', path)],
    ['a link into /proc', '.ignore', (path: string) => symlink('/proc/self/environ', path)],
    ['a pipe', '.rgignore', pipe],
  ])('%s is named, and nothing waits for it', async (_, name, make) => {
    const root = await project()
    await make(join(root, name))
    const context = toolContext(root)

    const why = `${name} is not an ordinary file of patterns`
    await expect(callTool(searchTextTool, { pattern: 'hello' }, context)).rejects.toThrow(why)
    await expect(callTool(findFilesTool, { pattern: '*.txt' }, context)).rejects.toThrow(why)
    expect(await listProject(context, context.signal)).toEqual({ paths: [], isPartial: true })
  })

  test('one further down is named once the search takes long', async () => {
    const root = await project()
    pipe(join(root, 'sub/.gitignore'))

    const search = callTool(searchTextTool, { pattern: 'hello' }, toolContext(root))

    await expect(search).rejects.toThrow('sub/.gitignore is not an ordinary file of patterns')
  })
})

test('a link to an ordinary file, and one to nothing, are no trouble', async () => {
  const root = await project()
  await writeFile(join(root, 'patterns'), 'sub\n')
  await symlink('patterns', join(root, '.gitignore'))
  await symlink('missing', join(root, '.ignore'))
  const context = toolContext(root)

  const { text } = await callTool(searchTextTool, { pattern: 'hello' }, context)

  expect(text).toContain('a.txt')
  expect(text).not.toContain('b.txt')
})
