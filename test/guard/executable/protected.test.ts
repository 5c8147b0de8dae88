/** Tools that write files: every name of the table that runs unprompted is asked for, and so is what leads there. */
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openWatch } from '../../../src/guard/executable/open-watch.ts'
import { EXECUTABLES } from '../../../src/guard/executable/table.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import type { PermissionMode } from '../../../src/protocol/permission-modes.ts'
import { createPermissions } from '../../../src/guard/permission/decide.ts'
import { protectionOf } from '../../../src/guard/paths/protected-names.ts'
import { tempProject } from '../../support/project.ts'
import { git, repository } from './watching.ts'

const unprompted = EXECUTABLES.filter((entry) => entry.runs === 'unprompted' && !entry.inRepository)

/** A path that fits a pattern of the table. */
const example = (pattern: string): string => pattern.replace('/**', '/x').replaceAll('*', 'x')

type Kind = 'read' | 'write'

async function opened(root: string, mode: PermissionMode = 'auto') {
  const watch = openWatch({ root, home: '/nowhere', env: process.env })
  const parts = { mode, roots: [root], sandboxed: true, obeys: watch.obeys }
  const permissions = createPermissions(parts)
  const verdictOf = async (target: string, kind: Kind = 'write') =>
    (
      await permissions.authorize({
        call: { id: '1', name: 'write_file', input: '{}' },
        category: 'write',
        access: [{ kind, target }],
      })
    ).verdict
  const verdicts = (targets: readonly string[], kind?: Kind) =>
    Promise.all(targets.map((target) => verdictOf(target, kind)))
  return { verdicts, files: createFiles({ root, obeys: watch.obeys }) }
}

test('every path of the table that runs unprompted is protected, wherever it lies', () => {
  const paths = unprompted.flatMap((entry) => entry.paths.map(example))

  const open = paths
    .flatMap((path) => [path, `packages/app/${path}`, `node_modules/x/${path}`, path.toUpperCase()])
    .filter((path) => protectionOf(path) === undefined)

  expect(paths.length).toBeGreaterThan(150)
  expect(open).toEqual([])
})

describe('a tool that writes', () => {
  const NAMES = [
    '.githooks/pre-commit',
    'lefthook.yml',
    '.nvim.lua',
    'a/.devcontainer/x',
    '.cargo/config.toml',
  ]

  test.each(['auto', 'accept-edits', 'ask'] as const)('is asked about such a name in %s', async (mode) => {
    const { verdicts } = await opened(await tempProject(), mode)

    expect(await verdicts(NAMES)).toEqual(NAMES.map(() => 'ask'))
    expect(await verdicts(NAMES, 'read')).toEqual(NAMES.map(() => 'allow'))
  })

  test('is refused by the files themselves without a yes', async () => {
    const { files } = await opened(await tempProject())

    await expect(files.write('mise.toml', 'x')).rejects.toThrow('it decides what runs later')
    await expect(files.write('src/a.ts', 'x')).resolves.toBeUndefined()
  })

  test('needs no yes in bypass', async () => {
    const { verdicts } = await opened(await tempProject(), 'bypass')

    expect(await verdicts(NAMES)).toEqual(NAMES.map(() => 'allow'))
  })

  test('is asked about a file that an obeyed link or a setting of git leads to', async () => {
    const root = await repository({ 'env.sh': 'x\n', 'h/pre-commit': 'x\n', 'c/config.toml': '\n' })
    await symlink('env.sh', join(root, '.autoenv'))
    await symlink('h', join(root, '.githooks'))
    await symlink('c', join(root, '.cargo'))
    await git(root, 'config', 'core.hooksPath', 'tools/hooks')
    await git(root, 'config', 'filter.x.clean', 'tools/clean.sh %f')
    const { verdicts } = await opened(root)

    const led = ['env.sh', 'h/pre-commit', 'h/new', 'c/config.toml', 'tools/hooks/pre-push', 'tools/clean.sh']
    expect(await verdicts(led)).toEqual(led.map(() => 'ask'))
    expect(await verdicts(['tools/other.sh', 'a.txt'])).toEqual(['allow', 'allow'])
  })

  test('is asked about what makes or changes a repository of another name', async () => {
    const root = await tempProject({ 'src/hooks/use.ts': '' })
    await mkdir(join(root, 'data'))
    await writeFile(join(root, 'data', 'HEAD'), 'ref: refs/heads/main\n')
    const { verdicts } = await opened(root)

    expect(
      await verdicts(['new/HEAD', 'data/config', 'data/hooks/pre-commit', 'data/info/attributes']),
    ).toEqual(['ask', 'ask', 'ask', 'ask'])
    expect(await verdicts(['src/hooks/use.ts', 'src/config', 'config'])).toEqual(['allow', 'allow', 'allow'])
  })
})
