/**
 * The path a model meant. Models write back-slashes, quotes, absolute paths, the project's own name in front, another
 * case, or a file they saw in another folder. What can only mean one existing path is corrected and said so; otherwise
 * the model is shown what exists. A path outside the project is handed on untouched: the guard refuses it.
 */
import { basename, posix } from 'node:path'
import type { Files } from '../protocol/tool.ts'
import { isInside, toPosix } from '../lib/path.ts'
import { clip } from '../lib/text.ts'
import { nearestPaths, onlyLikely, walk } from './likely-path.ts'

export type Project = Pick<Files, 'root' | 'list' | 'info'>

export type PreflightOptions = {
  /** The call may make a new file: only its folders are looked up. */
  readonly creates?: boolean
  /** The folder commands run in, where it is not the root. */
  readonly cwd?: string
}

export type Preflight =
  | { readonly path: string; /** What was corrected, for the model. */ readonly repaired?: string }
  | { /** What to tell the model. */ readonly missing: string }

export async function preflightPath(
  path: string,
  project: Project,
  { creates = false, cwd = project.root }: PreflightOptions = {},
): Promise<Preflight> {
  if (path.length > LONGEST_PATH) return { missing: explainLong(path) }
  const plain = posix.normalize(path === '' ? '.' : path).replace(/(?<=.)\/$/, '')
  const isPlain = !posix.isAbsolute(plain) && !isOutside(plain)
  if (isPlain && (await exists(project, plain))) return { path: plain }

  const meant = toRelative(written(path), project.root)
  const corrected = (found: string): Preflight =>
    found === plain ? { path: found } : { path: found, repaired: `[path corrected: ${path} -> ${found}]` }
  if (meant === undefined) {
    const own = await fromElsewhere(written(path), project, creates)
    return own === undefined ? { path } : corrected(own)
  }
  const found = creates
    ? await placeNew(meant, project)
    : await firstExisting(project, [
        meant,
        ...withoutMention(meant),
        posix.join(toRelative(toPosix(cwd), project.root) ?? '.', meant),
        ...withoutDoubling(meant, project.root),
      ])
  if (found !== undefined) return corrected(found)
  const sameLetters = await matchCase(meant, project)
  if (sameLetters !== undefined) return corrected(sameLetters)

  const tree = await walk(project)
  const likely = onlyLikely(meant, tree)
  return likely === undefined ? { missing: explainMissing(meant, tree.paths) } : corrected(likely)
}

/** No system takes a longer one: the model wrote something else in its place. */
const LONGEST_PATH = 4096

const explainLong = (path: string): string =>
  `A path of ${path.length} characters cannot exist; it begins with ${JSON.stringify(clip(path, 80))}. Give the path alone.`

