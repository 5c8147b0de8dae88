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
}

/** Never from a project, trusted or not: they open what lies outside it. */
const USER_ONLY: Readonly<Record<string, readonly string[]>> = { sandbox: ['readable', 'writable'] }

/** Everything else needs trust, keys that features add later included. */
export const KEYS_WITHOUT_TRUST: readonly string[] = ['engine']

export type ProjectReading = LayerReading & {
  readonly untrusted?: Untrusted
  /** What was left out whatever is trusted. */
  readonly warnings: readonly string[]
}

export async function readProject(cwd: string, home: string, isTrusted: IsTrusted): Promise<ProjectReading> {
  const { file, problems } = await readConfigFile(join(cwd, '.covey', 'config.toml'))
  if (!file) return { layers: [], problems, warnings: [] }
  const read = fileLayer('project', file, home)
  const { values, dropped } = withoutUserOnly(read.values)
  const layer = { ...read, values }
  const warnings = dropped.map(
    (key) => `${file.path}: ${key} counts only in your own configuration, so it is left out; set it there.`,
  )
  const mistakes = checkLayer(layer)
  const contentHash = createHash('sha256').update(file.text).digest('hex')
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
