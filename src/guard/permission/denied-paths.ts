/**
 * Paths that deny rules close, for everything that reads: the sandbox leaves them out, and a command that names one is
 * denied. Case, `.`, `..`, a trailing slash and the way an accent is written make no difference; a rule for what is in a
 * folder closes the folder.
 */
import { posix } from 'node:path'
import type { Rule } from '../../protocol/guard.ts'
import { matchesGlob } from '../../lib/path.ts'
import type { NamedPath } from './named-paths.ts'

/** Whether reading this path, relative to `root`, is denied; a path below a denied folder is, too. */
export function createDenies(rules: readonly Rule[], root: string): (relativePath: string) => boolean {
  const patterns = denyPatterns(rules, root)
  if (patterns.length === 0) return () => false
  return (path) => {
    const name = fold(posix.normalize(path)).replace(/\/+$/, '')
    return patterns.some((pattern) => closes(pattern, name))
  }
}

/** Rules that hold for a tool that reads any path. One for commands alone names commands, not paths. */
function denyPatterns(rules: readonly Rule[], root: string): readonly string[] {
  return rules.flatMap(({ tool, verdict, pattern, exact }) =>
    verdict === 'deny' && matchesGlob('read_file', tool) && pattern !== undefined && !isForAll(pattern)
      ? [exact ? fold(pattern) : toPattern(pattern, root)]
      : [],
  )
}

/** The first rule that closes a path to commands of this tool; git may have what lies there in its history. */
export const closingPath = (rules: readonly Rule[], tool: string): Rule | undefined =>
  rules.find(
    ({ tool: meant, verdict, pattern = '' }) =>
      verdict === 'deny' &&
      pattern !== '' &&
      !isForAll(pattern) &&
      !/\s/.test(pattern) &&
      (matchesGlob('read_file', meant) || (matchesGlob(tool, meant) && pattern.includes('/'))),
  )

const isForAll = (pattern: string): boolean => pattern === '*' || pattern === '**'

/** Relative to the root, however it was written. */
export function toPattern(pattern: string, root: string): string {
  const plain = pattern.startsWith(`${root}/`) ? pattern.slice(root.length + 1) : pattern
  const isAbsolute = plain.startsWith('/')
  const normal = posix.normalize(plain).replace(/\/+$/, '')
  return fold(isAbsolute ? normal : normal.replace(/^\.\//, ''))
}

export const fold = (text: string): string => text.normalize('NFC').toLowerCase()

/** A pattern for a folder holds for everything in it, and one for everything in a folder for the folder. */
export function closes(pattern: string, name: string): boolean {
  if (pattern === '' || name === '') return false
  return (
    matchesGlob(name, pattern) ||
    matchesGlob(name, pattern.includes('/') ? `${pattern}/**` : `**/${pattern}/**`) ||
    name === pattern.replace(/\/\*\*?$/, '')
  )
}

/** The first of the paths a command names that the pattern of a rule closes. */
export function closedPath(pattern: string, named: readonly NamedPath[], root: string): string | undefined {
  if (!/[/.*]/.test(pattern)) return undefined
  const wanted = toPattern(pattern, root)
  return named.find((each) => isClosed(wanted, each, root))?.path
}

function isClosed(wanted: string, { path, glob, dynamic }: NamedPath, root: string): boolean {
  const inRoot = path === root ? '' : path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined
  const name = fold(inRoot ?? path)
  if (closes(wanted, name)) return true
  if (glob && inRoot !== undefined && couldBecome(name, wanted)) return true
  // Of `$x/secret/key` only the end is known, and it is enough.
  return dynamic && endsOf(name).some((end) => closes(wanted, end))
}

const endsOf = (name: string): readonly string[] => {
  const steps = name.split('/')
  return steps.map((_, index) => steps.slice(index).join('/'))
}

/** Step by step, a wildcard may stand for the name in the pattern. A bare star stands for everything and names nothing. */
function couldBecome(name: string, wanted: string): boolean {
  const folder = wanted.split('/').filter((step) => !/^\*\*?$/.test(step))
  const steps = name.split('/')
  if (folder.length === 0 || steps.length < folder.length) return false
  return folder.every((step, index) => {
    const given = steps[index] ?? ''
    if (given === step) return true
    return /[^*?]/.test(given) && (matchesGlob(step, given) || /[*?[]/.test(step))
  })
}