/** Without what stands round a path in prose and code: colours, a link, a label, quotes, a line behind it, a token. */
const written = (path: string): string =>
  decodeFileUrl(
    path
      .replaceAll(COLOURS, '')
      .replace(/<\|.*$/s, '')
      .trim()
      .replace(/^\[[^\]\n]*\]\(([^()\s]+)\)$/, '$1')
      .replace(/^(?:path|file(?:_?(?:name|path))?)\s*[:=]\s*(?=[^\s/])/i, '')
      .replace(/^(?<quote>["'`*]+)(.*)\k<quote>$/s, '$2')
      .replace(/^<([^<>\s]+)>$/, '$1')
      .replace(LINE_BEHIND, ''),
  ).replaceAll('\\', '/')

const COLOURS = /\u001B\[[\d;]*m/g

/** `a.js:12`, `a.js:12:5`, `a.js:1-4`, `a.js#L3-L7`, `a.js (line 3)`. */
const LINE_BEHIND =
  /(?<=[\w)\]])(?::\d+(?:[:-]\d+)*|#L\d+(?:-L?\d+)?|,? \(?lines? \d+(?: ?[-–] ?\d+)?\)?):?$/i

function decodeFileUrl(path: string): string {
  if (!path.startsWith('file://')) return path
  const plain = path.slice('file://'.length)
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}

const isOutside = (path: string): boolean => path === '..' || path.startsWith('../')

/** Relative to the root, or nothing for a path outside it. */
function toRelative(path: string, root: string): string | undefined {
  const clean = posix.normalize(path === '' ? '.' : path).replace(/(?<=.)\/$/, '')
  const isAbsolute = posix.isAbsolute(clean) || /^[a-z]:\//i.test(clean)
  if (!isAbsolute) return isOutside(clean) ? undefined : clean
  const base = toPosix(root)
  return isInside(base, clean) ? posix.relative(base, clean) || '.' : undefined
}

/** Where other machines keep projects. A path of the system, or of a folder beside this project, is meant as it is. */
const ELSEWHERE =
  /^(?:\/(?:home|Users)\/[^/]+|\/(?:workspaces?|app|code|repos?|projects?|src|mnt\/data|tmp\/\w+|usr\/src\/app|testbed)|[a-z]:\/Users\/[^/]+)\//i

/** A path of another machine, by its longest part that exists here; a new file, by its folder. */
async function fromElsewhere(path: string, project: Project, creates: boolean): Promise<string | undefined> {
  const clean = posix.normalize(path)
  const beside = `${posix.dirname(toPosix(project.root))}/`
  if (!ELSEWHERE.test(clean) || (beside !== '/' && clean.startsWith(beside))) return undefined
  const parts = clean.split('/').filter(Boolean)
  const suffixes = parts.map((_, index) => parts.slice(index).join('/'))
  const found = await firstExisting(project, suffixes)
  if (found !== undefined || !creates) return found
  for (const suffix of suffixes.slice(0, -1)) {
    if (await exists(project, posix.dirname(suffix))) return suffix
  }
  return posix.basename(clean)
}

/** `@src/a.ts` puts a file into a prompt. */
const withoutMention = (path: string): readonly string[] => (path.startsWith('@') ? [path.slice(1)] : [])

/** `src/src/a.ts` and `project/src/a.ts` where only `src/a.ts` exists. */
function withoutDoubling(path: string, root: string): readonly string[] {
  const parts = path.split('/')
  const rest = parts.slice(1).join('/')
  const named = rest !== '' && parts[0] === basename(root) ? [rest] : []
  const doubled = parts.flatMap((_, half) => {
    const isDouble = half > 0 && parts.slice(0, half).join('/') === parts.slice(half, 2 * half).join('/')
    return isDouble ? [parts.slice(half).join('/')] : []
  })
  return [...named, ...doubled]
}

async function firstExisting(project: Project, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (!isOutside(path) && (await exists(project, path))) return path
  return undefined
}

/** What cannot be looked at is there as far as we know: the guard judges it. */
async function exists(project: Project, path: string): Promise<boolean> {
  try {
    return (await project.info(path)) !== undefined
  } catch {
    return true
  }
}

/** A new file under folders that exist in another case, or under the project's own name. */
async function placeNew(written: string, project: Project): Promise<string> {
  const path = await unmentioned(written, project)
  const parts = path.split('/')
  const [first = '', second = ''] = parts
  const isNamed = parts.length > 2 && first === basename(project.root) && !(await exists(project, first))
  const [name = '', ...folders] = (
    isNamed && (await exists(project, second)) ? parts.slice(1) : parts
  ).reverse()
  let parent = '.'
  for (const folder of folders.reverse()) {
    const [only, another] = await sameName(project, parent, folder)
    parent = posix.join(parent, only !== undefined && another === undefined ? only : folder)
  }
  return posix.join(parent, name)
}

/** A new file in a folder that exists only without the `@` in front. */
async function unmentioned(path: string, project: Project): Promise<string> {
  const [plain] = withoutMention(path)
  if (plain === undefined || (await exists(project, posix.dirname(path)))) return path
  return (await exists(project, posix.dirname(plain))) ? plain : path
}

/** The one path with the same letters in another case. */
async function matchCase(path: string, project: Project): Promise<string | undefined> {
  let candidates: readonly string[] = ['.']
  for (const part of path.split('/')) {
    const found = await Promise.all(
      candidates.map(async (parent) =>
        (await sameName(project, parent, part)).map((name) => posix.join(parent, name)),
      ),
    )
    candidates = found.flat()
  }
  return candidates.length === 1 ? candidates[0] : undefined
}

/** Names of a folder that are the given one: exactly, else in any case. */
async function sameName(project: Project, folder: string, name: string): Promise<readonly string[]> {
  const names = (await namesIn(project, folder)).map((entry) => entry.replace(/\/$/, ''))
  if (names.includes(name)) return [name]
  return names.filter((entry) => entry.toLowerCase() === name.toLowerCase())
}

async function namesIn(project: Project, folder: string): Promise<readonly string[]> {
  try {
    return await project.list(folder)
  } catch {
    return []
  }
}

function explainMissing(path: string, paths: readonly string[]): string {
  const near = nearestPaths(path, paths)
  if (near.length === 0) return `${path} does not exist, and the project is empty.`
  return `${path} does not exist. Nearest: ${near.join(', ')}. Use one of these, or list_files to see more.`
}
