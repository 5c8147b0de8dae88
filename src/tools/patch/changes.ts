/** What a patch comes to in the files as they are now, and making it so: all of it or nothing. */
import { AppError } from '../../protocol/error.ts'
import type { CheckContext, FileChange, Files } from '../../protocol/tool.ts'
import { readPatch } from './parse.ts'
import type { PatchStep } from './step.ts'

/** Only reads. Throws where the patch cannot be read or does not fit. */
export const changesOf = (patch: string, context: CheckContext): Promise<readonly FileChange[]> =>
  workOut(requireSteps(patch), context)

function requireSteps(patch: string): readonly PatchStep[] {
  const reading = readPatch(patch)
  if (reading.ok) return reading.steps
  const message = `The patch cannot be read: ${reading.why}. Begin with --- a/file and +++ b/file, or use edit_file.`
  throw new AppError('tool-failed', message, { failure: 'bad-arguments' })
}

async function workOut(
  steps: readonly PatchStep[],
  { files, signal }: CheckContext,
): Promise<readonly FileChange[]> {
  const changes = new Map<string, FileChange>()
  const current = async (path: string): Promise<FileChange> => {
    const before = (await files.info(path)) ? await files.read(path, signal) : undefined
    return changes.get(path) ?? { path, before, after: before }
  }
  for (const step of steps) {
    const source = step.from === undefined ? undefined : await current(step.from)
    if (source && source.after === undefined) throw missing(source.path)
    const result = step.apply(source?.after ?? '')
    if (source && step.to !== source.path) changes.set(source.path, { ...source, after: undefined })
    if (step.to === undefined) continue
    const target = await current(step.to)
    if (target.after !== undefined && target.path !== source?.path) throw exists(target.path)
    changes.set(step.to, { ...target, after: result })
  }
  return [...changes.values()].filter(({ before, after }) => before !== after)
}

const missing = (path: string): AppError =>
  new AppError('tool-failed', `The patch changes ${path}, which does not exist. Nothing was changed.`, {
    failure: 'missing-path',
  })

const exists = (path: string): AppError =>
  new AppError('tool-failed', `The patch creates ${path}, which exists already. Nothing was changed.`)

/** A refusal half-way takes back what was written before it. */
export async function writeChanges(changes: readonly FileChange[], files: Files): Promise<void> {
  const done: FileChange[] = []
  try {
    for (const change of changes) {
      await put(change.path, change.after, files)
      done.push(change)
    }
  } catch (error) {
    for (const { path, before } of done.toReversed()) await put(path, before, files)
    throw error
  }
}

const put = (path: string, text: string | undefined, files: Files): Promise<void> =>
  text === undefined ? files.remove(path) : files.write(path, text)
