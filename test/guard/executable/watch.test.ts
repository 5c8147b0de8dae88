/** What commands leave behind that would run later: put away, restored, listed or left alone. */
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { git, paths, repository, take, watched } from './watching.ts'

const read = (root: string, path: string): string => readFileSync(join(root, path), 'utf8')

test.each([
  ['a hook', 'echo x > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit', '.git/hooks/pre-commit'],
  [
    'a hook that is a link',
    'echo x > evil.sh; ln -s ../../evil.sh .git/hooks/post-checkout',
    '.git/hooks/post-checkout',
  ],
  [
    'a folder of hooks that is a link',
    'mkdir h; echo x > h/pre-commit; mv .git/hooks old; ln -s ../h .git/hooks',
    '.git/hooks',
  ],
  ['fsmonitor', 'git config core.fsmonitor ./evil.sh', '.git/config'],
  ['hooksPath', 'git config core.hooksPath tools', '.git/config'],
  ['an ssh command', 'git config core.sshCommand "sh -c evil"', '.git/config'],
  ['a filter', 'git config filter.x.clean evil', '.git/config'],
  ['a diff driver', 'git config diff.x.textconv evil', '.git/config'],
  ['a merge driver', 'git config merge.x.driver evil', '.git/config'],
  ['an alias', 'git config alias.st "!evil"', '.git/config'],
  ['an include', 'git config include.path ../evil.cfg', '.git/config'],
  ['a conditional include', 'git config includeIf.gitdir:/.path ../evil.cfg', '.git/config'],
  ['a credential helper', 'git config credential.helper "!evil"', '.git/config'],
  ['a pager', 'git config pager.log evil', '.git/config'],
  ['an upload-pack program', 'git config remote.o.uploadpack evil', '.git/config'],
  ['a remote helper', 'git config remote.o.url "ext::sh -c evil"', '.git/config'],
  ['a submodule command', 'git config submodule.x.update "!evil"', '.git/config'],
  ['a setting of a later version', 'git config hook.x.command evil', '.git/config'],
  [
    'the worktree configuration',
    'printf "[core]\\n fsmonitor=evil\\n" > .git/config.worktree',
    '.git/config.worktree',
  ],
  ['attributes of the repository', 'echo "* filter=x" > .git/info/attributes', '.git/info/attributes'],
  [
    'exec in a rebase',
    'mkdir .git/rebase-merge; echo "exec evil" > .git/rebase-merge/git-rebase-todo',
    '.git/rebase-merge/git-rebase-todo',
  ],
  ['commondir', 'mkdir x; echo ../x > .git/commondir', '.git/commondir'],
  ['husky', 'mkdir .husky; echo evil > .husky/pre-commit', '.husky/pre-commit'],
  ['lefthook', 'echo x > lefthook.yml', 'lefthook.yml'],
  [
    'direnv, deep down',
    'mkdir -p a/b/c/d/e/f/g/h/i/j; echo evil > a/b/c/d/e/f/g/h/i/j/.envrc',
    'a/b/c/d/e/f/g/h/i/j/.envrc',
  ],
  ['upper case', 'mkdir .VSCODE; echo {} > .VSCODE/Tasks.json', '.VSCODE/Tasks.json'],
  ['mise', 'echo x > mise.toml', 'mise.toml'],
  ['vim', 'echo x > .exrc', '.exrc'],
  ['npm', 'echo script-shell=evil > .npmrc', '.npmrc'],
  ['pnpm', 'echo x > .pnpmfile.cjs', '.pnpmfile.cjs'],
  ['yarn', 'mkdir -p .yarn/releases; echo x > .yarn/releases/yarn.cjs', '.yarn/releases/yarn.cjs'],
  ['cargo', 'mkdir .cargo; echo x > .cargo/config.toml', '.cargo/config.toml'],
  ['cargo behind a link', 'mkdir c; echo x > c/config.toml; ln -s c .cargo', '.cargo'],
  [
    'python start-up',
    'mkdir -p .venv/lib/site-packages; echo "import evil" > .venv/lib/site-packages/x.pth',
    '.venv/lib/site-packages/x.pth',
  ],
  ['an agent', 'mkdir .claude; echo {} > .claude/settings.json', '.claude/settings.json'],
  ['instructions', 'echo obey > AGENTS.md', 'AGENTS.md'],
  ['a pipe in the place of a file', 'mkfifo .envrc', '.envrc'],
  ['a git folder elsewhere', 'mkdir sub; echo "gitdir: ../evil" > sub/.git', 'sub/.git'],
  ['mercurial', 'mkdir .hg; echo x > .hg/hgrc', '.hg/hgrc'],
])('%s is withheld', async (_, command, path) => {
  const root = await repository()
  const { sh } = await watched(root)

  const changes = await sh(command)

  expect(paths(changes)).toEqual([path])
  expect(changes.withheld[0]?.problem).toBeUndefined()
  expect(await git(root, 'config', '--list', '--local')).not.toContain('evil')
  const isConfig = path.startsWith('.git/config')
  expect(isConfig || !existsSync(join(root, path))).toBe(true)
  expect(paths(await sh('true'))).toEqual([])
})

