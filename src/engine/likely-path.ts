/** Paths of a project that could be meant by one that does not exist: by name, by spelling, by nearness. Bounded. */
import { posix } from 'node:path'
import type { Files } from '../protocol/tool.ts'
import { distance } from '../lib/nearest.ts'

export type Tree = { readonly paths: readonly string[]; readonly isWhole: boolean }

const MOST_ENTRIES = 5000
const SKIPPED = new Set(['node_modules/', '.git/'])

/** Files and folders, the shallow ones first. */
export async function walk(project: Pick<Files, 'list'>): Promise<Tree> {
  const paths: string[] = []
  const folders = ['.']
  for (const folder of folders) {
    const names = (await project.list(folder).catch(() => [])).filter((name) => !SKIPPED.has(name))
    if (paths.length + names.length > MOST_ENTRIES) return { paths, isWhole: false }
    for (const name of names) {
      const path = posix.join(folder, name)
      paths.push(path.replace(/\/$/, ''))
      if (path.endsWith('/')) folders.push(path.replace(/\/$/, ''))
    }
  }
  return { paths, isWhole: true }
}

/** The one path this can mean; nothing when there are two, or when not everything could be looked at. */
export function onlyLikely(path: string, { paths, isWhole }: Tree): string | undefined {
  if (!isWhole) return undefined
  const namesakes = paths.filter((candidate) => baseOf(candidate) === baseOf(path))
  if (namesakes.length === 1) return namesakes[0]
  const alike = (namesakes.length > 0 ? namesakes : paths).filter((candidate) => isSlip(path, candidate))
  return alike.length === 1 ? alike[0] : undefined
}

/** One or two letters off. Short names and numbers differ on purpose: `a.ts` is not `b.ts`, `test1` is not `test2`. */
function isSlip(path: string, candidate: string): boolean {
  const slips = stemOf(path).length >= 8 ? 2 : 1
  const isTooShort = stemOf(path).length < 4 && stemOf(path) !== stemOf(candidate)
  if (isTooShort || Math.abs(path.length - candidate.length) > slips) return false
  return (
    digitsOf(path) === digitsOf(candidate) && distance(path.toLowerCase(), candidate.toLowerCase()) <= slips
  )
}

const SHOWN = 6

/** What to offer instead: the same name elsewhere, then alike names, then the content of the requested folder. */
export function nearestPaths(path: string, paths: readonly string[]): readonly string[] {
  const scored = paths.map((candidate) => ({ candidate, score: strangeness(path, candidate) }))
  return scored
    .toSorted((a, b) => a.score - b.score)
    .slice(0, SHOWN)
    .map(({ candidate }) => candidate)
}

function strangeness(path: string, candidate: string): number {
  const name = baseOf(path)
  const other = baseOf(candidate)
  if (name === other) return 0
  const isUnlike = Math.abs(name.length - other.length) > Math.min(name.length, other.length)
  const share = isUnlike ? 1 : distance(name, other) / name.length
  const sameStem = stemOf(path).toLowerCase() === stemOf(candidate).toLowerCase() ? 0.5 : 0
  const sameFolder = posix.dirname(path) === posix.dirname(candidate) ? 0.3 : 0
  const depth = candidate.split('/').length / 100
  return 1 + share + depth - sameStem - sameFolder
}

const baseOf = (path: string): string => posix.basename(path).toLowerCase()
const stemOf = (path: string): string => posix.basename(path, posix.extname(path))
const digitsOf = (path: string): string => path.replaceAll(/\D+/g, ' ')
