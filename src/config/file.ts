/** Reads one configuration file. A file that is not there is no mistake; one that cannot be read or parsed is. */
import { realpath, stat } from 'node:fs/promises'
import { isInside } from '../lib/path.ts'
import { readRegular } from '../lib/read-regular.ts'
import { errorMessage } from '../protocol/error.ts'
import { readToml } from './toml.ts'
import type { KeyPath, Table } from './tree.ts'

export type ConfigFile = {
  readonly path: string
  readonly text: string
  readonly values: Table
  lineOf(path: KeyPath): number | undefined
}

type FileReading = {
  readonly file?: ConfigFile
  /** As far as it could be read, also where it is not valid. */
  readonly text?: string
  readonly problems: readonly string[]
}

/** A project's file comes from anywhere: a pipe would block the start, a huge file would fill memory. */
const MAX_BYTES = 1_048_576

/** `within`: no link may lead it out of this folder. */
export async function readConfigFile(path: string, within?: string): Promise<FileReading> {
  const content = await readContent(path, within)
  if (content === undefined) return { problems: [] }
  if ('problem' in content) return { problems: [`${path}: ${content.problem}`] }
  const reading = readToml(content.text)
  const { text } = content
  if (!reading.ok) return { text, problems: [`${path}${reading.place}: not valid TOML: ${reading.reason}`] }
  return { text, file: { path, text, values: reading.values, lineOf: reading.lineOf }, problems: [] }
}

type Content = { readonly text: string } | { readonly problem: string }

async function readContent(path: string, within: string | undefined): Promise<Content | undefined> {
  try {
    const real = await realpath(path)
    if (within !== undefined && !isInside(await realpath(within), real))
      return { problem: `leads to ${real} through a link; put the file itself there.` }
    const info = await stat(real)
    if (!info.isFile()) return { problem: 'not a file; remove it or put a config.toml in its place.' }
    if (info.size > MAX_BYTES) return { problem: `larger than ${MAX_BYTES} bytes; this is no configuration.` }
    const file = await readRegular(real, MAX_BYTES)
    return file ? { text: file.bytes.toString('utf8') } : { problem: 'changed while it was read; try again.' }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    return { problem: `cannot be read (${code ?? errorMessage(error)}); check its permissions.` }
  }
}
