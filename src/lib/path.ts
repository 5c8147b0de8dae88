/** Paths as text. Nothing here touches the disk; what a link points to is the guard's business. */
import { isAbsolute, posix, relative, sep } from 'node:path'

/** Whether `path` is `folder` or lies under it. Both absolute and already resolved. */
export function isInside(folder: string, path: string): boolean {
  const step = relative(folder, path)
  return step === '' || (step !== '..' && !step.startsWith(`..${sep}`) && !isAbsolute(step))
}

/** The same for paths from one root, however they are written: `a/../b` is not under `a`. */
export function isUnder(folder: string, path: string): boolean {
  const place = posix.relative(posix.normalize(toPosix(folder)), posix.normalize(toPosix(path)))
  return place !== '..' && !place.startsWith('../')
}

export const toPosix = (path: string): string => (sep === '\\' ? path.replaceAll('\\', '/') : path)

/**
 * Whether a posix path matches a glob with `*`, `**`, `?`, `[...]` and `{a,b}`. A glob without a slash is matched against
 * the file name, as in an ignore file. Node's own `path.matchesGlob` prints a warning on every version we support.
 */
export function matchesGlob(path: string, glob: string): boolean {
  const subject = glob.includes('/') ? path : path.slice(path.lastIndexOf('/') + 1)
  return toPattern(glob.replace(/^\.?\//, '')).test(subject)
}

const TOKENS = /\*\*\/|\*\*|\*|\?|\[[!^]?[^\]/]+\]|[{},]|[^*?[{},]+|\[/g

function toPattern(glob: string): RegExp {
  let depth = 0
  const parts = Array.from(glob.matchAll(TOKENS), ([token]) => {
    if (token === '{') depth++
    if (token === '}' && depth > 0) {
      depth--
      return ')'
    }
    if (token === ',' && depth > 0) return '|'
    return toSource(token)
  })
  const source = parts.join('') + ')'.repeat(depth)
  return new RegExp(`^${source}$`, 's')
}

function toSource(token: string): string {
  if (token === '**/') return '(?:[^/]*/)*'
  if (token === '**') return '.*'
  if (token === '*') return '[^/]*'
  if (token === '?') return '[^/]'
  if (token === '{') return '(?:'
  if (/^\[.+\]$/s.test(token)) return `[${token.slice(1, -1).replace(/^!/, '^').replaceAll('\\', '\\\\')}]`
  return token.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
