/** A patch over several files, all or nothing: every step is worked out before the first byte is written. */
import { z } from 'zod'
import { type Access, defineTool, type FileChange, type Tool } from '../protocol/tool.ts'
import { plural, toLines } from '../lib/text.ts'
import { checkChanges } from './checks.ts'
import { readPatch } from './patch/parse.ts'
import { changesOf, writeChanges } from './patch/changes.ts'
import type { WriteParts } from './write-file.ts'

export const createApplyPatch = ({ checks, created }: WriteParts): Tool =>
  defineTool({
    name: 'apply_patch',
    description: 'Apply a unified diff or *** Begin Patch',
    category: 'write',
    input: z.object({ patch: z.string() }),
    timeoutMs: 300_000,
    access: ({ patch }) => targetsOf(patch),

    check: async ({ patch }, context) => checkChanges(await changesOf(patch, context)),

    async run({ patch }, context) {
      const changes = await changesOf(patch, context)
      await writeChanges(changes, context.files)
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

function targetsOf(patch: string): readonly Access[] {
  const reading = readPatch(patch)
  if (!reading.ok) return [{ kind: 'write', target: '.' }]
  const paths = new Set(
    reading.steps.flatMap(({ from, to }) => [from, to]).filter((path) => path !== undefined),
  )
  return [...paths].map((target) => ({ kind: 'write', target }))
}

function toLine({ path, before, after }: FileChange): string {
  if (before === undefined) return `A ${path} (${plural(toLines(after ?? '').length, 'line')})`
  return `${after === undefined ? 'D' : 'M'} ${path}`
}
