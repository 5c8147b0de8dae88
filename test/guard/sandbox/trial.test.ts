import { readdir, readFile, symlink, unlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { detectSandbox } from '../../../src/guard/sandbox/detect.ts'
import { createTrial } from '../../../src/guard/sandbox/trial.ts'
import { tempProject } from '../../support/project.ts'

const root = await tempProject({ 'a.txt': 'before\n', 'folder/b.txt': 'b\n', 'c.txt': 'c\n' })
const sandbox = await detectSandbox({ roots: [root] })
const tryChanges = 'missing' in sandbox ? undefined : await createTrial({ root, env: process.env, sandbox })
afterAll(async () => ('missing' in sandbox ? undefined : sandbox.close()))

const options = { timeoutMs: 20_000, signal: new AbortController().signal }

describe.skipIf(!tryChanges)('changes that are not made (needs bubblewrap and overlays)', () => {
  test('a command sees the workspace as it would be, and nothing of it stays', async () => {
    const changes = [
      { path: 'a.txt', before: 'before\n', after: 'after\n' },
      { path: 'folder/new.txt', before: undefined, after: 'new\n' },
      { path: 'c.txt', before: 'c\n', after: undefined },
    ]

    const result = await tryChanges?.(changes, 'cat a.txt folder/*; ls *.txt; echo made > made.txt', options)

    expect(result).toMatchObject({ exitCode: 0, output: 'after\nb\nnew\na.txt\n' })
    expect(await readFile(`${root}/a.txt`, 'utf8')).toBe('before\n')
    expect((await readdir(root)).toSorted()).toEqual(['a.txt', 'c.txt', 'folder'])
    expect(await readdir(`${root}/folder`)).toEqual(['b.txt'])
  })

  test('a path that leads out of the workspace is not laid', async () => {
    const changes = [{ path: '../outside.txt', before: undefined, after: 'x' }]

    const result = await tryChanges?.(changes, 'cat ../outside.txt', options)

    expect(result?.exitCode).not.toBe(0)
  })

  test('a path that leads out of the workspace, also through a link, is not removed', async () => {
    const outside = await tempProject({ 'kept.txt': 'kept\n', 'linked.txt': 'kept\n' })
    const link = join(root, 'link')
    await symlink(outside, link)
    onTestFinished(() => unlink(link))
    const changes = [join(relative(root, outside), 'kept.txt'), 'link/linked.txt'].map((path) => ({
      path,
      before: 'kept\n',
      after: undefined,
    }))

    await tryChanges?.(changes, 'true', options)

    expect((await readdir(outside)).toSorted()).toEqual(['kept.txt', 'linked.txt'])
  })

  test('the network stays out of reach', async () => {
    const result = await tryChanges?.([], 'cat /proc/net/dev | grep -v lo: | wc -l', options)

    expect(result?.output.trim()).toBe('2')
  })
})
