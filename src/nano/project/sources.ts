/** What a project offers to a request: its paths and scripts. Reads through the guard, bounded, only what it needs. */
import type { Files } from '../../protocol/tool.ts'
import { clausesOf } from '../request/clauses.ts'
import type { ListedLine, Script, Sources } from '../weights/format.ts'
import type { NanoCall } from '../steps/run.ts'
import type { EditProject } from '../edits/lines.ts'
import { createPathProject, type PathProject } from '../paths/project.ts'
import { MAX_LINES, matchLines } from './lines.ts'
import { createPathIndex, MAX_PATHS, type PathIndex } from '../paths/named.ts'
import { projectScripts, requestScripts, scriptFiles } from './scripts.ts'

export type ProjectFiles = Pick<Files, 'list' | 'read' | 'info'>

/** For the first clause, filled up with what the whole request speaks of. */
export async function findSources(
  request: string,
  files: ProjectFiles,
  first = clausesOf(request)[0] ?? request,
): Promise<Sources> {
  const project = await readProject(files)
  const whole = await sourcesOf(request, project, files)
  if (first === request) return whole
  const { paths, lines } = await sourcesOf(first, project, files)
  return {
    ...whole,
    paths: [...new Set([...paths, ...whole.paths])].slice(0, MAX_PATHS),
    lines: uniqueLines([...lines.slice(0, MOST_OF_FIRST), ...whole.lines]).slice(0, MAX_LINES),
  }
}

const MOST_OF_FIRST = 6
const MAX_CLAUSE_PATHS = 16

/** For a later clause of a request: what it speaks of, and what the steps before it did. */
export async function clauseSources(
  { clause, whole, recent }: LaterClause,
  files: ProjectFiles,
): Promise<Sources> {
  const project = await readProject(files)
  const found = await sourcesOf(clause, project, files, { whole, recent })
  return { ...found, paths: [...new Set([...found.paths, ...recent])].slice(0, MAX_CLAUSE_PATHS) }
}

type LaterClause = {
  readonly clause: string
  readonly whole: string
  /** Paths of the steps so far. */
  readonly recent: readonly string[]
}

/** Words that its paths are made of. */
export async function pathWords(files: ProjectFiles): Promise<ReadonlySet<string>> {
  const paths = await listPaths(files)
  return new Set(paths.flatMap((path) => path.toLowerCase().match(/\p{L}+/gu) ?? []))
}

type Project = {
  readonly paths: readonly string[]
  readonly scripts: readonly Script[]
  readonly index: PathIndex
}

async function readProject(files: ProjectFiles): Promise<Project> {
  const [paths, scripts] = await Promise.all([listPaths(files), readScripts(files)])
  return { paths, scripts, index: createPathIndex(paths) }
}

/** Its paths and texts, for the rankings; files that the request names come first where not all can be read. */
export async function pathProject(request: string, files: ProjectFiles): Promise<PathProject> {
  const paths = await listPaths(files)
  return createPathProject(paths, await readTexts(paths, createPathIndex(paths).ranks(request), files))
}

/** Its texts, those of files that a clause names first, and the index of its paths. */
export async function textsFor(clause: string, files: ProjectFiles): Promise<EditProject> {
  const paths = await listPaths(files)
  const index = createPathIndex(paths)
  return { texts: await readTexts(paths, index.ranks(clause), files), index }
}

/** How much a line of a file counts that an earlier step was about. */
const RECENT_RANK = 6

async function sourcesOf(
  request: string,
  { paths, scripts, index }: Project,
  files: ProjectFiles,
  { whole, recent }: Omit<LaterClause, 'clause'> = { whole: '', recent: [] },
): Promise<Sources> {
  const ranks = index.ranks(request)
  const done = recent.map((path) => [path, RECENT_RANK] as const)
  const known = new Map([...done, ...ranks])
  const runnable = new Map([...ranks, ...done.filter(([path]) => !ranks.has(path))])
  return {
    paths: index.match(request),
    scripts: requestScripts(request, scripts, runnable, whole),
    ids: [],
    lines: matchLines(request, await readTexts(paths, known, files), known),
  }
}

const uniqueLines = (lines: readonly ListedLine[]): ListedLine[] => [
  ...new Map(lines.map((line) => [`${line.path}\n${line.number}`, line])).values(),
]

const MOST_PATHS = 3000
const MOST_FOLDERS = 300

/** Made by programs, or not the project's own: a request never names a file in there by one word. */
const SKIPPED = new Set(
  '.git node_modules __pycache__ .venv venv dist build target coverage .next .cache .covey'
    .split(' ')
    .map((name) => `${name}/`),
)

/** Files, the shallow ones first: in a project that is too large for all of them, those are the ones people name. */
async function listPaths(files: ProjectFiles): Promise<string[]> {
  const paths: string[] = []
  const folders = ['']
  for (const folder of folders) {
    const names = await files.list(folder === '' ? '.' : folder.slice(0, -1)).catch(() => [])
    for (const name of names) {
      if (paths.length >= MOST_PATHS) return paths
      if (!name.endsWith('/')) paths.push(folder + name)
      else if (!SKIPPED.has(name) && folders.length < MOST_FOLDERS) folders.push(folder + name)
    }
  }
  return paths
}

const MOST_TEXTS = 200
const MOST_CHARACTERS = 500_000
/** Requests are never about a line of these. */
const NO_TEXT =
  /\.(?:png|jpe?g|gif|svg|pdf|zip|gz|tgz|wasm|woff2?|ico|mp[34]|gguf|bin|exe|so|o|map|parquet|xlsx|db|sqlite)$|[.-]lock\b|lock\.json$/i

/** Files that the request names first, then the shallow ones, as far as a quick look goes. */
async function readTexts(
  paths: readonly string[],
  ranks: ReadonlyMap<string, number>,
  files: ProjectFiles,
): Promise<ReadonlyMap<string, string>> {
  const order = paths
    .filter((path) => !NO_TEXT.test(path))
    .toSorted((a, b) => (ranks.get(b) ?? 0) - (ranks.get(a) ?? 0) || depthOf(a) - depthOf(b))
    .slice(0, MOST_TEXTS)
  const texts = new Map<string, string>()
  let size = 0
  for (const path of order) {
    const text = size < MOST_CHARACTERS ? await files.read(path).catch(() => '') : ''
    size += text.length
    if (text !== '') texts.set(path, text)
  }
  return texts
}

const depthOf = (path: string): number => path.split('/').length

async function readScripts(files: ProjectFiles): Promise<Script[]> {
  const texts = await Promise.all(
    scriptFiles.map(async (file) => [file, await files.read(file).catch(() => undefined)] as const),
  )
  return projectScripts(Object.fromEntries(texts.filter(([, text]) => text !== undefined)))
}

/** Nothing can be appended to a file that is not there: it is made. */
export async function withoutNeedlessAppend(call: NanoCall, files: ProjectFiles): Promise<NanoCall> {
  const { append, ...input } = call.input
  if (append !== true || call.name !== 'write_file') return call
  const info = await files.info(String(input['path'])).catch(() => 'unknown')
  return info === undefined ? { ...call, input } : call
}
