/** A patch over several files, all or nothing: every step is worked out before the first byte is written. */
import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import {
  type Access,
  type CheckContext,
  defineTool,
  type FileChange,
  type Files,
  type Tool,
} from '../protocol/tool.ts'
import { plural, toLines } from '../lib/text.ts'
import { checkChanges } from './checks.ts'
import { readPatch } from './patch.ts'
import type { PatchStep } from './patch-step.ts'
import type { WriteParts } from './write-file.ts'

export const createApplyPatch = ({ checks, created }: WriteParts): Tool =>
  defineTool({
    name: 'apply_patch',
    description: 'Apply a unified diff or *** Begin Patch',
    category: 'write',
    input: z.object({ patch: z.string() }),
    timeoutMs: 300_000,
    access: ({ patch }) => targetsOf(patch),

    check: async ({ patch }, context) => checkChanges(await workOut(requireSteps(patch), context)),

    async run({ patch }, context) {
      const changes = await workOut(requireSteps(patch), context)
      await writeAll(changes, context.files)
      for (const { path, before } of changes) if (before === undefined) created.add(path)
      const written = changes.flatMap(({ path, before, after }) =>
        after === undefined ? [] : [{ path, before, after }],
      )
      const text = [`Patched ${plural(changes.length, 'file')}:`, ...changes.map(toLine)].join('\n')
      return {
        ok: true,
        text: text + (await checks(written, context)),
        changed: changes.map(({ path }) => path),
      }
    },
  })

function requireSteps(patch: string): readonly PatchStep[] {
  const reading = readPatch(patch)
  if (reading.ok) return reading.steps
  const message = `The patch cannot be read: ${reading.why}. Begin with --- a/file and +++ b/file, or use edit_file.`
  throw new AppError('tool-failed', message, { failure: 'bad-arguments' })
}

function targetsOf(patch: string): readonly Access[] {
  const reading = readPatch(patch)
  if (!reading.ok) return [{ kind: 'write', target: '.' }]
  const paths = new Set(
    reading.steps.flatMap(({ from, to }) => [from, to]).filter((path) => path !== undefined),
  )
  return [...paths].map((target) => ({ kind: 'write', target }))
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
async function writeAll(changes: readonly FileChange[], files: Files): Promise<void> {
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

function toLine({ path, before, after }: FileChange): string {
  if (before === undefined) return `A ${path} (${plural(toLines(after ?? '').length, 'line')})`
  return `${after === undefined ? 'D' : 'M'} ${path}`
}
