/**
 * Where git in a command works: the project, or a folder of it that `cd` and `-C` lead to. Pure; what the folders are is
 * asked of the one who knows the disk. What it cannot tell is nowhere.
 */
import { posix } from 'node:path'
import type { Script } from './script.ts'
import type { Word } from './word.ts'

/** Given to git by name, so that it looks for none: a folder could become another repository meanwhile. */
export type Repository = { readonly gitFolder: string; readonly workTree: string }

/** What is known of the project while a rule closes paths; paths are relative to its root, which is ''. */
export type OpenPaths = {
  /** A file that no rule closes. */
  isOpen(path: string): boolean
  isFolder(path: string): boolean
  /** Of a folder: the one of the project or a submodule; undefined for one that a command may have made. */
  repositoryOf(folder: string): Repository | undefined
}

/**
 * Every folder the command may be in; undefined where it may leave what is known. In whatever order and shell a `cd` runs,
 * it leads from one of these to another. One that begins the command counts for all of it.
 */
export function foldersOf({ parts, text }: Script, paths: OpenPaths): readonly string[] | undefined {
  const moves = parts.filter(({ words: [program] }) => program?.text === 'cd')
  const isLeading = moves.length === 1 && moves[0] === parts[0] && LEADING.test(text)
  let folders: readonly string[] = ['']
  for (const { words } of moves) {
    const reached = enter(words.slice(1), folders, paths)
    if (!reached) return undefined
    folders = isLeading ? reached : [...new Set([...folders, ...reached])]
  }
  return folders
}

const LEADING = /^\s*cd\s+[\w./-]+\s*(?:&&|;|\n)/

/** Where it leads from each of the folders; one that does not exist is not entered. */
export function enter(
  [target, ...more]: readonly Word[],
  folders: readonly string[],
  { isFolder }: OpenPaths,
): readonly string[] | undefined {
  if (!target || more.length > 0 || target.dynamic || target.glob) return undefined
  if (/^(?:[-~/]|$)/.test(target.text)) return undefined
  const reached = folders.map((folder) => plain(posix.join(folder, target.text)))
  // Outside the project, too, git works on the repository it is given.
  const entered = reached.filter((folder) => !folder.startsWith('..') && isFolder(folder))
  return entered.length > 0 ? entered : undefined
}

const plain = (path: string): string => path.replace(/\/$/, '').replace(/^\.$/, '')

/** The one repository of all these folders. */
export function repositoryOf(folders: readonly string[], paths: OpenPaths): Repository | undefined {
  const [first, ...others] = folders.map((folder) => paths.repositoryOf(folder))
  return others.every((other) => other?.gitFolder === first?.gitFolder) ? first : undefined
}
