/**
 * Credentials that lie among what is shown of a home folder: a `.npmrc` beside the versions of node, a `pip.conf` in an
 * environment, keys in a folder that the person opened. Found once, before the first command. Of stores of published
 * packages only the top is looked at: below it nothing is the person's own. What could not be looked at is hidden.
 */
import { closeSync, type Dirent, openSync, readdirSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'
import { protectionOfName } from '../paths/protected-names.ts'
import type { Masked } from './system.ts'
import type { Bound } from './toolchains.ts'

/** By the names that commands know them by. */
export function findExposedSecrets(shown: readonly Bound[]): readonly Masked[] {
  const found: Masked[] = []
  const queue: Visited[] = shown.map(({ source, target }) => ({ source, target, left: levelsOf(target) }))
  const until = performance.now() + MOST_MS
  // First in, first out: what lies near the top is looked at whatever there is no time for.
  for (const folder of queue) {
    if (performance.now() > until) found.push({ path: folder.target, kind: 'folder' })
    else visit(folder, { found, queue })
  }
  return found
}

const MOST_MS = 10_000

type Visited = {
  /** Where it lies, and what it is called inside. */
  readonly source: string
  readonly target: string
  /** How many levels are looked at; absent = all. */
  readonly left: number | undefined
}

type Finds = { readonly found: Masked[]; readonly queue: Visited[] }

function visit({ source, target, left }: Visited, { found, queue }: Finds): void {
  for (const dirent of list(source)) {
    const { name } = dirent
    const [inner, path] = [join(source, name), join(target, name)]
    if (dirent.isFile() && isSecretFile(name, source)) found.push({ path, kind: 'file' })
    if (!dirent.isDirectory()) continue
    if (protectionOfName(name, basename(target)) === 'secret') found.push({ path, kind: 'folder' })
    else if (left !== 0)
      queue.push({ source: inner, target: path, left: left === undefined ? levelsOf(path) : left - 1 })
  }
}

/** A file, or what is gone, has nothing in it. */
function list(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** The library of Python brings keys for its own tests. */
const FLAT = /\/(?:python\d[\d.]*|ruby|toolchains|doc|man|include|__pycache__)$/
const STORES =
  /\/(?:node_modules|site-packages|dist-packages|gems|registry|mod|repository|caches|pkgs|packages|hosted|store|share|jdks|candidates|\.cargo\/git)$/

const levelsOf = (path: string): number | undefined =>
  FLAT.test(path) ? 0 : STORES.test(path) ? 1 : undefined

/** Settings of package managers that may hold a password; as files of a project they rarely do. */
const SETTINGS = new Set([
  'npmrc',
  'pip.conf',
  '.condarc',
  'auth.json',
  'auth.toml',
  '.yarnrc',
  'token',
  '.token',
])

function isSecretFile(name: string, folder: string): boolean {
  if (SETTINGS.has(name)) return true
  if (protectionOfName(name, basename(folder)) !== 'secret') return false
  // Certificates of authorities end like keys do, and every download needs them.
  return !name.endsWith('.pem') || holdsKey(join(folder, name))
}

const MOST_READ = 1024 ** 2

function holdsKey(path: string): boolean {
  try {
    const file = openSync(path, 'r')
    try {
      const bytes = Buffer.alloc(MOST_READ)
      return bytes.subarray(0, readSync(file, bytes)).includes('PRIVATE KEY')
    } finally {
      closeSync(file)
    }
  } catch {
    return true
  }
}
