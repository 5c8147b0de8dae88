/** make_folder, copy_file, move_file and delete_file on real folders: what they do, and what they leave alone. */
import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { copyFileTool } from '../../src/tools/copy-file.ts'
import { deleteFileTool } from '../../src/tools/delete-file.ts'
import { makeFolderTool } from '../../src/tools/make-folder.ts'
import { moveFileTool } from '../../src/tools/move-file.ts'
import { tempProject, toolContext } from '../support/project.ts'

const isThere = (root: string, path: string): Promise<boolean> =>
  access(join(root, path)).then(
    () => true,
    () => false,
  )

test('a folder is made with the folders above it', async () => {
  const root = await tempProject()

  const result = await makeFolderTool.run({ path: 'a/b/' }, toolContext(root))

  expect(result).toEqual({ ok: true, text: 'Made the folder a/b/.', changed: ['a/b'] })
  expect(await isThere(root, 'a/b')).toBe(true)
})

test('a file is copied byte for byte, a folder with all that is in it', async () => {
  const bytes = Uint8Array.from([0, 255, 10, 13])
  const root = await tempProject({ 'a.bin': bytes, 'docs/x/y.md': 'text' })
  const context = toolContext(root)

  const file = await copyFileTool.run({ from: 'a.bin', to: 'new/b.bin' }, context)
  const folder = await copyFileTool.run({ from: 'docs/', to: 'copy' }, context)

  expect(file).toEqual({ ok: true, text: 'Copied a.bin to new/b.bin.', changed: ['a.bin', 'new/b.bin'] })
  expect(folder.text).toBe('Copied docs to copy.')
  expect(new Uint8Array(await readFile(join(root, 'new/b.bin')))).toEqual(bytes)
  expect(await readFile(join(root, 'copy/x/y.md'), 'utf8')).toBe('text')
})

test('a move leaves nothing behind, a deletion nothing at all', async () => {
  const root = await tempProject({ 'a.txt': 'a', 'old/b.txt': 'b' })
  const context = toolContext(root)

  const moved = await moveFileTool.run({ from: 'a.txt', to: 'kept/c.txt' }, context)
  const deleted = await deleteFileTool.run({ path: 'old' }, context)

  expect(moved).toEqual({ ok: true, text: 'Moved a.txt to kept/c.txt.', changed: ['a.txt', 'kept/c.txt'] })
  expect(deleted).toEqual({ ok: true, text: 'Deleted old.', changed: ['old'] })
  expect(await Promise.all(['a.txt', 'kept/c.txt', 'old'].map((path) => isThere(root, path)))).toEqual([
    false,
    true,
    false,
  ])
})

test('what exists is not replaced', async () => {
  const root = await tempProject({ 'a.txt': 'a', 'b.txt': 'b' })
  const context = toolContext(root)
  const text = 'b.txt exists and is not replaced; delete it first or choose another name.'

  expect(await copyFileTool.run({ from: 'a.txt', to: 'b.txt' }, context)).toEqual({
    ok: false,
    code: 'failed',
    text,
  })
  expect(await moveFileTool.check?.({ from: 'a.txt', to: 'b.txt' }, context)).toEqual({
    ok: false,
    why: text,
  })
  expect(await readFile(join(root, 'b.txt'), 'utf8')).toBe('b')
})

test('folders with hidden files, the project itself and what is not there are left alone', async () => {
  const root = await tempProject({ 'a.txt': 'a' })
  await mkdir(join(root, 'app/inner'), { recursive: true })
  await writeFile(join(root, 'app/inner/.env'), 'KEY=1')
  const context = toolContext(root)

  const results = await Promise.all(['app', '.', 'none'].map((path) => deleteFileTool.run({ path }, context)))

  expect(results.map(({ ok }) => ok)).toEqual([false, false, false])
  expect(results[2]?.text).toBe('none does not exist; list_files shows what is there.')
  expect(await isThere(root, 'app/inner/.env')).toBe(true)
})

test('a folder does not go into itself, and nothing leaves the project', async () => {
  const root = await tempProject({ 'a/b.txt': 'b' })
  const context = toolContext(root)

  const inside = await moveFileTool.run({ from: 'a', to: 'a/c' }, context)

  expect(inside.text).toBe('a/c lies inside a; choose a folder outside it.')
  await expect(copyFileTool.run({ from: 'a', to: '../outside' }, context)).rejects.toThrow('../outside')
  await expect(makeFolderTool.run({ path: '/etc/covey-test' }, context)).rejects.toThrow('/etc/covey-test')
})

test('both ends of a move count as written, only the new one of a copy', () => {
  expect(moveFileTool.access({ from: 'a', to: 'b' })).toEqual([
    { kind: 'write', target: 'a' },
    { kind: 'write', target: 'b' },
  ])
  expect(copyFileTool.access({ from: 'a', to: 'b' })).toEqual([
    { kind: 'read', target: 'a' },
    { kind: 'write', target: 'b' },
  ])
})
