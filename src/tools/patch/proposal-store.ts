/**
 * Proposals as folders of readable files: plan.md, patch.diff, tests.md, and proposal.json, which is written last, so that
 * one cut off by a crash is none.
 */
import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../../protocol/error.ts'
import type { Proposal } from '../../protocol/patch.ts'
import type { Files } from '../../protocol/tool.ts'

const Record = z.strictObject({
  createdAt: z.string(),
  state: z.enum(['proposed', 'applied', 'rejected']),
  /** What each file was when the patch was made; `null` = not there. */
  files: z.array(z.strictObject({ path: z.string(), before: z.string().nullable() })),
})

type ProposalRecord = z.infer<typeof Record>

export type StoredProposal = Proposal & { readonly files: ProposalRecord['files'] }

export type NewProposal = Pick<Proposal, 'plan' | 'diff' | 'tests'> & {
  readonly files: ProposalRecord['files']
  readonly createdAt: Date
}

/** As much as can be read back. */
const MAX_LENGTH = 500_000

export async function addProposal(patches: Files, proposal: NewProposal): Promise<string> {
  const { plan, diff, tests, files, createdAt } = proposal
  if (plan.length + diff.length + tests.length > MAX_LENGTH) {
    throw new AppError('tool-failed', 'The patch is too long to be looked at; propose it in parts.')
  }
  const id = newId(createdAt)
  await patches.write(`${id}/plan.md`, plan)
  await patches.write(`${id}/patch.diff`, diff)
  await patches.write(`${id}/tests.md`, tests)
  await writeRecord(patches, id, { createdAt: createdAt.toISOString(), state: 'proposed', files })
  return id
}

/** The time in eight letters, which sort for as long as anyone cares, and two more for those who share it. */
const newId = (at: Date): string =>
  at.getTime().toString(36).padStart(8, '0') +
  (randomBytes(2).readUInt16BE() % 1296).toString(36).padStart(2, '0')

const writeRecord = (patches: Files, id: string, record: ProposalRecord): Promise<void> =>
  patches.write(`${id}/proposal.json`, `${JSON.stringify(record, undefined, 2)}\n`)

/** Oldest first; what is no proposal is passed over. */
export async function listProposals(patches: Files): Promise<readonly StoredProposal[]> {
  const names = (await patches.list('.')).filter((name) => /^[a-z0-9]{10}\/$/.test(name))
  const all = await Promise.all(names.map((name) => readProposal(patches, name.slice(0, -1))))
  return all.filter((proposal) => proposal !== undefined)
}

async function readProposal(patches: Files, id: string): Promise<StoredProposal | undefined> {
  try {
    const record = Record.parse(JSON.parse(await patches.read(`${id}/proposal.json`)))
    const [plan, diff, tests] = await Promise.all(
      ['plan.md', 'patch.diff', 'tests.md'].map((name) => patches.read(`${id}/${name}`)),
    )
    const paths = record.files.map(({ path }) => path)
    return { id, ...record, plan: plan ?? '', diff: diff ?? '', tests: tests ?? '', paths }
  } catch {
    return undefined
  }
}

export async function settleProposal(
  patches: Files,
  { id, createdAt, files }: StoredProposal,
  state: Proposal['state'],
): Promise<void> {
  await writeRecord(patches, id, { createdAt, state, files })
}

/** Of the bytes on the disk: what a tool is shown may have placeholders in it. */
export async function contentHash(files: Files, path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of files.stream(path, signal)) hash.update(bytes)
  return hash.digest('hex')
}
