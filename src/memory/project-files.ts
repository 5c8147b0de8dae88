/**
 * The files of a project as the index may see them. Listing goes through the guard's exec and blind to what git ignores,
 * reading through the guard's files: what no tool may read cannot get into the index.
 */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Exec, Files } from '../protocol/tool.ts'

export type Stamp = { readonly mtimeMs: number; readonly bytes: number }

export interface ProjectFiles {
  /** Paths from the root. `isPartial`: there are more than could be listed. */
  list(signal: AbortSignal): Promise<{ readonly paths: readonly string[]; readonly isPartial: boolean }>
  /** Throws for what may not or cannot be read as text. */
  read(path: string, signal: AbortSignal): Promise<string>
  stamp(path: string): Promise<Stamp | undefined>
}

type Reach = { readonly files: Pick<Files, 'root' | 'read' | 'list'>; readonly exec: Pick<Exec, 'program'> }

export const projectFiles = ({ files, exec }: Reach): ProjectFiles => ({
  async list(signal) {
    const all = await listWith(exec, [], signal)
    if (!all.isPartial) return all
    // One list has a bound of its own; folder by folder more of them come through.
    const folders = (await files.list('.')).filter((name) => name.endsWith('/') && name !== '.git/')
    const lists = [await listWith(exec, ['--max-depth=1'], signal)]
    for (const folder of folders) lists.push(await listWith(exec, ['--', folder], signal))
    return { paths: lists.flatMap(({ paths }) => paths), isPartial: lists.some(({ isPartial }) => isPartial) }
  },
  read: (path, signal) => files.read(path, signal),
  async stamp(path) {
    const info = await stat(join(files.root, path)).catch(() => undefined)
    return info?.isFile() ? { mtimeMs: info.mtimeMs, bytes: info.size } : undefined
  },
})

const LIST_MS = 20_000

async function listWith(
  exec: Reach['exec'],
  options: readonly string[],
  signal: AbortSignal,
): ReturnType<ProjectFiles['list']> {
  const { rgPath } = await import('@vscode/ripgrep')
  const argv = [
    rgPath,
    '--no-config',
    '--no-messages',
    '--files',
    '--hidden',
    '--no-require-git',
    '--glob=!.git',
  ]
  const { output, omittedBytes, timedOut } = await exec.program([...argv, '--sort=path', ...options], {
    timeoutMs: LIST_MS,
    signal,
    readsOnly: true,
  })
  const paths = output
    .split('\n')
    .map((line) => line.replace(/^(?:\.\/)+/, ''))
    .filter((line) => line !== '' && !line.startsWith('[…'))
  return { paths, isPartial: omittedBytes > 0 || timedOut }
}
