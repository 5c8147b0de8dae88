/** Everyday programs in the real sandbox, in each kind of project they are used in. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempProject } from '../../support/project.ts'
import { missing, named, patient, sandboxed } from '../with-sandbox.ts'

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{"name":"a","version":"1.0.0","scripts":{"test":"node --test"}}',
  'sum.test.cjs': "require('node:test')('adds', () => require('node:assert').equal(1 + 1, 2))\n",
  'test_sum.py': 'def test_sum():\n    assert 1 + 1 == 2\n',
  'Cargo.toml': '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
  'src/lib.rs': '#[test]\nfn adds() {\n    assert_eq!(1 + 1, 2);\n}\n',
  'a.ts': 'export const two: string = 2\n',
  '.env': 'KEY=PRIVATE\n',
  '.gitignore': 'target\n__pycache__\n.pytest_cache\nCargo.lock\n',
}

const TSC = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc')

const shell = (cwd: string, script: string): void =>
  void execFileSync('sh', ['-ec', script], { cwd, env: { ...process.env, ...AUTHOR }, stdio: 'pipe' })

const AUTHOR = {
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.com',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'protocol.file.allow',
  GIT_CONFIG_VALUE_0: 'always',
}

async function home(): Promise<string> {
  const folder = await tempProject({ '.gitconfig': '[user]\n\tname = Ann\n\temail = ann@example.com\n' })
  await mkdir(join(folder, 'code'))
  for (const name of ['.rustup', '.cargo'].filter((each) => existsSync(join(homedir(), each))))
    await symlink(join(homedir(), name), join(folder, name))
  return folder
}

async function fill(folder: string): Promise<void> {
  await mkdir(join(folder, 'src'), { recursive: true })
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, name), text)
}

const COMMIT = 'git add -A; git commit -qm first'

const PROJECTS: Readonly<Record<string, (home: string) => Promise<string>>> = {
  async 'a fresh project'(home) {
    const cwd = join(home, 'code/fresh')
    await fill(cwd)
    shell(cwd, `git init -q -b main; ${COMMIT}`)
    return cwd
  },
  async 'a monorepo with a submodule'(home) {
    const [library, root] = [join(home, 'code/library'), join(home, 'code/mono')]
    await mkdir(library)
    shell(library, 'git init -q -b main; echo x > x.txt; git add -A; git commit -qm first')
    await fill(join(root, 'packages/a'))
    shell(root, `git init -q -b main; git submodule add -q ${library} packages/a/library; ${COMMIT}`)
    return join(root, 'packages/a')
  },
  async 'a linked worktree'(home) {
    const main = join(home, 'code/main')
    await fill(main)
    shell(main, `git init -q -b main; ${COMMIT}; git worktree add -q ../tree -b tree`)
    return join(home, 'code/tree')
  },
}

const GIT =
  'git status --short; echo more >> a.ts; git diff --stat; git add -A; git commit -qm second; git log -1 --format=%s; git status --short'

const WORK: readonly { readonly needs: string; readonly run: string; readonly expects: RegExp }[] = [
  {
    needs: 'git',
    run: GIT,
    expects: /^ (?:packages\/a\/)?a\.ts \| 1 \+\n 1 file changed, 1 insertion\(\+\)\nsecond\n$/,
  },
  { needs: 'node', run: 'node -p "6 * 7"', expects: /^42\n$/ },
  { needs: 'npm', run: 'npm test', expects: /pass 1\b/ },
  { needs: 'pytest', run: 'pytest -q', expects: /1 passed/ },
  { needs: 'cargo', run: 'cargo test --offline', expects: /test result: ok\. 1 passed/ },
  { needs: 'node', run: `node ${TSC} --noEmit --skipLibCheck a.ts`, expects: /^a\.ts\(1,14\): error TS2322/ },
]

const has = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `${program} --version`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe.skipIf(missing !== undefined).each(Object.entries(PROJECTS))(named('in %s'), (_, make) => {
  for (const { needs, run, expects } of WORK) {
    const isMissing = !has(needs)
    const title = `${run.replace(TSC, 'tsc')} works${isMissing ? ` (skipped: ${needs} is not installed)` : ''}`
    test.skipIf(isMissing)(title, async () => {
      const folder = await home()
      const cwd = await make(folder)
      const exec = await sandboxed(cwd, { home: folder })

      const { output } = await exec.shell(run, patient({ timeoutMs: 100_000 }))

      expect(output).toMatch(expects)
      expect(output).not.toContain('PRIVATE')
    })
  }
})
