/** Reads one configuration file. A file that is not there is no mistake; one that cannot be read or parsed is. */
import { readFile, stat } from 'node:fs/promises'
import { errorMessage } from '../protocol/error.ts'
import { readToml } from './toml.ts'
import type { KeyPath, Table } from './tree.ts'

export type ConfigFile = {
  readonly path: string
  readonly text: string
  readonly values: Table
  lineOf(path: KeyPath): number | undefined
}

type FileReading = { readonly file?: ConfigFile; readonly problems: readonly string[] }

/** A project's file comes from anywhere: a pipe would block the start, a huge file would fill memory. */
const MAX_BYTES = 1_048_576

export async function readConfigFile(path: string): Promise<FileReading> {
  const content = await readContent(path)
  if (content === undefined) return { problems: [] }
  if ('problem' in content) return { problems: [`${path}: ${content.problem}`] }
  const reading = readToml(content.text)
  if (!reading.ok) return { problems: [`${path}${reading.place}: not valid TOML: ${reading.reason}`] }
  return { file: { path, text: content.text, values: reading.values, lineOf: reading.lineOf }, problems: [] }
}

async function readContent(path: string): Promise<{ text: string } | { problem: string } | undefined> {
  try {
    const info = await stat(path)
    if (!info.isFile()) return { problem: 'not a file; remove it or put a config.toml in its place.' }
    if (info.size > MAX_BYTES) return { problem: `larger than ${MAX_BYTES} bytes; this is no configuration.` }
    return { text: await readFile(path, 'utf8') }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    return { problem: `cannot be read (${code ?? errorMessage(error)}); check its permissions.` }
  }
}
