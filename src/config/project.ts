/**
 * The configuration a project brings along. It came with the project, perhaps from a stranger, so until that exact
 * content was trusted only the few keys count that can neither start, send, write nor delete anything.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readConfigFile } from './file.ts'
import { checkLayer, fileLayer, type LayerReading } from './layer.ts'

/** Whether a person agreed to this content of this file. */
export type IsTrusted = (path: string, contentHash: string) => boolean

/** A project file that was not trusted, and what of it did not count. */
export type Untrusted = {
  readonly file: string
  readonly contentHash: string
  readonly keys: readonly string[]
}

/** Everything else needs trust, keys that features add later included. */
export const KEYS_WITHOUT_TRUST: readonly string[] = ['engine']

export async function readProject(
  cwd: string,
  home: string,
  isTrusted: IsTrusted,
): Promise<LayerReading & { readonly untrusted?: Untrusted }> {
  const { file, problems } = await readConfigFile(join(cwd, '.covey', 'config.toml'))
  if (!file) return { layers: [], problems }
  const layer = fileLayer('project', file, home)
  const mistakes = checkLayer(layer)
  const contentHash = createHash('sha256').update(file.text).digest('hex')
  const keys = Object.keys(layer.values).filter((key) => !KEYS_WITHOUT_TRUST.includes(key))
  if (keys.length === 0 || isTrusted(file.path, contentHash)) return { layers: [layer], problems: mistakes }
  const counted = Object.entries(layer.values).filter(([key]) => KEYS_WITHOUT_TRUST.includes(key))
  return {
    layers: [{ ...layer, values: Object.fromEntries(counted) }],
    problems: mistakes,
    untrusted: { file: file.path, contentHash, keys },
  }
}
