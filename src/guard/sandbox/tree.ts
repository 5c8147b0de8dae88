/**
 * An index of the project tree: what in it is secret, decides what runs later, or leads elsewhere. The first walk is
 * complete before the first command; later ones read again only the folders that changed. Links are never followed.
 * A walk that ran out of time says so: the sandbox then protects more, never less.
 */
import { lstatSync, type BigIntStats } from 'node:fs'
import { setImmediate as breathe } from 'node:timers/promises'
import { type Folder, type Interest, readFolder, stampOf } from './tree-folder.ts'

/** Something of interest: an absolute path none of whose parents is a link, its kind, and what changes with it. */
export type TreeEntry = Folder['entries'][number]

export type TreeState = {
  /** False: there were more files than could be looked at in time. */
  readonly complete: boolean
  readonly entries: readonly TreeEntry[]
  /** Folders git keeps repositories in: `.git` folders, those of submodules and worktrees, and bare ones. */
  readonly repositories: readonly string[]
  /** Paths that `denies` named. What lies below such a folder was not looked at. */
  readonly denied: readonly string[]
  /** Folders that could not be read, or lie too deep to be named. */
  readonly unread: readonly string[]
  /** Folders came, went or changed places during the walk, so that it may have missed something. */
  readonly isMoving?: boolean
  /** What a walked folder looked like when it was read; it changes with every name in it. */
  stampOf(folder: string): string | undefined
  /** All folders that were walked. */
  folders(): Iterable<string>
}

export type TreeOptions = Interest & {
  /** Further folders that are walked, outside `root`: a repository elsewhere. */
  readonly also?: readonly string[]
  /** Called now and then during the first walk with the number of folders seen. */
  onProgress?(folders: number): void
  /** For the first walk; the same again for dependency folders such as `node_modules`. */
  readonly limitMs?: number
}

export interface Tree {
  /** How the tree is now. Calls at the same time wait for each other. */
  refresh(): Promise<TreeState>
}

const FIRST_LIMIT_MS = 30_000
const LATER_LIMIT_MS = 5_000

export function createTree(options: TreeOptions): Tree {
  const folders = new Map<string, Folder>()
  let round = 0
  let last: Promise<unknown> = Promise.resolve()

  const refresh = async (): Promise<TreeState> => {
    round++
    const limitMs = round === 1 ? (options.limitMs ?? FIRST_LIMIT_MS) : LATER_LIMIT_MS
    const { complete, isMoving } = await walk({ folders, round, options, limitMs })
    return { ...toState(folders, { round, complete }), isMoving }
  }
  return {
    refresh() {
      const next = last.then(refresh, refresh)
      last = next.catch(() => undefined)
      return next
    },
  }
}

type Walk = {
  readonly folders: Map<string, Folder>
  readonly round: number
  readonly options: TreeOptions
  readonly limitMs: number
}

/** Dependency folders come last and have their own time: whatever is in them, the project itself was looked at. */
async function walk({ folders, round, options, limitMs }: Walk): Promise<Walked> {
  const own: string[] = [...(options.also ?? []), options.root]
  const dependencies: string[] = []
  let seen = 0
  let isMoving = false
  const drain = async (queue: string[]): Promise<boolean> => {
    const started = performance.now()
    let pausedAt = started
    for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
      const known = folders.get(path)
      const folder = visit(path, { folders, round, options })
      isMoving ||= folder === undefined || (known !== undefined && !holdsSame(known, folder))
      for (const child of folder?.folders ?? []) queue.push(child)
      for (const child of folder?.dependencies ?? []) dependencies.push(child)
      seen++
      const now = seen % CHECKED_EVERY === 0 ? performance.now() : pausedAt
      if (now - started > limitMs) return false
      if (now - pausedAt < SLICE_MS) continue
      if (round === 1) options.onProgress?.(seen)
      await breathe()
      pausedAt = performance.now()
    }
    return true
  }
  const complete = (await drain(own)) && (await drain(dependencies))
  if (complete) for (const [path, folder] of folders) if (folder.round !== round) folders.delete(path)
  return { complete, isMoving }
}

type Walked = { readonly complete: boolean; readonly isMoving: boolean }

function holdsSame(one: Folder, other: Folder): boolean {
  if (one === other) return true
  const [before, after] = [one, other].map(({ folders, dependencies }) => [...folders, ...dependencies])
  const names = new Set(after)
  return before?.length === names.size && before.every((path) => names.has(path))
}

const CHECKED_EVERY = 64
/** Nothing else runs for longer than this because of a walk. */
const SLICE_MS = 25

type Visit = Pick<Walk, 'folders' | 'round' | 'options'>

function visit(path: string, { folders, round, options }: Visit): Folder | undefined {
  const info = look(path)
  const known = folders.get(path)
  if (info === undefined || !info.isDirectory()) {
    folders.delete(path)
    return undefined
  }
  const stamp = stampOf(info)
  const isSame = known !== undefined && known.stamp === stamp && !known.isRacy
  const folder = isSame ? known : readFolder(path, { stamp, info, options, known: folders })
  folder.round = round
  folders.set(path, folder)
  return folder
}

function look(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

type Round = { readonly round: number; readonly complete: boolean }

/** Contents may change without their folder: every file of interest is looked at each time. Links and sockets cannot. */
function toState(folders: ReadonlyMap<string, Folder>, { complete }: Round): TreeState {
  const entries: TreeEntry[] = []
  const repositories: string[] = []
  const denied: string[] = []
  const unread: string[] = []
  for (const [path, folder] of folders) {
    if (folder.isRepository) repositories.push(path)
    if (folder.isUnread) unread.push(path)
    for (const each of folder.denied) denied.push(each)
    for (const entry of folder.entries) {
      const info = entry.kind === 'file' || entry.kind === 'folder' ? look(entry.path) : undefined
      entries.push(info ? { ...entry, stamp: stampOf(info) } : entry)
    }
  }
  const stamps = (folder: string): string | undefined => folders.get(folder)?.stamp
  return {
    complete,
    entries,
    repositories,
    denied,
    unread: unread.concat(tooDeep(folders)),
    stampOf: stamps,
    folders: () => folders.keys(),
  }
}

const tooDeep = (folders: ReadonlyMap<string, Folder>): readonly string[] =>
  Array.from(folders.values()).flatMap((folder) => folder.tooDeep)
