/**
 * The argument values that exist, for arms whose sampling we control: their grammar then admits no path that does not
 * exist and no id that was not given out. Paths the person or a result named are admitted, whatever they are; a project
 * that is too large to list leaves paths free.
 */
import type { Reserve } from '../protocol/arm.ts'
import type { KnownValues, ValueSet } from '../protocol/known-values.ts'
import type { Model, ModelRequest } from '../protocol/model.ts'
import type { Exec, Files, Results, Tool } from '../protocol/tool.ts'
import { CALL_TOOL } from '../lib/inner-call.ts'
import { listProject } from '../lib/list-project.ts'

export type WorldParts = {
  readonly files: Pick<Files, 'list' | 'root'>
  readonly exec: Pick<Exec, 'program' | 'jobs'>
  readonly results: Pick<Results, 'list'>
  tools(): readonly Tool[]
}

/** The same reservations; requests to arms that take a grammar carry what is known. */
export const withKnownValues =
  (reserve: Reserve, parts: WorldParts): Reserve =>
  async (request, signal) => {
    const lease = await reserve(request, signal)
    return lease.arm.capabilities.grammar ? { ...lease, model: informed(lease.model, parts) } : lease
  }

const informed = (model: Model, parts: WorldParts): Model => ({
  name: model.name,
  async *stream(request, signal) {
    if (request.tools.length === 0 || request.toolChoice === 'none')
      return yield* model.stream(request, signal)
    // A project that cannot be listed is no reason not to answer.
    const values = await knownValues(request, parts, signal).catch(() => undefined)
    signal.throwIfAborted()
    yield* model.stream(values ? { ...request, values } : request, signal)
  },
})

/** Above this the grammar would cost more than it saves. */
const MAX_FILES = 5_000
const LIST_MS = 5_000

export async function knownValues(
  request: ModelRequest,
  { files, exec, results, tools }: WorldParts,
  signal: AbortSignal,
): Promise<KnownValues> {
  const [project, stored] = await Promise.all([
    listProject({ files, exec, timeoutMs: LIST_MS }, signal),
    results.list(),
  ])
  const isListed = !project.isPartial && project.paths.length <= MAX_FILES
  const offered = new Set(request.tools.map(({ name }) => name))
  const others = tools().filter(({ name }) => !offered.has(name))
  const sets: Record<string, ValueSet> = {
    ...(isListed && (await pathSets(project.paths, namedPaths(request), files))),
    result: { exact: stored.map(({ id }) => id) },
    job: { exact: exec.jobs().map(({ id }) => id) },
    tool: { exact: others.map(({ name }) => name) },
  }
  const paths = tools().filter(({ name }) => offered.has(name))
  const uses = Object.fromEntries([...HANDLES, ...(isListed ? paths.flatMap(pathUses) : [])])
  return { sets, uses }
}

const HANDLES: readonly (readonly [string, string])[] = [
  ['read_result.id', 'result'],
  ['job_output.id', 'job'],
  ['job_stop.id', 'job'],
  [`${CALL_TOOL}.name`, 'tool'],
]

/** What a path is, where it is not simply a file. */
const KINDS: Readonly<Record<string, string>> = { list_files: 'folder', search_text: 'place' }

const pathUses = ({ name, paths = [], creates }: Tool): readonly (readonly [string, string])[] =>
  paths.map((parameter) => [`${name}.${parameter}`, creates ? 'target' : (KINDS[name] ?? 'file')] as const)

async function pathSets(
  listed: readonly string[],
  named: readonly string[],
  files: WorldParts['files'],
): Promise<Record<'file' | 'folder' | 'place' | 'target', ValueSet>> {
  const folders = foldersOf(listed)
  const hidden = await unlisted(listed, folders, files)
  const open = hidden.filter((path) => path.endsWith('/'))
  const real = [...listed, ...hidden.filter((path) => !path.endsWith('/'))]
  const bare = [...folders, ...open].map((folder) => folder.slice(0, -1)).filter(Boolean)
  return {
    file: { exact: [...real, ...named], open },
    folder: { exact: ['.', ...bare, ...named], open },
    place: { exact: [], also: ['file', 'folder'] },
    target: { exact: named, folders: [...folders, ...foldersOf(named)], open },
  }
}

/** Of all these paths, with a slash at the end; the root is empty. */
function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = new Set([''])
  for (const path of paths)
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
      folders.add(path.slice(0, at + 1))
  folders.delete('/')
  return [...folders]
}

const MAX_LOOKED_INTO = 300

/** What lies in the project's folders but is ignored: dependencies, build output, files of the machine. */
async function unlisted(
  listed: readonly string[],
  folders: readonly string[],
  files: WorldParts['files'],
): Promise<readonly string[]> {
  const known = new Set([...listed, ...folders])
  const looks = folders.slice(0, MAX_LOOKED_INTO).map(async (folder) => {
    const names = await files.list(folder === '' ? '.' : folder.slice(0, -1)).catch(() => [])
    return names.map((name) => folder + name).filter((path) => !known.has(path) && path !== '.git/')
  })
  return (await Promise.all(looks)).flat()
}

const MAX_NAMED = 3_000
const PATH = /(?:\.{0,2}\/)?(?:[\w@.+~-]+\/)*[\w@.+~-]+\/?/g
const QUOTED = /["'`]([^"'`\n]{1,200})["'`]/g

/** Whatever looks like a path in what the person wrote and in what came back from tools. */
export function namedPaths({ messages }: Pick<ModelRequest, 'messages'>): readonly string[] {
  const named = new Set<string>()
  for (const message of messages.toReversed()) {
    if (message.role === 'assistant') continue
    const quoted = [...message.text.matchAll(QUOTED)].map((match) => match[1] ?? '')
    for (const word of [...(message.text.match(PATH) ?? []), ...quoted]) {
      const path = word.replace(/^(?:\.\/)+/, '').replace(/[.,/]+$/, '')
      if (/[./]/.test(path) && path.length <= 200 && named.size < MAX_NAMED) named.add(path)
    }
  }
  return [...named]
}
