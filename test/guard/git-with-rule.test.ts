/** Git beside other programs while a rule denies a path: what works, what is refused with other words, what stays hidden. */
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClosableExec, createExec } from '../../src/guard/exec.ts'
import { closedHistory, closedPaths } from '../../src/guard/permission/history.ts'
import { showsHistory } from '../../src/guard/shell/git-history.ts'
import { createOpenPaths } from '../../src/guard/permission/open-paths.ts'
import { readScript } from '../../src/guard/shell/script.ts'
import { detectSandbox } from '../../src/guard/sandbox/detect.ts'
import type { Rule } from '../../src/protocol/guard.ts'
import { tempProject } from '../support/project.ts'
import { missing, named, patient } from './with-sandbox.ts'

const RULES: readonly Rule[] = [{ tool: '*', pattern: 'secret/**', verdict: 'deny' }]
const SETUP = `set -e
git init -q -b main . && git config user.name a && git config user.email a@b
git add -A && git commit -qm first
git init -q -b main ../lib && git -C ../lib -c user.name=a -c user.email=a@b commit -q --allow-empty -m lib
git -c protocol.file.allow=always submodule --quiet add ../lib sub && git commit -qm sub
git init -q own && touch own/x
git rev-parse HEAD:secret > hash`

let root = ''
let exec: ClosableExec
let close = async (): Promise<void> => {}

beforeAll(async () => {
  const base = await tempProject({ 'app/src/a.ts': 'a\n', 'app/secret/x': 'heron\n', 'app/b.txt': 'b\n' })
  root = join(base, 'app')
  const env = { PATH: process.env['PATH'], HOME: base }
  execFileSync('sh', ['-c', SETUP], { cwd: root, env, stdio: 'ignore' })
  const sandbox = await detectSandbox({ roots: [root], env, ...closedPaths(RULES, root) })
  if ('missing' in sandbox) return
  exec = createExec({ cwd: root, env, sandbox, ...closedHistory(RULES, root) })
  close = () => exec.close().finally(() => sandbox.close())
})
afterAll(() => close())

const run = async (command: string) => {
  const { exitCode, output } = await exec.shell(command, patient())
  return { exitCode, output }
}

describe.skipIf(missing !== undefined)(named('while a rule denies a path'), () => {
  test.each([
    ['cd src && git status --short', /^\?\? \.\.\/hash/m],
    ['cd src; git log --oneline -1', /sub$/m],
    ['cd ./src && cd .. && git rev-list --count HEAD', /^2$/m],
    ['(cd src && git status --short)', /hash/],
    ['git -C src log --oneline -1 -- a.ts', /first$/m],
    ['git -C sub status --short --branch', /^## HEAD|^## main/m],
    ['cd sub && git log --oneline', /lib$/m],
    ['git log --oneline > log.txt', /^$/],
    ['git log --oneline -1 | sort | cut -c1-3 | tr a-f x', /^[x\d]+/],
    ['ls src && git status --short', /a\.ts[^]*hash/],
    ['mkdir -p made && touch made/new && git add made && git commit -qm made && rm made/new', /^$/],
    ['cd src && git diff HEAD -- a.ts && echo same', /^same$/m],
    ['printf "from a pipe" | git commit -q --allow-empty -F -', /^$/],
  ])('%s works', async (command, expected) => {
    const { exitCode, output } = await run(command)

    expect(output).toMatch(expected)
    expect(exitCode).toBe(0)
    expect(output).not.toContain('heron')
  })

  test('what git printed into a file is there', async () => {
    await run('git log --oneline > printed.txt')

    expect(await readFile(join(root, 'printed.txt'), 'utf8')).toMatch(/first$/m)
  })

  test.each([
    ['cat b.txt && git status', '1. cat b.txt  2. git status'],
    ['npm test && git add -A && git commit -qm x', '1. npm test  2. git add -A && git commit -qm x'],
    ['cd src && node x.js; git status', '1. cd src && node x.js  2. cd src && git status'],
    [
      'git log --oneline | node count.js',
      '1. git log --oneline > /tmp/git.txt  2. cat /tmp/git.txt | node count.js',
    ],
  ])('%s is refused before it runs, with what to type', async (command, calls) => {
    await expect(run(command)).rejects.toThrow(
      `because the rule "* secret/**" denies files that it may hold. Nothing was run. Make these calls one after the other: ${calls}`,
    )
  })

  test('what is to be typed instead works, one call after the other', async () => {
    const written = await run('git log --format=%s > /tmp/git.txt')
    const read = await run('cat /tmp/git.txt | node -e "process.stdin.pipe(process.stdout)"')

    expect([written.exitCode, read.exitCode]).toEqual([0, 0])
    expect(read.output).toContain('first')
  })
})

describe('git is taken at its word only where every word is known', () => {
  const reasonFor = async (command: string) => {
    const script = await readScript(command)
    return showsHistory(command, [script], createOpenPaths(RULES, root))
  }

  test.each([
    'git status --ver',
    'git rm -rq --cached . && git status -vv',
    'git commit --dry-run --verb',
    'git commit --dry-run -m -m --verbose',
    'git commit --dry-run -m $(echo a --verbose)',
    'git add --pat',
    'git stash push --pat',
    'git stash list --binary',
    'git stash show -p',
    'git restore -s4b825dc x',
    'git restore --sour=4b825dc x',
    'git checkout 4B825DC642 -- x',
    'git checkout v1-0-g4b825dc642 -- x',
    'git checkout -m 4b825dc642 -- x',
    'git tag t x-g4b825dc642',
    "git rebase '-xsh show.sh' HEAD~1",
    "git rebase --exe 'sh show.sh' HEAD~1",
    "git rebase -m --exec='sh show.sh' HEAD~1",
    'git config --blob 4b825dc642 --list',
    'git config --blo 4b825dc642 --list',
    'git commit -F link',
    'git add --pathspec-from-file=link',
    'git shortlog --group=format:4b825dc642 --output=.git/refs/tags/t HEAD',
    'git log *',
    'git -C own status',
    'cd own && git log',
    'cd src && git diff -- ../b.txt',
  ])('%s is asked for', async (command) => {
    expect(await reasonFor(command)).toBeDefined()
  })

  test.each([
    'git commit -qam "it is $(date)"',
    'git add src/*.ts',
    'git checkout -- src/a.ts',
    'git log -- *.ts',
    'git restore --staged src',
    'git stash push -m "-p is a word"',
    'git tag -a v1 -m "first one"',
    'git rebase --onto main HEAD~2',
    'git config --get user.name',
  ])('%s is not', async (command) => {
    expect(await reasonFor(command)).toBeUndefined()
  })
})
