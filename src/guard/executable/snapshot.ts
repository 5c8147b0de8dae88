/**
 * All executable configuration of a project at one moment: what the tree index found by name, what lies in its
 * repositories, and the files of the project that git's own settings name.
 */
import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isInside } from '../../lib/path.ts'
import { isRawName } from '../../lib/raw-name.ts'
import type { TreeState } from '../sandbox/tree.ts'
import { parseGitConfig } from './git-config.ts'
import { isHarmlessSetting } from './git-settings.ts'
import { type Item, lookAt, namesIn, readItem, realOf } from './item.ts'
import { belowLink, recogniseInProject, recogniseInRepository } from './recognise.ts'
import type { Executable } from './table.ts'

export type Snapshot = {
  /** Files that run unprompted, by path. */
  readonly items: ReadonlyMap<string, Item>
  /** Files that run when a user starts them, with their stamps. */
  readonly started: ReadonlyMap<string, string>
  readonly repositories: ReadonlySet<string>
  /** Files whose name is not valid text, so that they cannot be inspected. */
  readonly unnamed: ReadonlySet<string>
  readonly complete: boolean
}

export type Place = {
  readonly root: string
  /** Repositories outside the root that git uses for the project: the enclosing one, that of a linked worktree. */
  readonly repositories: readonly string[]
  /** Settings of the person that hold in every repository. */
  readonly settings: string
}

/** What the tree index is to report: for files, and for links in their place. */
export const isInteresting = (name: string, relativePath: string): boolean =>
  isPartOfGit(relativePath)
    ? name === 'commondir' || name === 'config.worktree'
    : recogniseInProject(relativePath) !== undefined

const isPartOfGit = (path: string): boolean => /(?:^|\/)\.git\//i.test(path)

export function takeSnapshot(state: TreeState, place: Place, before?: Snapshot): Snapshot {
  const items = new Map<string, Item>()
  const started = new Map<string, string>()
  const repositories = new Set([...state.repositories.filter(isFolder), ...place.repositories])
  const add = (path: string, entry: Executable): void => {
    if (items.has(path)) return
    const item = readItem(path, { entry, root: place.root, known: before?.items.get(path) })
    if (item) items.set(path, item)
  }
  for (const { path, kind, stamp } of state.entries) {
    if (kind === 'folder') continue
    const relativePath = path.slice(place.root.length + 1)
    const entry = isPartOfGit(relativePath) ? recogniseInGit(path) : recogniseInProject(relativePath)
    if (entry?.runs === 'unprompted') add(path, entry)
    else if (entry) started.set(path, stamp)
    if (kind === 'link') for (const below of linked(path)) add(path, below)
  }
  for (const repository of repositories) for (const path of filesOf(repository)) add(path.path, path.entry)
  for (const path of named(items, place, repositories)) add(path, NAMED)
  const unnamed = new Set([...state.unread, ...state.entries.map(({ path }) => path)].filter(isRawName))
  return { items, started, repositories, unnamed, complete: state.complete }
}

const isFolder = (path: string): boolean => lookAt(path)?.isDirectory() === true

/** The same names count in the folders of linked worktrees and in ones that only look like a repository. */
const recogniseInGit = (path: string): Executable | undefined =>
  basename(path) === 'commondir' ? recogniseInProject('commondir') : recogniseInRepository(basename(path))

/** A link in the place of a folder, where something executable lies behind it. */
const linked = (path: string): readonly Executable[] =>
  belowLink(basename(path)).flatMap(({ rest, entry }) => (existsSync(join(path, rest)) ? [entry] : []))

const IN_REPOSITORY = ['config', 'config.worktree', 'info/attributes', 'sequencer/todo']
const REBASE = ['rebase-merge/git-rebase-todo', 'rebase-merge/git-rebase-todo.backup']

type Found = { readonly path: string; readonly entry: Executable }

function filesOf(repository: string): readonly Found[] {
  const found: Found[] = []
  const take = (path: string, inside: string): void => {
    const entry = recogniseInRepository(inside)
    if (entry) found.push({ path, entry })
  }
  for (const inside of [...IN_REPOSITORY, ...REBASE]) {
    const [folder = '', name] = inside.split('/')
    // A link in the place of the folder is what counts then.
    if (name !== undefined && lookAt(join(repository, folder))?.isSymbolicLink())
      take(join(repository, folder), inside)
    else take(join(repository, inside), inside)
  }
  walkHooks(join(repository, 'hooks'), 'hooks', take)
  for (const name of namesIn(join(repository, 'worktrees'))) {
    const folder = join(repository, 'worktrees', name)
    for (const inside of ['config.worktree', 'sequencer/todo', ...REBASE]) take(join(folder, inside), inside)
  }
  return found
}

