/**
 * Which repository a project belongs to, as far as a command may use it: the enclosing one, and for a linked worktree
 * or a submodule the repository elsewhere that keeps its history, but only if that one names this project in turn. A
 * file in the project could otherwise name any repository of the person.
 */
import { lstatSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isInside } from '../../lib/path.ts'

export type GitFacts = {
  /** The top of the working tree: the project or a folder above it. */
  readonly root: string
  /** A repository outside `root` that keeps its history; its parts are bound one by one. */
  readonly elsewhere?: {
    /** Bound read-only. */
    readonly folder: string
    /** What commits write, below it. */
    readonly writable: readonly string[]
  }
}

export function gatherGit(project: string, home: string): GitFacts | undefined {
  const root = findRoot(project, home)
  if (root === undefined) return undefined
  const repository = join(root, '.git')
  const pointed = isFile(repository) ? readPointer(repository, root) : undefined
  const elsewhere =
    pointed === undefined || isInside(root, pointed) ? undefined : fromPointer(pointed, repository)
  return { root, ...(elsewhere && { elsewhere }) }
}

/** Never the home folder or anything above it: that one holds far more than this project. */
function findRoot(project: string, home: string): string | undefined {
  for (let folder = project; ; folder = dirname(folder)) {
    const isTooWide = isInside(folder, home) || dirname(folder) === folder || dirname(folder) === '/'
    if (folder !== project && isTooWide) return undefined
    if (isFile(join(folder, '.git')) || isFolder(join(folder, '.git'))) return folder
    if (dirname(folder) === folder) return undefined
  }
}

function readPointer(file: string, base: string): string | undefined {
  const target = /^gitdir: (.+)$/m.exec(read(file))?.[1]
  return target === undefined ? undefined : real(resolve(base, target.trim()))
}

/**
 * Pointing back proves nothing by itself: where the session begins below the top of a clone, the author of the clone
 * wrote both ends. So a folder counts only where git itself would have put it, in a repository.
 */
function fromPointer(folder: string, repository: string): GitFacts['elsewhere'] {
  const back = read(join(folder, 'gitdir')).trim()
  if (back !== '') {
    const common = dirname(dirname(folder))
    const named = real(resolve(folder, read(join(folder, 'commondir')).trim() || '.'))
    const isItsOwn =
      real(back) === repository && named === common && basename(dirname(folder)) === 'worktrees'
    return isItsOwn && isRepository(common)
      ? { folder: common, writable: writableOf(common, folder) }
      : undefined
  }
  const worktree = /^\s*worktree\s*=\s*(.+)$/m.exec(read(join(folder, 'config')))?.[1]
  if (worktree === undefined || real(resolve(folder, worktree.trim())) !== dirname(repository))
    return undefined
  return isModule(folder) && isRepository(folder) ? { folder, writable: [folder] } : undefined
}

const isRepository = (folder: string): boolean =>
  isFile(join(folder, 'HEAD')) && isFolder(join(folder, 'objects')) && isFolder(join(folder, 'refs'))

/** Below `modules` of the repository that it is a part of. */
function isModule(folder: string): boolean {
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above))
    if (basename(above) === 'modules' && isRepository(dirname(above))) return true
  return false
}

const writableOf = (common: string, own: string): readonly string[] =>
  [...['objects', 'refs', 'logs'].map((name) => join(common, name)), own].filter(isFolder)

const LONGEST = 65_536

const read = (path: string): string => {
  try {
    return isFile(path) && lstatSync(path).size <= LONGEST ? readFileSync(path, 'utf8') : ''
  } catch {
    return ''
  }
}

const real = (path: string): string | undefined => {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** Links are neither: one in the project could stand for the repository of another. */
const look = (path: string) => {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}
const isFile = (path: string): boolean => look(path)?.isFile() ?? false
const isFolder = (path: string): boolean => look(path)?.isDirectory() ?? false
