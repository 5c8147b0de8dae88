import { describe, expect, test } from 'vitest'
import type { Facts } from '../../../src/guard/sandbox/facts.ts'
import { type Mount, planMounts, type PlanTerms } from '../../../src/guard/sandbox/plan.ts'
import type { TreeEntry, TreeState } from '../../../src/guard/sandbox/tree.ts'

const facts: Facts = {
  project: '/home/me/code/app',
  home: '/home/me',
  folder: '/private',
  system: {
    folders: ['/usr', '/etc'],
    links: [{ path: '/bin', to: 'usr/bin' }],
    masked: [{ path: '/etc/shadow', kind: 'file' }],
    frozen: ['/proc/sys'],
  },
  git: { root: '/home/me/code/app' },
  readable: [{ source: '/data/cargo/bin', target: '/home/me/.cargo/bin' }],
  writable: ['/data/cache'],
  hidden: [{ path: '/home/me/.ssh', kind: 'folder' }],
  exposed: () => [],
  path: '/usr/bin',
}

const entry = (path: string, kind: TreeEntry['kind'] = 'file'): TreeEntry => ({
  path: `/home/me/code/app/${path}`,
  kind,
  stamp: '1:1:1:1',
})

const tree = (entries: readonly TreeEntry[] = [], more: Partial<TreeState> = {}): TreeState => ({
  complete: true,
  entries,
  repositories: [],
  denied: [],
  unread: [],
  stampOf: () => undefined,
  folders: () => [],
  ...more,
})

const terms: PlanTerms = { readsOnly: false, host: false }

const line = ({ how, target, source }: Mount): string =>
  `${how} ${target}${source === undefined || source === target ? '' : ` <- ${source}`}`
const lines = (...args: Parameters<typeof planMounts>): readonly string[] =>
  planMounts(...args).mounts.map(line)

test('a plain project: the system, private folders, toolchains, the project, and nothing else', () => {
  expect(lines(facts, tree(), terms)).toEqual([
    'read-only /usr',
    'read-only /etc',
    'link /bin <- usr/bin',
    'dev /dev',
    'proc /proc',
    'read-only /proc/sys',
    'writable /tmp <- /private/tmp',
    'writable /var/tmp <- /private/tmp',
    'temporary /home/me',
    'read-only /home/me/.cargo/bin <- /data/cargo/bin',
    'read-only /home/me/.gitconfig <- /private/gitconfig',
    'read-only /home/me/.config/git/ignore <- /private/gitignore',
    'writable /data/cache',
    'writable /home/me/code/app',
    'hidden /etc/shadow <- /private/empty',
    'sealed /home/me',
    'sealed /',
  ])
})

test('what decides what runs later is read-only, secrets are hidden, and hiding comes last', () => {
  const state = tree(
    [
      entry('AGENTS.md'),
      entry('.vscode', 'folder'),
      entry('.git', 'folder'),
      entry('.git/config'),
      entry('.git/hooks', 'folder'),
      entry('.env'),
      entry('keys/.ssh', 'folder'),
      entry('keys/.ssh/deep.key'),
      entry('door', 'socket'),
      entry('package.json'),
    ],
    { repositories: ['/home/me/code/app/.git'] },
  )

  expect(lines(facts, state, terms).slice(14)).toEqual([
    'writable /home/me/code/app/.git',
    'read-only /home/me/code/app/.git/config',
    'read-only /home/me/code/app/.git/hooks',
    'read-only /home/me/code/app/.vscode',
    'read-only /home/me/code/app/AGENTS.md',
    'hidden /etc/shadow <- /private/empty',
    'hidden /home/me/code/app/.env <- /private/hidden',
    'hidden /home/me/code/app/door <- /private/hidden',
    'hidden /home/me/code/app/keys/.ssh <- /private/nothing',
    'sealed /home/me',
    'sealed /',
  ])
})

test('a link is never bound, pinned or covered', () => {
  const state = tree([entry('.zed', 'link'), entry('.git/modules', 'link'), entry('.env', 'link')], {
    repositories: ['/home/me/code/app/.git'],
  })

  expect(
    planMounts(facts, state, terms).mounts.filter(({ target }) => /zed|modules|env/.test(target)),
  ).toEqual([])
})

test('every source is private, of the system, or named by the facts', () => {
  const state = tree([entry('.env'), entry('AGENTS.md'), entry('x/.git', 'folder'), entry('x/.git/config')], {
    repositories: ['/home/me/code/app/x/.git'],
    denied: ['/home/me/code/app/secret'],
    unread: ['/home/me/code/app/closed'],
  })

  const sources = planMounts(facts, state, terms).mounts.flatMap(({ how, source }) =>
    how === 'link' || source === undefined ? [] : [source],
  )

  const known = [
    '/usr',
    '/etc',
    '/proc/sys',
    '/private',
    '/data/cargo/bin',
    '/data/cache',
    '/home/me/code/app',
  ]
  expect(
    sources.filter((path) => !known.some((each) => path === each || path.startsWith(`${each}/`))),
  ).toEqual([])
})