test.each([
  'git config user.name x; git config user.email x@example.com',
  'git remote add origin https://example.com/x.git; git config branch.main.remote origin',
  'git init -q fresh; git -C fresh commit -q --allow-empty -m x',
  'git init -q --bare bare.git',
  'git clone -q --local . copy',
  'git worktree add -q wt',
  'git add -A; git commit -q --allow-empty -m x; git switch -q -c other; git status; git stash; git tag v1',
  'echo "*.png filter=lfs diff=lfs merge=lfs -text" > .gitattributes',
  'echo "*.c diff=cpp" > .gitattributes',
  'echo "node 20" > .tool-versions',
  'mkdir -p node_modules/x/.vscode; echo {} > node_modules/x/.vscode/settings.json',
  'echo hello > a.txt; mkdir src; echo x > src/config; echo x > HEAD; ln -s a.txt link; ln -s src tools',
  'mkdir -p .venv/lib/site-packages; echo ../src > .venv/lib/site-packages/x.pth',
])('%s needs no question', async (command) => {
  const root = await repository()
  const { sh } = await watched(root)

  const changes = await sh(command)

  expect(changes).toMatchObject({ withheld: [], exitCode: 0 })
})

test('fsmonitor of an embedded repository never runs', async () => {
  const root = await repository()
  const { sh } = await watched(root)
  await sh('git init -q lib; git -C lib commit -q --allow-empty -m x')

  const changes = await sh('git -C lib config core.fsmonitor "touch ../ran; false"; git add lib 2>/dev/null')

  expect(paths(changes)).toEqual(['lib/.git/config'])
  await git(root, 'status')
  expect(await git(join(root, 'lib'), 'config', 'core.hooksPath')).toBe('')
})

test('a repository that a command made is configured to run nothing', async () => {
  const root = await repository()
  const { sh } = await watched(root)

  await sh('git init -q fresh; git init -q --bare bare.git')

  for (const folder of ['fresh', 'bare.git']) {
    expect(await git(join(root, folder), 'config', 'core.fsmonitor')).toBe('false')
    expect(await git(join(root, folder), 'config', '--get', 'core.hooksPath')).toBe('')
  }
})

test('what was there before is put back, and the new content is kept outside', async () => {
  const root = await repository({ '.husky/pre-commit': 'old\n' })
  const { sh } = await watched(root)

  const { withheld } = await sh('echo new > .husky/pre-commit')

  expect(read(root, '.husky/pre-commit')).toBe('old\n')
  expect(withheld).toEqual([
    expect.objectContaining({ path: '.husky/pre-commit', isNew: false, shown: 'new\n' }),
  ])
  expect(readFileSync(withheld[0]?.keptAt ?? '', 'utf8')).toBe('new\n')

  await withheld[0]?.keep?.()

  expect(read(root, '.husky/pre-commit')).toBe('new\n')
  expect(paths(await sh('true'))).toEqual([])
})

test('content of a commit that is older than the session needs no question, a forged one does', async () => {
  const root = await repository()
  await git(root, 'switch', '-q', '-c', 'other')
  await mkdir(join(root, '.husky'))
  await writeFile(join(root, '.husky', 'pre-commit'), 'theirs\n')
  await git(root, 'add', '-A')
  await git(root, 'commit', '-q', '-m', 'second')
  await git(root, 'switch', '-q', 'main')
  const { sh } = await watched(root)

  expect(paths(await sh('git switch -q other'))).toEqual([])
  expect(read(root, '.husky/pre-commit')).toBe('theirs\n')

  const date = 'GIT_AUTHOR_DATE=2001-01-01T00:00:00 GIT_COMMITTER_DATE=2001-01-01T00:00:00'
  const forge = `git switch -q -c third; echo evil > .husky/pre-push; git add -A; ${date} git commit -q -m x; git switch -q main`
  expect(paths(await sh(forge))).toEqual([])
  expect(paths(await sh('git switch -q third'))).toEqual(['.husky/pre-push'])
})

test('what the person changes while nothing runs is theirs', async () => {
  const root = await repository()
  const { sh } = await watched(root)
  await sh('true')

  await git(root, 'config', 'alias.st', 'status')
  await writeFile(join(root, '.envrc'), 'mine\n')

  expect(paths(await sh('true'))).toEqual([])
  expect(read(root, '.envrc')).toBe('mine\n')
})

test('a background job is compared at each poll and at its end', async () => {
  const root = await repository()
  const { exec } = await watched(root)
  const job = await exec.start('echo x > .envrc; until [ -e go ]; do sleep 0.05; done; echo y > .exrc')
  await expect.poll(async () => paths(await take(exec))).toEqual(['.envrc'])

  await writeFile(join(root, 'go'), '')

  await expect.poll(async () => paths(await take(exec))).toEqual(['.exrc'])
  expect((await exec.poll(job.id)).job.state).toBe('ended')
  expect(existsSync(join(root, '.envrc'))).toBe(false)
})

test('what runs when a user starts it is kept and listed', async () => {
  const root = await repository()
  const { sh } = await watched(root)

  const changes = await sh('echo {} > package.json; mkdir x; echo all: > x/Makefile; echo x > notes.md')

  expect(changes).toMatchObject({ withheld: [], started: ['package.json', 'x/Makefile'] })
  expect(lstatSync(join(root, 'package.json')).isFile()).toBe(true)
})

test('a file that a setting of git names counts as a hook', async () => {
  const root = await repository({ 'tools/clean.sh': 'old\n', 'hooks/pre-commit': 'old\n' })
  await git(root, 'config', 'filter.x.clean', 'tools/clean.sh %f')
  await git(root, 'config', 'core.hooksPath', 'hooks')
  const { sh } = await watched(root)

  const changes = await sh('echo evil > tools/clean.sh; echo evil > hooks/pre-commit; echo fine > hooks.txt')

  expect(paths(changes)).toEqual(['hooks/pre-commit', 'tools/clean.sh'])
})
