import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { containPath } from '../../../src/guard/paths/contain.ts'
import { protectionOf } from '../../../src/guard/paths/protected-names.ts'
import { tempProject } from '../../support/project.ts'

type Attack = { id: string; root: string; op: string; path: string; setup: string; expect: string }

const attacks = readFileSync(new URL('../fixtures/paths.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Attack)

/** Archives are not unpacked by any tool, and `#` names a part of a file, not a path. */
const judged = attacks.filter(({ op, path }) => op !== 'extract' && !path.includes('#'))

describe('a corpus of paths that lead out, or not', () => {
  test.each(judged.map((attack) => [attack.id, attack] as const))('%s', async (_, attack) => {
    const base = await tempProject({ 'w/outside/secret': 'x', 'w/proj/kept': 'x' })
    const local = (text: string): string => text.replaceAll('/w/', `${base}/w/`)
    const cwd = local(attack.root)
    if (attack.setup && !attack.setup.includes('socket')) {
      execFileSync('bash', ['-c', local(attack.setup)], { cwd, stdio: 'ignore' })
    }
    const path = local(attack.path)
    const operation = attack.op === 'read' ? 'read' : 'write'

    const { ok } = await containPath(path.startsWith('/') ? path : `${cwd}/${path}`, {
      roots: [cwd],
      operation,
    })

    if (attack.expect === 'inside') expect(ok).toBe(true)
    else if (!/literal|error/.test(attack.expect)) expect(ok).toBe(false)
  })
})

test('the real target of a path is reported, also when it does not exist yet', async () => {
  const root = await tempProject({ 'real/kept': '' })
  await symlink('real', join(root, 'link'))

  expect(await containPath(join(root, 'link/new/file.txt'), { roots: [root], operation: 'write' })).toEqual({
    ok: true,
    real: join(root, 'real/new/file.txt'),
  })
})

test('a relative path is taken from the first root', async () => {
  const root = await tempProject({ a: '' })

  expect(await containPath('a', { roots: [root], operation: 'read' })).toEqual({
    ok: true,
    real: join(root, 'a'),
  })
})

test('a root that is itself a link holds what lies behind it', async () => {
  const base = await tempProject({ 'real/a': '' })
  await symlink('real', join(base, 'alias'))
  const options = { roots: [join(base, 'alias')], operation: 'read' } as const

  expect((await containPath(join(base, 'alias/a'), options)).ok).toBe(true)
  expect((await containPath(join(base, 'real/a'), options)).ok).toBe(true)
})

test('a link to a protected file is protected, and so is a protected name that is a link', async () => {
  const root = await tempProject({ '.env': 'KEY=1', 'notes.txt': '' })
  await symlink('.env', join(root, 'harmless.txt'))
  await symlink('notes.txt', join(root, 'id_rsa'))

  expect(await containPath('harmless.txt', { roots: [root], operation: 'read' })).toMatchObject({
    ok: false,
    protected: 'secret',
  })
  expect((await containPath('id_rsa', { roots: [root], operation: 'read' })).ok).toBe(false)
})

test('a project inside a folder with a protected name is a project like any other', async () => {
  const base = await tempProject()
  const root = join(base, '.covey/worktrees/one')
  await mkdir(root, { recursive: true })
  await writeFile(join(root, 'a.txt'), '')

  expect((await containPath(join(root, 'a.txt'), { roots: [root], operation: 'write' })).ok).toBe(true)
})

test('governance files may be read but not written', async () => {
  const root = await tempProject({ '.git/config': '' })

  expect(await containPath('.git/config', { roots: [root], operation: 'read' })).toMatchObject({
    ok: true,
    protected: 'governance',
  })
  expect(await containPath('.git/config', { roots: [root], operation: 'write' })).toMatchObject({
    ok: false,
    protected: 'governance',
  })
})

test('a circle of links, a NUL and an endless name are refusals, not crashes', async () => {
  const root = await tempProject()
  await symlink('loop', join(root, 'loop'))

  for (const path of ['loop', 'a\0b', `${'x'.repeat(5000)}`]) {
    expect((await containPath(path, { roots: [root], operation: 'read' })).ok).toBe(false)
  }
})

describe('names', () => {
  test.each([
    '.env',
    '.env.local',
    'config/.env.production',
    '.envrc',
    '.ENV',
    'server.key',
    'certs/tls.pem',
    '.ssh/config',
    'id_ed25519',
    '.aws/credentials',
    '.docker/config.json',
    '.config/gh/hosts.yml',
    'service-account.json',
    'gcp-service-account-prod.json',
    'credentials.json',
    'config/secrets.yaml',
    '.npmrc',
    '.netrc',
  ])('%s is a secret', (path) => {
    expect(protectionOf(path)).toBe('secret')
  })

  test.each([
    '.git/hooks/pre-commit',
    '.GIT/config',
    '.git./config',
    '.git /config',
    '.gi\u200Ct/config',
    '.git::$INDEX_ALLOCATION/config',
    'GIT~1/config',
    'sub/module/.git/config',
    '.bashrc',
    '.vscode/tasks.json',
    '.idea/workspace.xml',
    '.claude/settings.json',
    '.covey/config.toml',
    'AGENTS.md',
    'CLAUDE.md',
    '.mcp.json',
    '.github/workflows/ci.yml',
    '.husky/pre-push',
    '.gitattributes',
    '.githooks/pre-commit',
    'LEFTHOOK.yml. ',
  ])('%s is governance', (path) => {
    expect(protectionOf(path)).toBe('governance')
  })

  test.each([
    '.env.example',
    '.env.local.sample',
    '.env.template',
    'src/env.ts',
    'src/environment.ts',
    'id_rsa.pub',
    'src/credentials.ts',
    'docs/secrets.md',
    'keyboard.ts',
    '.gitignore',
    '.github/ISSUE_TEMPLATE.md',
    'docker/config.json',
    'src/agents.ts',
    'package.json',
    'token.ts',
    'a..',
    '..a',
  ])('%s is neither', (path) => {
    expect(protectionOf(path)).toBeUndefined()
  })
})
