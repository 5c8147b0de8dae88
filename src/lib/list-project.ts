/** The files of a project, blind to what git ignores, as paths from its root. Asks ripgrep, through the guard's exec. */
import { AppError } from '../protocol/error.ts'
import type { Exec, Files } from '../protocol/tool.ts'
import { withoutBlocking } from './ignore-files.ts'

export type ProjectList = {
  readonly paths: readonly string[]
  /** There may be more than could be listed. */
  readonly isPartial: boolean
}

type Reach = {
  readonly files: Pick<Files, 'list' | 'root'>
  readonly exec: Pick<Exec, 'program'>
  readonly timeoutMs?: number
}

/** Nothing where an ignore file would keep it waiting: the tools say which. */
export async function listProject(reach: Reach, signal: AbortSignal): Promise<ProjectList> {
  try {
    return await listAll(reach, signal)
  } catch (error) {
    if (error instanceof AppError && error.code === 'tool-failed') return { paths: [], isPartial: true }
    throw error
  }
}

async function listAll(reach: Reach, signal: AbortSignal): Promise<ProjectList> {
  const all = await listWith(reach, [], signal)
  if (!all.isPartial) return all
  // One list has a bound of its own; folder by folder more of them come through.
  const folders = (await reach.files.list('.')).filter((name) => name.endsWith('/') && name !== '.git/')
  const lists = [await listWith(reach, ['--max-depth=1'], signal)]
  for (const folder of folders) lists.push(await listWith(reach, ['--', folder], signal))
  return { paths: lists.flatMap(({ paths }) => paths), isPartial: lists.some(({ isPartial }) => isPartial) }
}

const LIST_MS = 20_000

async function listWith(
  { files, exec, timeoutMs = LIST_MS }: Reach,
  options: readonly string[],
  signal: AbortSignal,
): Promise<ProjectList> {
  const { rgPath } = await import('@vscode/ripgrep')
  const argv = [
    rgPath,
    '--no-config',
    '--no-messages',
    '--files',
    '--hidden',
    '--no-require-git',
    '--glob=!.git',
    '--sort=path',
  ]
  const { output, omittedBytes, exitCode } = await withoutBlocking({ root: files.root, signal }, (until) =>
    exec.program([...argv, ...options], { timeoutMs, signal: until, readsOnly: true }),
  )
  const paths = output
    .split('\n')
    .map((line) => line.replace(/^(?:\.\/)+/, ''))
    .filter((line) => line !== '' && !line.startsWith('[…'))
  return { paths, isPartial: omittedBytes > 0 || exitCode === undefined }
}
