/**
 * Ignore files that ripgrep would wait for: a link to /dev/zero never ends, a pipe never begins. ripgrep has no option to
 * pass over them, so a search in their reach is refused with the path. Those above and at the top are looked at before
 * every search, those further down only once a search takes long.
 */
import { type Dirent } from 'node:fs'
import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '../protocol/error.ts'

const NAMES = ['.gitignore', '.ignore', '.rgignore']
/** A search that takes this long is worth looking at every folder. */
const LONG_MS = 1_500
/** No list of patterns that a person wrote is larger. */
const LARGEST = 1 << 20
const MOST_FOLDERS = 50_000

export type SearchIn = { readonly root: string; readonly signal: AbortSignal }

/** Throws `tool-failed` with the file that blocks; `search` is aborted then. */
export async function withoutBlocking<T>(
  { root, signal }: SearchIn,
  search: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const top = await firstBlocking([
    ...ancestorsOf(root).flatMap(ignoreFilesIn),
    join(root, '.git/info/exclude'),
  ])
  if (top !== undefined) throw blocked(root, top)
  const over = new AbortController()
  const both = AbortSignal.any([signal, over.signal])
  const running = search(both)
  try {
    return await Promise.race([running, blockedBelow(root, both)])
  } finally {
    over.abort()
    running.catch(() => {})
  }
}

const ignoreFilesIn = (folder: string): string[] => NAMES.map((name) => join(folder, name))

const ancestorsOf = (folder: string): readonly string[] => {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...ancestorsOf(above)]
}

const blocked = (root: string, path: string): AppError =>
  new AppError(
    'tool-failed',
    `${relative(root, path) || path} is not an ordinary file of patterns, and a search would wait for it for ever. Remove it: rm ${relative(root, path) || path}`,
  )

/** Rejects when there is one; never resolves. */
async function blockedBelow(root: string, signal: AbortSignal): Promise<never> {
  const found = await wait(LONG_MS, undefined, { signal, ref: false }).then(
    () => findBelow(root, signal),
    () => undefined,
  )
  if (found !== undefined) throw blocked(root, found)
  return new Promise<never>(() => {})
}

async function findBelow(root: string, signal: AbortSignal): Promise<string | undefined> {
  const folders = [root]
  for (const folder of folders) {
    if (signal.aborted || folders.length > MOST_FOLDERS) return undefined
    const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => [])
    const special = entries.filter((entry) => NAMES.includes(entry.name) && !entry.isFile())
    const found = await firstBlocking(special.map(({ name }) => join(folder, name)))
    if (found !== undefined) return found
    for (const entry of entries)
      if (entry.isDirectory() && entry.name !== '.git') folders.push(join(folder, entry.name))
  }
  return undefined
}

async function firstBlocking(paths: readonly string[]): Promise<string | undefined> {
  const found = await Promise.all(paths.map(async (path) => ((await isBlocking(path)) ? [path] : [])))
  return found.flat()[0]
}

/** What cannot be looked at cannot be opened by ripgrep either. */
async function isBlocking(path: string): Promise<boolean> {
  const own = await lstat(path).catch(() => undefined)
  if (!own || own.isFile() || own.isDirectory()) return false
  const target = own.isSymbolicLink() ? await stat(path).catch(() => undefined) : own
  if (!target || target.isDirectory()) return false
  if (!target.isFile() || target.size > LARGEST) return true
  const real = await realpath(path).catch(() => readlink(path))
  return /^\/(?:proc|sys|dev)\//.test(real)
}
