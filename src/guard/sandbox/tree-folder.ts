/** Reads one folder of the tree: which of its entries are of interest, and which folders are walked next. */
import { type BigIntStats, type Dirent, lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, relative } from 'node:path'
import { fromRawName, isRawName, toRawBytes } from '../../lib/raw-name.ts'
import { DEPENDENCY_FOLDERS, FOREIGN_FOLDERS } from '../executable/dependencies.ts'
import { protectionOfName } from '../paths/protected-names.ts'

/** What is looked for, and where. */
export type Interest = {
  /** Where the walk begins: a real path. */
  readonly root: string
  /** What relative paths are relative to; absent = `root`. */
  readonly project?: string
  /** Further entries to report, also those that are neither secret nor a governance name. */
  interesting?(name: string, relativePath: string): boolean
  /** Paths that no command may see. */
  denies?(relativePath: string): boolean
}

type Entry = {
  /** Absolute; none of its parents is a link. */
  readonly path: string
  readonly kind: 'file' | 'folder' | 'link' | 'socket' | 'other'
  /** Inode, size, mtime and ctime: equal means unchanged. */
  readonly stamp: string
}

export type Folder = {
  readonly stamp: string
  /** Changed so shortly before it was read that another change may have the same time. */
  readonly isRacy: boolean
  readonly isRepository: boolean
  readonly isUnread: boolean
  /** Below a dependency folder such as `node_modules`. */
  readonly isDependency: boolean
  readonly entries: readonly Entry[]
  readonly denied: readonly string[]
  readonly tooDeep: readonly string[]
  readonly folders: readonly string[]
  readonly dependencies: readonly string[]
  /** The walk that saw it last. */
  round: number
}

