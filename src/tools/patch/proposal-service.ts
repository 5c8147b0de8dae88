/** What a person does with proposed patches: look, apply, reject. */
import { AppError } from '../../protocol/error.ts'
import type { PatchService } from '../../protocol/patch.ts'
import type { Files } from '../../protocol/tool.ts'
import { changesOf, writeChanges } from './changes.ts'
import { contentHash, listProposals, settleProposal, type StoredProposal } from './proposal-store.ts'

export type PatchServiceParts = {
  /** Where proposals are kept; `undefined` where nothing was ever proposed. */
  patches(): Promise<Files | undefined>
  /** The project as it is, secrets and all: a person applies a patch, not a model. */
  readonly project: Files
}

export function createPatchService({ patches, project }: PatchServiceParts): PatchService {
  async function openOne(id: string): Promise<{ readonly kept: Files; readonly proposal: StoredProposal }> {
    const kept = await patches()
    const all = kept ? await listProposals(kept) : []
    const found = all.filter((one) => one.id.startsWith(id))
    const [proposal] = found
    if (kept && proposal && found.length === 1) return { kept, proposal }
    const why = found.length > 1 ? `${found.length} patches begin with "${id}"` : `there is no patch "${id}"`
    throw new AppError('config-invalid', `${why}; covey patch ls lists them.`)
  }

  async function openUndecided(id: string): ReturnType<typeof openOne> {
    const opened = await openOne(id)
    if (opened.proposal.state === 'proposed') return opened
    throw new AppError('config-invalid', `${opened.proposal.id} was ${opened.proposal.state} already.`)
  }

  return {
    async list() {
      const kept = await patches()
      return kept ? listProposals(kept) : []
    },
    find: async (id) => (await openOne(id)).proposal,
    async apply(id, signal) {
      const { kept, proposal } = await openUndecided(id)
      await requireUnchanged(proposal, project, signal)
      const changes = await changesOf(proposal.diff, { files: project, signal })
      await writeChanges(changes, project)
      await settleProposal(kept, proposal, 'applied')
      return changes
    },
    async reject(id) {
      const { kept, proposal } = await openUndecided(id)
      await settleProposal(kept, proposal, 'rejected')
      return { ...proposal, state: 'rejected' }
    },
  }
}

async function requireUnchanged(
  { id, files }: StoredProposal,
  project: Files,
  signal: AbortSignal,
): Promise<void> {
  const now = await Promise.all(
    files.map(async ({ path }) => ((await project.info(path)) ? contentHash(project, path, signal) : null)),
  )
  const changed = files.filter(({ before }, index) => before !== now[index]).map(({ path }) => path)
  if (changed.length === 0) return
  const verb = changed.length === 1 ? 'has' : 'have'
  throw new AppError(
    'tool-failed',
    `${id} was not applied: ${changed.join(', ')} ${verb} changed since it was proposed. Ask for a new patch, or ` +
      `apply .covey/patches/${id}/patch.diff by hand.`,
  )
}