const MAX_HOOKS_DEPTH = 8

function walkHooks(path: string, inside: string, take: (path: string, inside: string) => void): void {
  if (!isFolder(path)) return take(path, inside)
  if (inside.split('/').length > MAX_HOOKS_DEPTH) return
  for (const name of namesIn(path)) walkHooks(join(path, name), `${inside}/${name}`, take)
}

const NAMED: Executable = {
  name: 'named in git configuration',
  paths: [],
  does: 'git runs it, because a setting of git names it',
  runs: 'unprompted',
}

/** Files of the project that a setting names which git runs or includes. */
function named(
  items: ReadonlyMap<string, Item>,
  place: Place,
  repositories: ReadonlySet<string>,
): readonly string[] {
  const paths = mentioned(items, place, repositories).flatMap(({ path, isFolderKey }) =>
    // Through a link nothing could be put away.
    isFolderKey ? [path, ...below(realOf(path) ?? path)] : [path, realOf(path) ?? path],
  )
  const { root } = place
  return [...new Set(paths)].filter(
    (path) => isInside(root, path) && !isFolder(path) && !isInside(path, root) && !repositories.has(path),
  )
}

type Mention = { readonly path: string; readonly isFolderKey: boolean }

/** Whatever is there or not. */
function mentioned(
  items: ReadonlyMap<string, Item>,
  { root, settings }: Place,
  repositories: ReadonlySet<string>,
): readonly Mention[] {
  const configs = Array.from(items.values()).filter(
    ({ entry, parts }) => entry.counts === 'git-config' && parts.length > 0,
  )
  const texts = configs.map(({ path, content }) => ({
    folder: dirname(path),
    text: content?.toString('utf8') ?? '',
  }))
  const everywhere = settings === '' ? [] : [...repositories].map((folder) => ({ folder, text: settings }))
  return [...texts, ...everywhere].flatMap(({ folder, text }) =>
    parseGitConfig(text)
      .settings.filter((setting) => !isHarmlessSetting(setting, () => true))
      .flatMap(({ key, value = '' }) =>
        pathsIn(value, [dirname(folder), folder, root]).map((path) => ({
          path,
          isFolderKey: FOLDER_KEYS.has(key),
        })),
      ),
  )
}

/** Whether something that runs unprompted is this file, leads to it or would find it there. */
export function isObeyed(real: string, { items, repositories }: Snapshot, place: Place): boolean {
  const { root } = place
  const leadsTo = (item: Item): boolean => {
    if (item.path === real) return item.entry.counts === undefined
    const target = item.kind === 'link' ? realOf(item.path) : undefined
    return target !== undefined && target !== root && isInside(root, target) && isInside(target, real)
  }
  return (
    Array.from(items.values()).some(leadsTo) ||
    mentioned(items, place, repositories).some(
      ({ path, isFolderKey }) =>
        path !== root && isInside(root, path) && (path === real || (isFolderKey && isInside(path, real))),
    )
  )
}

/** Settings that name a folder whose files git runs or copies to where it runs them. */
const FOLDER_KEYS = new Set(['hookspath', 'templatedir'])

/**
 * Paths that a value may name, a command line with arguments included. What stands before a slash may be known only
 * when it runs (`$PWD/x`, `$(git rev-parse …)/x`), and a folder it names may be the one it changes to.
 */
function pathsIn(value: string, folders: readonly string[]): readonly string[] {
  const plain = value.split(/[\s;&|()"'`=]+/)
  const relative = plain
    .map((word) => word.replace(/^\$\{?\w+\}?/, ''))
    .map((word) => word.replace(/^\/+/, ''))
  const words = [...new Set([value, ...plain, ...relative])].filter(
    (word) => word !== '' && word.length < 1000 && !word.includes('\0'),
  )
  const from = (bases: readonly string[]) => bases.flatMap((base) => words.map((word) => resolve(base, word)))
  const named = from(folders)
  return [
    ...named,
    ...from([...new Set(named)].filter((path) => !folders.includes(path) && isFolder(path)).slice(0, 20)),
  ]
}

/** One level: git looks no deeper. */
const below = (folder: string): readonly string[] => namesIn(folder).map((name) => join(folder, name))
