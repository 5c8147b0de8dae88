import { execFileSync } from 'node:child_process'
import { chmod, mkdir, rename, rm, symlink, unlink, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createTree, type Tree, type TreeOptions } from '../../../src/guard/sandbox/tree.ts'
import { tempProject } from '../../support/project.ts'

const treeOf = (root: string, options: Partial<TreeOptions> = {}): Tree => createTree({ root, ...options })

async function found(tree: Tree, root: string): Promise<readonly string[]> {
  const { entries } = await tree.refresh()
  return entries.map(({ path, kind }) => `${kind} ${path.slice(root.length + 1)}`).toSorted()
}

describe('the tree reports', () => {
  test('secrets at any depth, also in dependency folders', async () => {
    const deep = 'a/b/c/d/e/f/g/h/i/j/.env'
    const root = await tempProject({
      '.env': '',
      'vendor/lib/.env.local': '',
      'target/debug/id_ed25519': '',
      'node_modules/x/.npmrc': '',
      '.cache/deep/credentials': '',
      [deep]: '',
      '.env.example': '',
      'src/main.ts': '',
    })

    expect(await found(treeOf(root), root)).toEqual(
      [
        'file .cache/deep/credentials',
        'file .env',
        `file ${deep}`,
        'file node_modules/x/.npmrc',
        'file target/debug/id_ed25519',
        'file vendor/lib/.env.local',
      ].toSorted(),
    )
  })

  test('a secret folder as one entry, and nothing below it', async () => {
    const root = await tempProject({ 'keys/.ssh/id_rsa': '', 'keys/.ssh/deep/x.key': '' })

    expect(await found(treeOf(root), root)).toEqual(['folder keys/.ssh'])
  })

  test('governance names, but not those of dependencies', async () => {
    const root = await tempProject({
      'AGENTS.md': '',
      'packages/a/.vscode/tasks.json': '',
      '.github/workflows/ci.yml': '',
      'node_modules/x/AGENTS.md': '',
      'node_modules/x/.vscode/tasks.json': '',
    })

    expect(await found(treeOf(root), root)).toEqual([
      'file AGENTS.md',
      'folder .github/workflows',
      'folder packages/a/.vscode',
    ])
  })

  test('what the caller finds interesting', async () => {
    const root = await tempProject({ 'package.json': '', 'src/a.ts': '', '.vscode/tasks.json': '' })
    const seen: string[] = []
    const interesting = (name: string, path: string): boolean => {
      seen.push(path)
      return name === 'package.json' || path === '.vscode/tasks.json'
    }

    expect(await found(treeOf(root, { interesting }), root)).toEqual([
      'file .vscode/tasks.json',
      'file package.json',
      'folder .vscode',
    ])
    expect(seen.toSorted()).toEqual(['.vscode', '.vscode/tasks.json', 'package.json', 'src', 'src/a.ts'])
  })

  test('paths that are denied, and looks no further', async () => {
    const root = await tempProject({ 'private/deep/.env': '', 'private/a': '', 'src/b.txt': '', 'src/a': '' })
    const denies = (path: string): boolean => path === 'private' || path === 'src/b.txt'

    const state = await treeOf(root, { denies }).refresh()

    expect(state.denied.toSorted()).toEqual([join(root, 'private'), join(root, 'src/b.txt')])
    expect(state.entries.map(({ path }) => path).toSorted()).toEqual(state.denied.toSorted())
  })

  test('links without following them, and sockets', async () => {
    const outside = await tempProject({ '.env': '' })
    const root = await tempProject({ 'a.txt': '' })
    await symlink(outside, join(root, '.zed'))
    await symlink('nowhere', join(root, 'dangling'))
    const server = createServer().listen(join(root, 'door'))
    onTestFinished(() => void server.close())

    expect(await found(treeOf(root), root)).toEqual(['link .zed', 'link dangling', 'socket door'])
  })

  test('repositories: plain, bare, of submodules and of worktrees', async () => {
    const root = await tempProject({
      'sub/.git': 'gitdir: ../.git/modules/sub\n',
      'node_modules/x/.git/HEAD': '',
    })
    execFileSync('git', ['init', '-q', root])
    execFileSync('git', ['init', '-q', '--bare', join(root, 'fixtures/bare')])
    execFileSync('git', ['init', '-q', '--bare', join(root, '.git/modules/deep/sub')])
    await mkdir(join(root, '.git/worktrees/w'), { recursive: true })
    await writeFile(join(root, '.git/worktrees/w/gitdir'), join(root, 'elsewhere/.git'))
    await writeFile(join(root, '.git/worktrees/w/commondir'), '../..\n')

    const { repositories, entries } = await treeOf(root).refresh()

    expect(repositories.map((path) => path.slice(root.length + 1)).toSorted()).toEqual([
      '.git',
      '.git/modules/deep/sub',
      '.git/worktrees/w',
      'fixtures/bare',
      'node_modules/x/.git',
    ])
    const names = entries.map(({ path }) => path.slice(root.length + 1))
    expect(names).toEqual(
      expect.arrayContaining([
        'sub/.git',
        '.git/config',
        '.git/hooks',
        '.git/info',
        '.git/modules/deep/sub/config',
        '.git/worktrees/w/commondir',
        'fixtures/bare/config',
      ]),
    )
  })
})

