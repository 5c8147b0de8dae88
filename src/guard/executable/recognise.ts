/** Finds the entry of the table for a path: quick enough to be asked for every name of a large project. */
import { FOREIGN_FOLDERS } from './dependencies.ts'
import { EXECUTABLES, type Executable } from './table.ts'

/** `path` from the project's root, or from the folder of a repository. */
export type Recognise = (path: string) => Executable | undefined

export const recogniseInProject: Recognise = createRecogniser(
  EXECUTABLES.filter((entry) => !entry.inRepository),
)

const inRepository = createRecogniser(EXECUTABLES.filter((entry) => entry.inRepository))

/** Samples that git brings along are never run. */
export const recogniseInRepository: Recognise = (path) =>
  path.toLowerCase().endsWith('.sample') ? undefined : inRepository(path)

/** Whether a path of the project has a name that runs unprompted, in other people's packages as well. */
export const isUnprompted = (path: string): boolean => unprompted(path) !== undefined

const unprompted = createRecogniser(
  EXECUTABLES.filter((entry) => !entry.inRepository && entry.runs === 'unprompted').map((entry) => ({
    ...entry,
    inDependencies: true as const,
  })),
)

/** Whether the sandbox keeps a name read-only where it exists; both names folded already. */
export function isReadOnly(name: string, parent: string | undefined): boolean {
  const known = READ_ONLY.names.get(name)
  if (known) return known.some((above) => above === undefined || above === parent)
  return READ_ONLY.patterns.some((pattern) => pattern.test(name))
}

const READ_ONLY = toNames(EXECUTABLES.flatMap(({ readOnly = [] }) => readOnly))

function toNames(paths: readonly string[]) {
  const names = new Map<string, (string | undefined)[]>()
  const patterns: RegExp[] = []
  for (const path of paths) {
    const [name = '', parent] = path
      .replace(/\/\*\*$/, '')
      .split('/')
      .toReversed()
    if (name.includes('*')) patterns.push(toPattern(name))
    else names.set(name, [...(names.get(name) ?? []), parent])
  }
  return { names, patterns }
}

/** Whether a file of the project runs once a user starts it: package scripts, build files, CI. */
export const isStartedByUser = (path: string): boolean => recogniseInProject(path)?.runs === 'started'

/** `segments` in lower case, all of which must be consecutive. */
type Ending = { readonly segments: readonly string[]; readonly entry: Executable }

function createRecogniser(entries: readonly Executable[]): Recognise {
  const index = toIndex(entries)
  return (path) => {
    const segments = fold(path).split('/')
    const found = strictest(findFile(segments, index), findFolder(segments, index.folders))
    if (!found || found.inDependencies) return found
    return segments.slice(0, -1).some((name) => FOREIGN_FOLDERS.has(name)) ? undefined : found
  }
}

/** A name that runs when started does not count in a folder that runs unprompted: `.husky/Makefile`. */
const strictest = (file: Executable | undefined, folder: Executable | undefined): Executable | undefined =>
  folder?.runs === 'unprompted' && file?.runs !== 'unprompted' ? folder : (file ?? folder)

/** As file systems compare that ignore case or the way letters are composed. */
function fold(path: string): string {
  return path.normalize('NFKC').toLowerCase()
}

/** What stands below a link of this name, as far as the table knows: `config.toml` for `.cargo`. */
export const belowLink = (name: string): readonly { readonly rest: string; readonly entry: Executable }[] =>
  BELOW.get(fold(name)) ?? []

const BELOW = toBelow(EXECUTABLES.filter(({ inRepository, runs }) => !inRepository && runs === 'unprompted'))

function toBelow(entries: readonly Executable[]) {
  const below = new Map<string, { rest: string; entry: Executable }[]>()
  for (const entry of entries) {
    for (const path of entry.paths) {
      const segments = fold(path)
        .replace(/\/\*\*$/, '')
        .split('/')
      for (let at = 1; at < segments.length; at++) {
        const name = segments[at - 1] ?? ''
        below.set(name, [...(below.get(name) ?? []), { rest: segments.slice(at).join('/'), entry }])
      }
    }
  }
  return below
}

type Index = {
  readonly files: ReadonlyMap<string, readonly Ending[]>
  readonly patterns: readonly { readonly pattern: RegExp; readonly entry: Executable }[]
  readonly folders: ReadonlyMap<string, readonly Ending[]>
}

function toIndex(entries: readonly Executable[]): Index {
  const files = new Map<string, Ending[]>()
  const folders = new Map<string, Ending[]>()
  const patterns: { pattern: RegExp; entry: Executable }[] = []
  for (const entry of entries) {
    for (const path of entry.paths.map(fold)) {
      const isFolder = path.endsWith('/**')
      const segments = (isFolder ? path.slice(0, -3) : path).split('/')
      const last = segments.at(-1) ?? ''
      if (last.includes('*')) patterns.push({ pattern: toPattern(last), entry })
      else {
        const map = isFolder ? folders : files
        map.set(last, [...(map.get(last) ?? []), { segments, entry }])
      }
    }
  }
  return { files, patterns, folders }
}

function toPattern(name: string): RegExp {
  return new RegExp(`^${name.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 's')
}

function findFile(segments: readonly string[], { files, patterns }: Index): Executable | undefined {
  const name = segments.at(-1) ?? ''
  const known = files.get(name)?.find((ending) => endsWith(segments, segments.length, ending))
  return known?.entry ?? patterns.find(({ pattern }) => pattern.test(name))?.entry
}

function findFolder(segments: readonly string[], folders: Index['folders']): Executable | undefined {
  // The folder itself as well: a link or file may replace it.
  for (let at = 1; at <= segments.length; at++) {
    const found = folders.get(segments[at - 1] ?? '')?.find((ending) => endsWith(segments, at, ending))
    if (found) return found.entry
  }
  return undefined
}

const endsWith = (segments: readonly string[], length: number, ending: Ending): boolean =>
  ending.segments.every((name, at) => segments[length - ending.segments.length + at] === name)
