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
  /** Mistakes in it; then nothing of it counts. */
  readonly problems?: readonly string[]
}

/** Everything else needs trust, keys that features add later included. */
export const KEYS_WITHOUT_TRUST: readonly string[] = ['engine']

export const projectConfigOf = (cwd: string): string => join(cwd, '.covey', 'config.toml')

/** One line per mistake in a project's configuration, trusted or not. */
export async function projectMistakes(cwd: string, home: string): Promise<readonly string[]> {
  const { file, problems } = await readConfigFile(projectConfigOf(cwd), cwd)
  return file ? checkLayer(fileLayer('project', file, home)) : problems
}

export async function readProject(
  cwd: string,
  home: string,
  isTrusted: IsTrusted,
): Promise<LayerReading & { readonly untrusted?: Untrusted }> {
  const path = projectConfigOf(cwd)
  const { file, text, problems } = await readConfigFile(path, cwd)
  const contentHash = createHash('sha256')
    .update(text ?? '')
    .digest('hex')
  const layer = file && fileLayer('project', file, home)
  const mistakes = layer ? checkLayer(layer) : problems
  // A stranger's mistakes must not stop the program: until it is trusted, such a file is passed over.
  if (mistakes.length > 0 && !(text !== undefined && isTrusted(path, contentHash))) {
    return { layers: [], problems: [], untrusted: { file: path, contentHash, keys: [], problems: mistakes } }
  }
  if (!file || !layer) return { layers: [], problems }
  const keys = Object.keys(layer.values).filter((key) => !KEYS_WITHOUT_TRUST.includes(key))
  if (keys.length === 0 || isTrusted(file.path, contentHash)) return { layers: [layer], problems: mistakes }
  const counted = Object.entries(layer.values).filter(([key]) => KEYS_WITHOUT_TRUST.includes(key))
  return {
    layers: [{ ...layer, values: Object.fromEntries(counted) }],
    problems: mistakes,
    untrusted: { file: file.path, contentHash, keys },
  }
}