describe('a later look', () => {
  test('sees what was made, removed, renamed and written', async () => {
    const root = await tempProject({ 'a/.env': '1', 'b/c/.env': '1', 'src/x.ts': '' })
    const tree = treeOf(root)
    const first = await tree.refresh()

    await writeFile(join(root, 'a/.env'), 'longer')
    await rename(join(root, 'b/c'), join(root, 'b/d'))
    await writeFile(join(root, 'src/.env'), '')

    expect(await found(tree, root)).toEqual(['file a/.env', 'file b/d/.env', 'file src/.env'])
    const stamp = ({ entries }: typeof first) => entries.find(({ path }) => path.endsWith('a/.env'))?.stamp
    expect(stamp(await tree.refresh())).not.toBe(stamp(first))
    await unlink(join(root, 'src/.env'))
    await rm(join(root, 'b'), { recursive: true })
    expect(await found(tree, root)).toEqual(['file a/.env'])
  })

  test('sees a change whose folder was given its old time back', async () => {
    const root = await tempProject({ 'src/x.ts': '' })
    const old = new Date('2020-01-01')
    await utimes(join(root, 'src'), old, old)
    const tree = treeOf(root)
    await tree.refresh()

    await writeFile(join(root, 'src/.env'), '')
    await utimes(join(root, 'src'), old, old)

    expect(await found(tree, root)).toEqual(['file src/.env'])
  })

  test('sees every change of many that follow at once', async () => {
    const root = await tempProject({ 'src/x.ts': '' })
    const tree = treeOf(root)
    for (let round = 0; round < 50; round++) {
      await writeFile(join(root, `src/.env.${round}`), '')
      const { entries } = await tree.refresh()
      expect(entries.length).toBe(round + 1)
    }
  })

  test('sees a folder that became a link', async () => {
    const outside = await tempProject({ '.env': '' })
    const root = await tempProject({ 'a/.env': '' })
    const tree = treeOf(root)
    await tree.refresh()

    await rm(join(root, 'a'), { recursive: true })
    await symlink(outside, join(root, 'a'))

    expect(await found(tree, root)).toEqual(['link a'])
  })
})

describe('a walk that cannot finish', () => {
  test('says so, and goes on with the next one', async () => {
    const folders = Array.from({ length: 300 }, (_, index) => [`f${index}/x/y`, ''])
    const root = await tempProject({ ...Object.fromEntries(folders), '.env': '' })
    const tree = treeOf(root, { limitMs: 0 })

    expect((await tree.refresh()).complete).toBe(false)
    expect((await tree.refresh()).complete).toBe(true)
    expect(await found(tree, root)).toEqual(['file .env'])
  })

  test.skipIf(process.getuid?.() === 0)('names the folder that cannot be read (not as root)', async () => {
    const root = await tempProject({ 'closed/.env': '' })
    await chmod(join(root, 'closed'), 0)
    onTestFinished(() => chmod(join(root, 'closed'), 0o755))

    expect((await treeOf(root).refresh()).unread).toEqual([join(root, 'closed')])
  })

  test('names the folder that lies too deep', async () => {
    const root = await tempProject()
    const name = 'x'.repeat(200)
    onTestFinished(() => void execFileSync('rm', ['-rf', join(root, name)]))
    execFileSync('python3', [
      '-c',
      `import os\nos.chdir(${JSON.stringify(root)})\nfor i in range(25):\n os.mkdir("${name}"); os.chdir("${name}")\nopen(".env","w").close()`,
    ])

    const { unread } = await treeOf(root).refresh()

    expect(unread.length).toBe(1)
    expect(unread[0]?.length).toBeLessThan(4096)
  })
})
