/** The table of executable configuration: recognised whatever the case and depth, and documented as it is. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseGitConfig, settingText, withoutSettings } from '../../../src/guard/executable/git-config.ts'
import { isHarmlessSetting } from '../../../src/guard/executable/git-settings.ts'
import { EXECUTABLES } from '../../../src/guard/executable/table.ts'
import { protectionOfName } from '../../../src/guard/paths/protected-names.ts'
import { recogniseInProject, recogniseInRepository } from '../../../src/guard/executable/recognise.ts'
import { tableLines } from './table.ts'

test('the documentation shows the table as it is', () => {
  const page = readFileSync(new URL('../../../docs/permissions.md', import.meta.url), 'utf8')

  expect(page.split('\n').filter((line) => /\| (?:unprompted|started) \|$/.test(line))).toEqual(tableLines())
})

test.each([
  ['.envrc', 'unprompted'],
  ['a/b/.EnvRC', 'unprompted'],
  ['.husky/_/x', 'unprompted'],
  ['packages/x/.vscode/tasks.json', 'unprompted'],
  ['x.code-workspace', 'unprompted'],
  ['lefthook-local.yml', 'unprompted'],
  ['.git', 'unprompted'],
  ['node_modules/x/.git', 'unprompted'],
  ['.venv/lib/python3.12/site-packages/sitecustomize.py', 'unprompted'],
  ['docs/CLAUDE.md', 'unprompted'],
  ['package.json', 'started'],
  ['.github/workflows/ci.yml', 'started'],
  ['sub/Makefile', 'started'],
  ['node_modules/x/package.json', undefined],
  ['node_modules/x/.vscode/settings.json', undefined],
  ['src/config.toml', undefined],
  ['cargo/config.toml', undefined],
  ['README.md', undefined],
])('%s runs %s', (path, runs) => {
  expect(recogniseInProject(path)?.runs).toBe(runs)
})

test('every name of the table that is read-only in the sandbox is covered there', () => {
  const names = EXECUTABLES.flatMap(({ readOnly = [] }) => readOnly).map((path) => {
    const [name = '', parent = 'src'] = path.replace('/**', '').replace('*', 'x').split('/').toReversed()
    return { name, parent }
  })

  expect(names.filter(({ name, parent }) => protectionOfName(name, parent) !== 'governance')).toEqual([])
  expect(names.length).toBeGreaterThan(50)
})

test.each([
  ['.git', 'src', 'governance'],
  ['.Bashrc', 'src', 'governance'],
  ['workflows', '.github', 'governance'],
  ['workflows', 'src', undefined],
  ['.aider.conf.yml', 'src', 'governance'],
  ['x.code-workspace', 'src', 'governance'],
  ['package.json', 'src', undefined],
  ['.envrc', 'src', 'secret'],
  ['lefthook.yml', 'src', undefined],
])('%s in %s is covered as %s', (name, parent, protection) => {
  expect(protectionOfName(name, parent)).toBe(protection)
})

test('samples of hooks are never run, hooks are', () => {
  expect(recogniseInRepository('hooks/pre-commit.sample')).toBeUndefined()
  expect(recogniseInRepository('hooks/pre-commit')?.name).toBe('git hooks')
})

test('git configuration is read as git reads it', () => {
  const text =
    '[core] fsmonitor = "a;b" # c\n[Alias "x\\"y"]\nst = one \\\n  two ; no\n[filter.Z]\nclean=x\n\tkey\n[core]\nPAGER = a\\tb'

  const { settings, bad } = parseGitConfig(text)

  expect(settings.map(settingText)).toEqual([
    'core.fsmonitor=a;b',
    'alias.x"y.st=one   two',
    'filter.z.clean=x',
    'filter.z.key=true',
    'core.pager=a\tb',
  ])
  expect(bad).toEqual([])
  const kept = withoutSettings(text, settings.slice(0, 2))
  expect(parseGitConfig(kept).settings.map(settingText)).toEqual(settings.slice(2).map(settingText))
})

test.each(['[core', '[core]\n= x', 'x = 1', '[core]\nx = "open', '[core]\nx = \\q'])(
  '%j is not believed',
  (text) => {
    expect(parseGitConfig(text).bad).not.toEqual([])
  },
)

test('of settings only those that are known to be harmless are', () => {
  const isHarmless = (line: string): boolean => {
    const [setting] = parseGitConfig(line).settings
    return setting !== undefined && isHarmlessSetting(setting, (path) => !path.includes('outside'))
  }

  expect(
    [
      '[core]\nfsmonitor=true',
      '[core]\nhooksPath=',
      '[user]\nname=x',
      '[remote "o"]\nurl=https://x',
      '[core]\nworktree=../../a',
    ].filter((line) => !isHarmless(line)),
  ).toEqual([])
  expect(
    [
      '[core]\nfsmonitor=x',
      '[core]\nhooksPath=x',
      '[gpg]\nprogram=x',
      '[remote "o"]\nurl=ext::x',
      '[remote "o"]\nurl=-x',
      '[core]\nworktree=outside',
      '[new]\nkey=x',
      '[pack]\npackObjectsHook=x',
      '[gc]\nrecentObjectsHook=x',
      '[diff]\nexternal=x',
    ].filter(isHarmless),
  ).toEqual([])
})
