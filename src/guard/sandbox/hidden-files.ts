/**
 * Which files of the project are hidden: by their name, by a rule, or because they are a hidden file under another name.
 * A file with several names (hard links) has the same inode under all of them; the other names are looked for only where
 * a hidden file has more names than are known, and each folder only once for each state it is in.
 */
import { type BigIntStats, type Dirent, lstatSync, readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { protectionOfName } from '../paths/protected-names.ts'
import { isSettled, stampOf } from './tree-folder.ts'
import type { TreeEntry, TreeState } from './tree.ts'

export function hiddenFiles(state: TreeState): readonly TreeEntry[] {
  return hiddenEntries(state).filter(({ kind }) => kind === 'file')
}

/** A folder that is hidden, and the files in it that keep their names. */
export type HiddenFolder = { readonly path: string; readonly files: readonly TreeEntry[] }

/**
 * In a folder that a rule closes only names that git lists anyway are to be seen, so that git does not take its files for
 * deleted. One with too many files is empty.
 */
export function hiddenFolders(state: TreeState, isInGit: (path: string) => boolean): readonly HiddenFolder[] {
  const byRule = new Set(state.denied)
  const folders = hiddenEntries(state).filter(({ kind }) => kind === 'folder')
  return folders
    .map(({ path }) => ({
      path,
      files: filesBelow(path)
        .filter((file) => !byRule.has(path) || isInGit(file))
        .flatMap(toEntry),
    }))
    .filter(({ files }) => files.length <= MOST_SHOWN)
}

const MOST_SHOWN = 1000

const toEntry = (path: string): readonly TreeEntry[] => {
  const info = look(path)
  return info?.isFile() ? [{ path, kind: 'file', stamp: stampOf(info) }] : []
}

export function hiddenEntries({ denied, entries }: TreeState): readonly TreeEntry[] {
  const byRule = new Set(denied)
  return entries.filter(
    ({ path }) => byRule.has(path) || protectionOfName(basename(path), basename(dirname(path))) === 'secret',
  )
}

/** The same state, in which these are hidden as well. */
export function hideAlso(state: TreeState, more: readonly TreeEntry[]): TreeState {
  if (more.length === 0) return state
  const paths = new Set(more.map(({ path }) => path))
  return {
    ...state,
    entries: [...state.entries.filter(({ path }) => !paths.has(path)), ...more],
    denied: [...state.denied, ...paths],
  }
}

export type Twins = { find(state: TreeState): readonly TreeEntry[] }

type Linked = TreeEntry & { readonly id: string }
type Known = { readonly stamp: string; readonly linked: readonly Linked[] }

export function createTwins(): Twins {
  const known = new Map<string, Known>()
  const linkedIn = (folder: string, stamp: string | undefined): readonly Linked[] => {
    const before = known.get(folder)
    if (before && before.stamp === stamp) return before.linked
    const info = look(folder)
    const linked = filesIn(folder).flatMap((path) => toLinked(path))
    if (info && isSettled(info)) known.set(folder, { stamp: stampOf(info), linked })
    else known.delete(folder)
    return linked
  }
  return {
    find(state) {
      const wanted = idsToFind(state)
      if (wanted.size === 0) return []
      const hidden = new Set(hiddenFiles(state).map(({ path }) => path))
      const folders = [...state.folders()]
      return folders
        .flatMap((folder) => linkedIn(folder, state.stampOf(folder)))
        .filter(({ id, path }) => wanted.has(id) && !hidden.has(path))
        .map(({ path, kind, stamp }) => ({ path, kind, stamp }))
    },
  }
}

/** Files that are hidden and have names that are not. */
function idsToFind(state: TreeState): ReadonlySet<string> {
  const names = new Map<string, number>()
  const entries = hiddenEntries(state)
  const files = entries.filter(({ kind }) => kind === 'file').map(({ path }) => path)
  const inside = entries.filter(({ kind }) => kind === 'folder').flatMap(({ path }) => filesBelow(path))
  for (const path of [...files, ...inside]) {
    const info = look(path)
    if (!info?.isFile() || info.nlink < 2n) continue
    const id = idOf(info)
    names.set(id, (names.get(id) ?? Number(info.nlink)) - 1)
  }
  return new Set(Array.from(names).flatMap(([id, left]) => (left > 0 ? [id] : [])))
}

const idOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`

const toLinked = (path: string): readonly Linked[] => {
  const info = look(path)
  if (!info?.isFile() || info.nlink < 2n) return []
  return [{ path, kind: 'file', stamp: stampOf(info), id: idOf(info) }]
}

function look(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function list(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

const filesIn = (folder: string): readonly string[] =>
  list(folder).flatMap((dirent) => (dirent.isFile() ? [`${folder}/${dirent.name}`] : []))

/** Of a folder that is hidden as a whole, and was not walked for that. */
const MOST_HIDDEN = 2000

function filesBelow(top: string): readonly string[] {
  const found: string[] = []
  const queue = [top]
  for (let folder = queue.pop(); folder !== undefined && found.length < MOST_HIDDEN; folder = queue.pop()) {
    for (const dirent of list(folder)) {
      if (dirent.isFile()) found.push(`${folder}/${dirent.name}`)
      else if (dirent.isDirectory()) queue.push(`${folder}/${dirent.name}`)
    }
  }
  return found
}
