/**
 * The configuration a project brings along. It came with the project, perhaps from a stranger, so until that exact
 * content was trusted only the few keys count that can neither start, send, write nor delete anything.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readConfigFile } from './file.ts'
import { isObject } from '../lib/json.ts'
import { checkLayer, fileLayer, type LayerReading } from './layer.ts'
import type { Table } from './tree.ts'

/** Whether a person agreed to this content of this file. */
export type IsTrusted = (path: string, contentHash: string) => boolean

/** A project file that was not trusted, and what of it did not count. */
export type Untrusted = {
  readonly file: string
  readonly contentHash: string
  readonly keys: readonly string[]
  /** Mistakes in it; then nothing of it counts. */
  readonly problems?: readonly string[]
}

/** Never from a project, trusted or not: they open what lies outside it. */
const USER_ONLY: Readonly<Record<string, readonly string[]>> = { sandbox: ['readable', 'writable'] }

/** Everything else needs trust, keys that features add later included. */
export const KEYS_WITHOUT_TRUST: readonly string[] = ['engine']

const projectConfigOf = (cwd: string): string => join(cwd, '.covey', 'config.toml')

/** One line per mistake in a project's configuration, trusted or not. */
export async function projectMistakes(cwd: string, home: string): Promise<readonly string[]> {
  const { file, problems } = await readConfigFile(projectConfigOf(cwd), cwd)
  return file ? checkLayer(fileLayer('project', file, home)) : problems
}

export type ProjectReading = LayerReading & {
  readonly untrusted?: Untrusted
  /** What was left out whatever is trusted. */
  readonly warnings: readonly string[]
}

export async function readProject(cwd: string, home: string, isTrusted: IsTrusted): Promise<ProjectReading> {
  const path = projectConfigOf(cwd)
  const { file, text = '', problems } = await readConfigFile(path, cwd)
  const contentHash = createHash('sha256').update(text).digest('hex')
  const read = file && fileLayer('project', file, home)
  const { values, dropped } = withoutUserOnly(read?.values ?? {})
  const layer = read && { ...read, values }
  const mistakes = layer ? checkLayer(layer) : problems
  // A stranger's mistakes must not stop the program: until it is trusted, such a file is passed over.
  if (mistakes.length > 0 && !(text !== '' && isTrusted(path, contentHash))) {
    const untrusted = { file: path, contentHash, keys: [], problems: mistakes }
    return { layers: [], problems: [], warnings: [], untrusted }
  }
  if (!file || !layer) return { layers: [], problems, warnings: [] }
  const warnings = dropped.map(
    (key) => `${file.path}: ${key} counts only in your own configuration, so it is left out; set it there.`,
  )
  const keys = Object.keys(layer.values).filter((key) => !KEYS_WITHOUT_TRUST.includes(key))
  if (keys.length === 0 || isTrusted(file.path, contentHash))
    return { layers: [layer], problems: mistakes, warnings }
  const counted = Object.entries(layer.values).filter(([key]) => KEYS_WITHOUT_TRUST.includes(key))
  return {
    layers: [{ ...layer, values: Object.fromEntries(counted) }],
    problems: mistakes,
    warnings,
    untrusted: { file: file.path, contentHash, keys },
  }
}

function withoutUserOnly(values: Table): { readonly values: Table; readonly dropped: readonly string[] } {
  const dropped: string[] = []
  const kept = Object.entries(values).map(([key, value]) => {
    const closed = USER_ONLY[key] ?? []
    if (closed.length === 0 || !isObject(value)) return [key, value]
    dropped.push(...closed.filter((name) => name in value).map((name) => `${key}.${name}`))
    return [key, Object.fromEntries(Object.entries(value).filter(([name]) => !closed.includes(name)))]
  })
  return { values: Object.fromEntries(kept), dropped }
}
