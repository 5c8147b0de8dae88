/**
 * The one rule about where files may lie: inside the roots once every link is followed, also for what does not exist yet,
 * and under no protected name. Paths are walked step by step as the kernel would, because folding `link/..` as text gives
 * another place than following it.
 */
import { lstat, readlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, parse, resolve, sep } from 'node:path'
import { errorMessage } from '../../protocol/error.ts'
import { isInside } from '../../lib/path.ts'
import { isRepositoryFile } from '../executable/repository-file.ts'
import { type Protection, protectionOf } from './protected-names.ts'

export type ContainOptions = {
  readonly roots: readonly string[]
  readonly operation: 'read' | 'write'
  /** Whether a file with a harmless name is run unprompted, because a link or a setting leads to it. */
  obeys?(real: string): Promise<boolean>
}

export type Containment = {
  readonly ok: boolean
  /** Where the path really leads, links followed; absent when that could not be found out. */
  readonly real?: string
  /** For a person or a model, when not ok. */
  readonly why?: string
  readonly protected?: Protection
}

export async function containPath(path: string, options: ContainOptions): Promise<Containment> {
  if (path.includes('\0')) return { ok: false, why: 'the path holds a NUL character' }
  try {
    return await judge(path, options)
  } catch (error) {
    return { ok: false, why: errorMessage(error) }
  }
}

async function judge(path: string, { roots, operation, obeys }: ContainOptions): Promise<Containment> {
  const absolute = isAbsolute(path) ? path : join(resolve(roots[0] ?? '.'), sep) + path
  const real = await followLinks(absolute)
  const root = await firstHolding(roots, real)
  if (root === undefined || isSystem(real)) return { ok: false, real, why: OUTSIDE }

  const runsLater = async (): Promise<boolean> =>
    operation === 'write' && ((await isRepositoryFile(real, root)) || ((await obeys?.(real)) ?? false))
  const protection =
    protectionOf(belowAny(absolute, [...roots, root])) ??
    protectionOf(real.slice(root.length)) ??
    ((await runsLater()) ? 'governance' : undefined)
  const isRefused = protection === 'secret' || (protection && operation === 'write')
  if (isRefused) return { ok: false, real, protected: protection, why: reasons[protection] }
  if (operation === 'write' && (await hasOtherNames(real))) {
    return {
      ok: false,
      real,
      why: 'it is a hard link: writing it may change a file outside the project; replace it by a copy first',
    }
  }
  return { ok: true, real, ...(protection && { protected: protection }) }
}

export const OUTSIDE = 'it lies outside the project'

const reasons: Readonly<Record<Protection, string>> = {
  secret: 'it may hold secrets, which are neither read nor written',
  governance: 'it decides what runs later, so it is read but not written; the person can change it',
}

const MAX_LINKS = 40

/** Where the kernel would end up. From the first missing step on there is nothing to follow. */
async function followLinks(path: string): Promise<string> {
  const { root } = parse(path)
  let current = root
  let steps = path.slice(root.length).split(sep)
  for (let links = 0; steps.length > 0;) {
    const [step = '', ...rest] = steps
    steps = rest
    if (step === '' || step === '.') continue
    const next = step === '..' ? dirname(current) : join(current, step)
    const target = step === '..' ? undefined : await linkTarget(next)
    if (target === undefined) {
      current = next
      continue
    }
    if (++links > MAX_LINKS) throw new Error(`${path} goes through too many links`)
    if (isAbsolute(target)) current = parse(target).root
    steps = [...target.split(sep), ...rest]
  }
  return current
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    const info = await lstat(path)
    return info.isSymbolicLink() ? await readlink(path) : undefined
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')

async function firstHolding(roots: readonly string[], real: string): Promise<string | undefined> {
  for (const root of roots) {
    const folder = await followLinks(resolve(root))
    if (isInside(folder, real)) return folder
  }
  return undefined
}

/** Even a project at `/` has no business with devices and the kernel's own files. */
const isSystem = (real: string): boolean => ['/proc', '/sys', '/dev'].some((folder) => isInside(folder, real))

/** The part of a path below the first root that is its text prefix; a root's own name is not judged. */
function belowAny(path: string, roots: readonly string[]): string {
  const root = roots.map((folder) => resolve(folder)).find((folder) => path.startsWith(join(folder, sep)))
  return root === undefined ? path : path.slice(root.length)
}

async function hasOtherNames(real: string): Promise<boolean> {
  try {
    const info = await lstat(real)
    return info.isFile() && info.nlink > 1
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
