/**
 * A patch for a person to look at: checked as if it were applied, then written down with its plan and its tests. It
 * only reads the project, so it works where nothing may be changed.
 */
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
import { plural } from '../lib/text.ts'
import { checkChanges } from './checks.ts'
import { readPatch } from './patch/parse.ts'
import { changesOf } from './patch/changes.ts'
import { addProposal, contentHash } from './patch/proposal-store.ts'

export type ProposeParts = {
  /** Where proposals are kept, made on first use. */
  patches(): Promise<Files>
  now?(): Date
}

export const createProposePatch = ({ patches, now = () => new Date() }: ProposeParts): Tool =>
  defineTool({
    name: 'propose_patch',
    description: 'Store a patch for review',
    category: 'write',
    input: z.object({ plan: z.string(), diff: z.string(), tests: z.string() }),
    access: ({ diff }) => readsOf(diff),

    check: async ({ diff }, context) => checkChanges(await requireChanges(diff, context)),

    async run({ plan, diff, tests }, context) {
      const changes = await requireChanges(diff, context)
      const verdict = await checkChanges(changes)
      if (!verdict.ok) return { ok: false, code: 'failed', text: `${verdict.why}. Fix the diff first.` }
      const files = await Promise.all(changes.map((change) => asItWas(change, context)))
      const id = await addProposal(await patches(), { plan, diff, tests, files, createdAt: now() })
      return [
        `Proposed as ${id}: ${plural(files.length, 'file')}. Nothing was changed. The person can use`,
        `covey patch show ${id}`,
        `covey patch apply ${id}`,
        `covey patch reject ${id}`,
      ].join('\n')
    },
  })

function readsOf(diff: string): readonly Access[] {
  const reading = readPatch(diff)
  const paths = reading.ok ? reading.steps.flatMap(({ from, to }) => [from, to]) : ['.']
  return [...new Set(paths)].flatMap((target) => (target === undefined ? [] : [{ kind: 'read', target }]))
}

async function requireChanges(diff: string, context: CheckContext): Promise<readonly FileChange[]> {
  const changes = await changesOf(diff, context)
  if (changes.length > 0) return changes
  throw new AppError('tool-failed', 'The diff changes nothing.', { failure: 'bad-arguments' })
}

const asItWas = async (
  { path, before }: FileChange,
  { files, signal }: { files: Files; signal: AbortSignal },
) => ({
  path,
  before: before === undefined ? null : await contentHash(files, path, signal),
})