export const stampOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${ino}:${size}:${mtimeNs}:${ctimeNs}`

/** File systems keep time in ticks: within one, two changes look like one. */
const TICK_NS = 40_000_000n
/** Whether another change would have another time. */
export const isSettled = ({ ctimeNs }: BigIntStats, now: bigint = BigInt(Date.now()) * 1_000_000n): boolean =>
  ctimeNs <= now - TICK_NS

/** The kernel takes no longer path in one piece. */
const LONGEST_PATH = 3600

/** Of these only secrets, repositories, links and sockets matter. */
const isForeign = (relativePath: string): boolean =>
  relativePath.split('/').some((name) => FOREIGN_FOLDERS.has(name))

/** Parts of a repository that decide what git runs, where it writes, or what it takes for its configuration. */
const GIT_PARTS = new Set(['config', 'config.worktree', 'commondir', 'gitdir', 'hooks', 'info', 'modules'])
/** A repository of its own, and what git keeps for a linked worktree. */
const REPOSITORIES = [
  ['HEAD', 'objects', 'refs'],
  ['HEAD', 'commondir'],
  ['gitdir', 'commondir'],
]
/** Named by their contents, written by git alone, and too many to walk. */
const GIT_STORES = new Set(['objects'])

type Reading = {
  readonly stamp: string
  readonly info: BigIntStats
  readonly options: Interest
  readonly known: ReadonlyMap<string, Folder>
}

export function readFolder(path: string, { stamp, info, options, known }: Reading): Folder {
  const name = basename(path)
  const now = BigInt(Date.now()) * 1_000_000n
  const dirents = read(path)
  const names = new Set(dirents?.map(({ name }) => name))
  const isRepository = name === '.git' || REPOSITORIES.some((parts) => parts.every((part) => names.has(part)))
  const isDependency = known.get(dirname(path))?.isDependency === true || DEPENDENCY_FOLDERS.has(name)
  const lists = { entries: [], denied: [], tooDeep: [], folders: [], dependencies: [] }
  const place: Place = { path, name, isRepository, isDependency, options, ...lists }
  // The last one is walked first: a repository is known whatever else there is no time for.
  const ordered = dirents?.toSorted((a, b) => Number(a.name === '.git') - Number(b.name === '.git'))
  for (const dirent of ordered ?? []) take(dirent, place)
  // What is no text was shown under a name that does not exist.
  if (dirents?.some((dirent) => dirent.name.includes(REPLACED)))
    for (const dirent of rawIn(path)) takeRaw(dirent, place)
  return {
    stamp,
    isRacy: !isSettled(info, now),
    isRepository,
    isUnread: dirents === undefined,
    isDependency,
    ...lists,
    round: 0,
  }
}

function read(path: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return undefined
  }
}

const REPLACED = '\uFFFD'

function rawIn(path: string): readonly Dirent<Buffer>[] {
  try {
    const all = readdirSync(path, { withFileTypes: true, encoding: 'buffer' })
    return all.filter(({ name }) => isRawName(fromRawName(name)))
  } catch {
    return []
  }
}

/** A folder is not walked, and a file that may be one of interest is not read: neither is to be seen. */
function takeRaw(dirent: Dirent<Buffer>, place: Place): void {
  const path = `${place.path}/${fromRawName(dirent.name)}`
  if (dirent.isDirectory()) place.tooDeep.push(path)
  else if (!dirent.isSymbolicLink() && isRawOfInterest(dirent.name.toString('utf8'), path, place))
    place.entries.push({ path, kind: 'other', stamp: '' })
}

function isRawOfInterest(name: string, path: string, place: Place): boolean {
  const { options } = place
  const relativePath = fromProject(options.project ?? options.root, `${place.path}/${name}`)
  const candidate = {
    name,
    kind: 'file',
    protection: protectionOfName(name, place.name),
    relativePath,
  } as const
  const hasOtherNames = (lstatSync(toRawBytes(path), { throwIfNoEntry: false })?.nlink ?? 0) > 1
  return (
    hasOtherNames ||
    candidate.protection === 'secret' ||
    (options.denies?.(relativePath) ?? false) ||
    isOfInterest(candidate, place)
  )
}

type Place = {
  readonly path: string
  readonly name: string
  readonly isRepository: boolean
  readonly isDependency: boolean
  readonly options: Interest
  readonly entries: Entry[]
  readonly denied: string[]
  readonly tooDeep: string[]
  readonly folders: string[]
  readonly dependencies: string[]
}

function take(dirent: Dirent, place: Place): void {
  const { name } = dirent
  const { options } = place
  const path = place.path === '/' ? `/${name}` : `${place.path}/${name}`
  const kind = kindOf(dirent)
  const relativePath = fromProject(options.project ?? options.root, path)
  const isDenied = options.denies?.(relativePath) ?? false
  if (isDenied) place.denied.push(path)
  const protection = protectionOfName(name, place.name)
  const isHidden = isDenied || protection === 'secret'
  if (isHidden || isOfInterest({ name, kind, protection, relativePath }, place)) {
    const entry = entryOf(path, kind)
    if (entry) place.entries.push(entry)
  }
  if (kind !== 'folder' || isHidden || (place.isRepository && GIT_STORES.has(name))) return
  if (path.length > LONGEST_PATH) place.tooDeep.push(path)
  else if (!place.isDependency && DEPENDENCY_FOLDERS.has(name)) place.dependencies.push(path)
  else place.folders.push(path)
}

const fromProject = (project: string, path: string): string =>
  path.startsWith(`${project}/`) ? path.slice(project.length + 1) : relative(project, path)

type Candidate = {
  readonly name: string
  readonly kind: Entry['kind']
  readonly protection: 'secret' | 'governance' | undefined
  readonly relativePath: string
}

function isOfInterest({ name, kind, protection, relativePath }: Candidate, place: Place): boolean {
  if (kind === 'link' || kind === 'socket' || kind === 'other' || name === '.git') return true
  if (place.isRepository && GIT_PARTS.has(name)) return true
  if (place.options.interesting?.(name, relativePath)) return true
  return protection !== undefined && !isForeign(relativePath)
}

function kindOf(dirent: Dirent): Entry['kind'] {
  if (dirent.isFile()) return 'file'
  if (dirent.isDirectory()) return 'folder'
  if (dirent.isSymbolicLink()) return 'link'
  return dirent.isSocket() ? 'socket' : 'other'
}

/** Nothing when it is gone again. */
function entryOf(path: string, kind: Entry['kind']): Entry | undefined {
  try {
    const info = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return info && { path, kind, stamp: stampOf(info) }
  } catch {
    return undefined
  }
}
