/**
 * How hidden files look to git: contents gone, but name, size and time as they are, so that `git status` says what it
 * says outside. A stand-in never becomes part of a commit: for a file that git knows a filter hands out what it knows
 * already, and `git add` passes over one it does not know. Nothing of this is a boundary; what cannot be read cannot
 * leak.
 */
import {
  chmodSync,
  mkdirSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  lstatSync,
  readFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { shortHash } from '../../lib/hash.ts'
import { isInside } from '../../lib/path.ts'
import type { Facts } from './facts.ts'
import { type GitIndex, holdsContent, readIndex } from './git-index.ts'
import { FILTER, WRAPPER } from './git-scripts.ts'
import { withoutPasswords } from './git-passwords.ts'
import { type HiddenFolder, hiddenFiles, hiddenFolders } from './hidden-files.ts'
import type { Mount } from './plan.ts'
import { stampOf } from './tree-folder.ts'
import type { TreeEntry, TreeState } from './tree.ts'

export type GitView = {
  /** For every hidden file its stand-in, and the settings git needs to accept it. */
  look(state: TreeState): {
    readonly standIns: ReadonlyMap<string, string>
    readonly mounts: readonly Mount[]
  }
  readonly environment: Readonly<Record<string, string>>
}

/** Where the filter and its lists lie in the sandbox. */
const INSIDE = '/run/covey'

type ViewFacts = Pick<Facts, 'folder' | 'git'> & { readonly program?: string }

export function createGitView({ folder, git, program }: ViewFacts): GitView {
  const place = join(folder, 'git')
  mkdirSync(join(place, 'bin'), { recursive: true })
  writeFileSync(join(place, 'bin', 'git'), '')
  writeFileSync(join(place, 'filter'), FILTER, { mode: 0o755 })
  writeFileSync(join(place, 'wrapper'), WRAPPER, { mode: 0o755 })
  const standInOf = createStandIns(join(folder, 'stand-ins'))
  const indexes = createIndexes(git?.elsewhere?.folder)
  const configurations = createConfigurations(join(folder, 'configurations'))
  let written = ''

  return {
    environment: toVariables({
      'core.checkStat': 'minimal',
      'core.trustctime': 'false',
      'core.attributesFile': `${INSIDE}/attributes`,
      'filter.covey-hidden.clean': `${INSIDE}/filter %f`,
    }),
    look(state) {
      const hidden = hiddenFiles(state)
      const folders = hiddenFolders(state, (path) => indexes.isListed(path, state))
      const judged = [...hidden, ...folders.flatMap(({ files }) => files)].map((entry) => ({
        ...entry,
        ...indexes.judge(entry.path, state),
      }))
      const lists = toLists(judged, readText(join(folder, 'gitignore')))
      const text = JSON.stringify(lists)
      if (text !== written)
        for (const [name, list] of Object.entries(lists)) writeFileSync(join(place, name), list)
      written = text
      const isAdded = program !== undefined && judged.some(({ state: each }) => each === 'unknown')
      return {
        standIns: new Map([...hidden, ...folders].map((each) => [each.path, standInOf(each)])),
        mounts: [
          shown(place, INSIDE),
          ...(isAdded ? wrapped(program, place) : []),
          ...configurations([...state.repositories, ...(git?.elsewhere ? [git.elsewhere.folder] : [])]),
        ],
      }
    },
  }
}

function createStandIns(folder: string) {
  mkdirSync(folder, { recursive: true })
  const made = new Map<string, string>()
  return (hidden: TreeEntry | HiddenFolder): string => {
    const { path } = hidden
    const stamp = 'files' in hidden ? hidden.files.map((file) => file.path + file.stamp).join() : hidden.stamp
    const key = `${path} ${stamp}`
    const place = join(folder, shortHash(key))
    const known = made.get(key) ?? ('files' in hidden ? makeFolder(hidden, place) : makeStandIn(path, place))
    made.set(key, known)
    return known
  }
}

const WHY = 'how git sees hidden files'
const shown = (source: string, target: string): Mount => ({ target, how: 'read-only', source, why: WHY })

/** The real one keeps its name: it goes by it. */
const wrapped = (program: string, place: string): readonly Mount[] => [
  shown(program, `${INSIDE}/bin/git`),
  shown(join(place, 'wrapper'), program),
]

/** Configurations of repositories that hold a login, as they are shown instead. */
function createConfigurations(folder: string) {
  mkdirSync(folder, { recursive: true })
  const known = new Map<string, { readonly text: string; readonly mounts: readonly Mount[] }>()
  const look = (path: string): readonly Mount[] => {
    const text = readText(path)
    const last = known.get(path)
    if (last?.text === text) return last.mounts
    const cleaned = withoutPasswords(text)
    const copy = join(folder, shortHash(`${path} ${text}`))
    if (cleaned !== undefined) writeFileSync(copy, cleaned, { mode: 0o444 })
    const mounts = cleaned === undefined ? [] : [{ ...shown(copy, path), why: 'holds a login' }]
    known.set(path, { text, mounts })
    return mounts
  }
  return (repositories: readonly string[]): readonly Mount[] =>
    [...new Set(repositories)].flatMap((path) => [
      ...look(join(path, 'config')),
      ...look(join(path, 'config.worktree')),
    ])
}

/** What git thinks of a file: it knows it as it is, it knows it otherwise, it does not know it; or no git is around. */
type Judged = { readonly state: 'same' | 'changed' | 'unknown' | 'outside'; readonly name: string }

function createIndexes(elsewhere: string | undefined) {
  const read = new Map<string, { readonly stamp: string; readonly index: GitIndex }>()
  const indexOf = (repository: string): GitIndex => {
    const info = lstatSync(join(repository, 'index'), { bigint: true, throwIfNoEntry: false })
    const stamp = info ? stampOf(info) : ''
    const known = read.get(repository)
    if (known?.stamp === stamp) return known.index
    const common = elsewhere !== undefined && isInside(elsewhere, repository) ? elsewhere : repository
    const index = readIndex(repository, common)
    read.set(repository, { stamp, index })
    return index
  }
  const find = (path: string, { entries, repositories }: TreeState) => {
    const top = topOf(path, entries)
    if (top === undefined) return undefined
    const repository = repositoryOf(top, repositories)
    const name = relative(top.folder, path)
    const { files, algorithm } = repository === undefined ? EMPTY : indexOf(repository)
    return { name, hash: files.get(name), algorithm }
  }
  return {
    isListed: (path: string, state: TreeState): boolean => find(path, state)?.hash !== undefined,
    judge(path: string, state: TreeState): Judged {
      const found = find(path, state)
      if (found === undefined) return { state: 'outside', name: '' }
      const { name, hash, algorithm } = found
      if (hash === undefined) return { state: 'unknown', name }
      return { state: holdsContent(path, hash, algorithm) ? 'same' : 'changed', name }
    },
  }
}

const EMPTY: GitIndex = { files: new Map(), algorithm: 'sha1' }

type Top = { readonly folder: string; readonly isFile: boolean }

/** The nearest folder above with a repository of its own. */
function topOf(path: string, entries: readonly TreeEntry[]): Top | undefined {
  let best: Top | undefined
  for (const entry of entries) {
    if (basename(entry.path) !== '.git' || (entry.kind !== 'file' && entry.kind !== 'folder')) continue
    const folder = dirname(entry.path)
    if (!isInside(folder, path) || (best && best.folder.length > folder.length)) continue
    best = { folder, isFile: entry.kind === 'file' }
  }
  return best
}

/** A submodule or worktree names its repository; only one that was walked counts. */
function repositoryOf({ folder, isFile }: Top, repositories: readonly string[]): string | undefined {
  const own = join(folder, '.git')
  const named = isFile ? /^gitdir: (.+)$/m.exec(readText(own))?.[1]?.trim() : undefined
  const path = isFile ? named && (named.startsWith('/') ? named : join(folder, named)) : own
  return path !== undefined && repositories.includes(path) ? path : undefined
}

function readText(path: string): string {
  const info = lstatSync(path, { throwIfNoEntry: false })
  return info?.isFile() && info.size < 1024 ** 2 ? readFileSync(path, 'utf8') : ''
}

function toLists(judged: readonly (Judged & { readonly path: string })[], ignored: string) {
  const names = [...new Set(judged.filter(({ name }) => name !== '').map(({ path }) => basename(path)))]
  const unknown = judged.filter(({ state }) => state === 'unknown')
  return {
    attributes: names.map((name) => `${quoted(name)} filter=covey-hidden\n`).join(''),
    same: linesOf(judged.filter(({ state }) => state === 'same')),
    changed: linesOf(judged.filter(({ state }) => state === 'changed')),
    ignored: `${ignored}\n${unknown.map(({ name }) => `/${escaped(name)}\n`).join('')}`,
  }
}

const linesOf = (all: readonly { readonly path: string }[]): string =>
  all.map(({ path }) => `${path}\n`).join('')
const escaped = (name: string): string => name.replaceAll(/[\\*?[\]#! ]/g, '\\$&')
/** Attributes end at a space, so a name that has one is quoted. */
const quoted = (name: string): string => {
  const glob = name.replaceAll(/[\\*?[\]]/g, '\\$&')
  return /[\s"#!\\]/.test(glob) ? JSON.stringify(glob) : glob
}

/** Settings by environment count more than those of any file. */
function toVariables(settings: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const pairs = Object.entries(settings)
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(pairs.length)],
    ...pairs.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ])
}

const NOTICE = '# This file may hold secrets and is hidden in the sandbox.\n'
/** Beyond this a stand-in is a file with a hole. */
const MOST_WRITTEN = 65_536

function makeFolder({ path, files }: HiddenFolder, place: string): string {
  mkdirSync(place, { recursive: true })
  for (const file of files) {
    const standIn = join(place, relative(path, file.path))
    mkdirSync(dirname(standIn), { recursive: true })
    makeStandIn(file.path, standIn)
  }
  return place
}

function makeStandIn(path: string, standIn: string): string {
  const info = lstatSync(path, { throwIfNoEntry: false })
  const size = info?.size ?? 0
  writeFileSync(standIn, NOTICE.slice(0, size).padEnd(Math.min(size, MOST_WRITTEN), '\n'))
  truncateSync(standIn, size)
  if (!info) return standIn
  chmodSync(standIn, (info.mode & 0o777) | 0o444)
  utimesSync(standIn, inSeconds(info.atimeMs), inSeconds(info.mtimeMs))
  return standIn
}

/** Never rounded up into the next second, which is what git compares. */
const inSeconds = (ms: number): number => Math.floor(ms) / 1000