describe('a command that only reads', () => {
  test('finds nothing to write but /tmp', () => {
    const all = planMounts(facts, tree([entry('.env')]), { ...terms, readsOnly: true }).mounts

    expect(all.filter(({ how }) => how === 'writable').map(line)).toEqual([
      'writable /tmp <- /private/tmp',
      'writable /var/tmp <- /private/tmp',
    ])
    expect(all.map(line)).toContain('temporary /home/me')
    expect(all.slice(-2).map(line)).toEqual(['sealed /home/me', 'sealed /'])
    expect(all.map(line)).toContain('hidden /home/me/code/app/.env <- /private/hidden')
  })

  test('so does every command where the walk did not finish', () => {
    const all = planMounts(facts, tree([], { complete: false }), terms).mounts.map(line)

    expect(all).toContain('read-only /home/me/code/app')
    expect(all).not.toContain('writable /home/me/code/app')
  })
})

describe('a grant', () => {
  const granted = (path: string) =>
    planMounts(facts, tree([entry('AGENTS.md'), entry('.env')]), { ...terms, granted: path }).mounts

  test('opens what it names, and hiding still comes after it', () => {
    const all = granted('/etc/app').map(line)

    expect(all).toContain('writable /etc/app')
    expect(all.indexOf('writable /etc/app')).toBeLessThan(all.indexOf('hidden /etc/shadow <- /private/empty'))
  })

  test('opens a protected name of the project, but no secret', () => {
    expect(granted('/home/me/code/app/AGENTS.md').map(line)).not.toContain(
      'read-only /home/me/code/app/AGENTS.md',
    )
    expect(granted('/home/me/code/app/.env').map(line)).toContain(
      'hidden /home/me/code/app/.env <- /private/hidden',
    )
  })

  test.each(['/', '/etc', '/home', '/home/me', '/home/me/code', '/usr', '/proc/sys', '/dev/null'])(
    'never opens %s',
    (path) => {
      expect(granted(path).map(line)).not.toContain(`writable ${path}`)
    },
  )

  test('of a folder that holds a credential does not uncover it', () => {
    const hidden = [{ path: '/data/tools/token', kind: 'file' as const }]

    expect(
      planMounts({ ...facts, hidden }, tree(), { ...terms, granted: '/data/tools' })
        .mounts.map(line)
        .slice(-4),
    ).toEqual([
      'hidden /data/tools/token <- /private/hidden',
      'hidden /etc/shadow <- /private/empty',
      'sealed /home/me',
      'sealed /',
    ])
  })
})

describe('where the project lies', () => {
  test('below the top of its repository, the rest of that can be read and history written', () => {
    const nested = { ...facts, git: { root: '/home/me/code' } }
    const state = tree([], { repositories: ['/home/me/code/.git'] })
    const state2 = {
      ...state,
      entries: [{ path: '/home/me/code/.git/config', kind: 'file', stamp: '' }] as const,
    }

    expect(lines(nested, state2, terms).slice(13, -3)).toEqual([
      'read-only /home/me/code',
      'writable /home/me/code/app',
      'writable /home/me/code/.git',
      'writable /home/me/code/.git',
      'read-only /home/me/code/.git/config',
    ])
  })

  test('in a linked worktree, of the repository elsewhere only what commits write can be written', () => {
    const elsewhere = {
      folder: '/home/me/main/.git',
      writable: ['/home/me/main/.git/objects', '/home/me/main/.git/worktrees/app'],
    }
    const state = tree([
      { path: '/home/me/main/.git/worktrees/app/commondir', kind: 'file', stamp: '' },
      { path: '/home/me/main/.git/config', kind: 'file', stamp: '' },
    ])
    const repositories = ['/home/me/main/.git', '/home/me/main/.git/worktrees/app']

    expect(
      lines({ ...facts, git: { root: facts.project, elsewhere } }, { ...state, repositories }, terms).slice(
        13,
        -3,
      ),
    ).toEqual([
      'read-only /home/me/main/.git',
      'writable /home/me/code/app',
      'writable /home/me/main/.git/objects',
      'writable /home/me/main/.git/worktrees/app',
      'read-only /home/me/main/.git/worktrees/app/commondir',
    ])
  })

  test('in the home folder itself, credentials are hidden by name', () => {
    const all = lines({ ...facts, project: '/home/me', git: { root: '/home/me' } }, tree(), terms)

    expect(all).toContain('writable /home/me')
    expect(all).toContain('hidden /home/me/.ssh <- /private/nothing')
  })
})

test('names that do not exist are not mounted over', () => {
  expect(
    planMounts(facts, tree(), terms).mounts.some(({ target }) => /AGENTS|\.env|\.vscode/.test(target)),
  ).toBe(false)
})

test('the folders on the way to every mount of the project are watched while it is made', () => {
  const state = tree([entry('a/b/.env'), entry('c/AGENTS.md')])

  expect(planMounts(facts, state, terms).watched.toSorted()).toEqual([
    '/home/me/code/app',
    '/home/me/code/app/a',
    '/home/me/code/app/a/b',
    '/home/me/code/app/c',
  ])
})
