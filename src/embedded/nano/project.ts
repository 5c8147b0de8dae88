/** What a project offers to a request: its paths and scripts. Reads through the guard, bounded, only what it needs. */
import type { Files } from '../../protocol/tool.ts'
import type { Script, Sources } from './format.ts'
import type { NanoCall } from './run.ts'
import { createPathIndex } from './paths.ts'
import { projectScripts, requestScripts, scriptFiles } from './scripts.ts'

export type ProjectFiles = Pick<Files, 'list' | 'read' | 'info'>

export async function findSources(request: string, files: ProjectFiles): Promise<Sources> {
  const [paths, scripts] = await Promise.all([listPaths(files), readScripts(files)])
  const index = createPathIndex(paths)
  return {
    paths: index.match(request),
    scripts: requestScripts(request, scripts, index.ranks(request)),
    ids: [],
  }
}

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
