/**
 * What follows the last step within the same clause, in the opinion of a trained ranking: the same with another file ("both logs", "in dev
 * and prod"), another change of a line, or nothing more. Where it says something else, nano is asked. Reads the project.
 */
import { type RankedEdit } from '../edits/ranking.ts'
import type { Further, MadeStep } from '../further/ask.ts'
import type { Opinions } from '../opinion/load.ts'
import type { PathProject } from '../paths/project.ts'
import { type ProjectFiles, textsFor } from '../project/sources.ts'
import { inMeant, toCall } from '../calls/ranked-edit.ts'
import { recentPaths } from '../project/recent.ts'
import type { NanoCall, NanoStep } from './run.ts'

type Place = {
  readonly clause: string
  readonly isLast: boolean
  /** Those of the run, and how many had been made before this clause. */
  readonly steps: readonly NanoStep[]
  readonly from: number
  /** As it was when the run began. */
  readonly project: PathProject
  readonly files: ProjectFiles
  readonly opinions: Opinions
}

/** Nothing where nano is to be asked. */
export type FurtherStep = { readonly call: NanoCall } | 'stop' | undefined

/** How likely the next step must be to be asked for, and the end to be believed. */
const MEANT = 0.4
const ENDED = 0.6
/** As the ranking was trained. */
const MOST_EDITS = 24

export async function furtherStep(place: Place): Promise<FurtherStep> {
  const { clause, isLast, steps, from, project, files, opinions } = place
  const own = steps.slice(from)
  const last = own.at(-1)
  if (!last?.ok) return undefined
  const before = inMeant(await textsFor(clause, files), clause, steps)
  const texts = new Map(before.texts)
  for (const { call } of own.toReversed()) undo(call, texts)
  const made = own.map(({ call }) => madeOf(call, texts))
  const recent = recentPaths(steps.slice(0, from))
  const edits =
    made.at(-1)?.do === 'edit' ? opinions.edits({ clause, project: { ...before, texts }, recent }) : []
  if (made.at(-1)?.do === 'other') return undefined
  const ask = { clause, made, project: { ...project, texts }, edits: edits.slice(0, MOST_EDITS), isLast }
  const [best] = opinions.further(ask)
  if (!best || best.value.kind === 'ask') return undefined
  if (best.value.kind === 'stop') return best.share >= ENDED ? 'stop' : undefined
  const call = best.share >= MEANT ? await callFor(best.value, last.call, files) : undefined
  return call && { call }
}

const LOOKS: Readonly<Record<string, 'read' | 'list'>> = {
  read_file: 'read',
  data_view: 'read',
  list_files: 'list',
}
const ACTS: Readonly<Record<string, 'delete' | 'copy' | 'move'>> = {
  delete_file: 'delete',
  copy_file: 'copy',
  move_file: 'move',
}

function madeOf(call: NanoCall, texts: ReadonlyMap<string, string>): MadeStep {
  const { name, input } = call
  const path = input['from'] ?? input['path']
  const edit = name === 'edit_file' ? changeIn(call, texts) : undefined
  if (edit) return { do: 'edit', edit }
  const isAppend = name === 'write_file' && input['append'] === true
  const action = isAppend ? 'append' : (LOOKS[name] ?? ACTS[name])
  return action !== undefined && typeof path === 'string' ? { do: action, path } : { do: 'other' }
}

/** The one line that a call changes; nothing where it changes none, or several. */
function changeIn(
  { input: { path, old, new: written } }: NanoCall,
  texts: ReadonlyMap<string, string>,
): Omit<RankedEdit, 'share'> | undefined {
  const text = texts.get(String(path))
  if (text === undefined || typeof old !== 'string' || typeof written !== 'string') return undefined
  const before = text.split('\n')
  const after = text.replace(old, () => written).split('\n')
  const at = before.findIndex((line, index) => line !== after[index])
  if (at < 0) return undefined
  const isRemoved = after.length < before.length
  const line = { path: String(path), number: at + 1, before: (before[at] ?? '').trim() }
  return { ...line, after: isRemoved ? '' : (after[at] ?? '').trim() }
}

/** A line that was removed stays so: where it stood is not known. */
function undo({ name, input }: NanoCall, texts: Map<string, string>): void {
  const { path, old, new: written } = input
  if (
    name !== 'edit_file' ||
    typeof path !== 'string' ||
    typeof old !== 'string' ||
    typeof written !== 'string'
  )
    return
  const text = texts.get(path) ?? ''
  texts.set(path, written === '' ? `${old}${text}` : text.replace(written, () => old))
}

async function callFor(next: Further, last: NanoCall, files: ProjectFiles): Promise<NanoCall | undefined> {
  if (next.kind === 'edit') return toCall({ ...next.edit, share: 1 }, files)
  if (next.kind !== 'path' || (await files.info(next.path).catch(() => undefined)) === undefined)
    return undefined
  const { name, input } = last
  const { path } = next
  if (name === 'copy_file' || name === 'move_file') return intoSameFolder(path, last)
  if (name === 'read_file' || name === 'data_view') return { name: 'read_file', input: { path } }
  return { name, input: { ...input, path } }
}

/** Nothing where the last one was given another name. */
function intoSameFolder(path: string, { name, input: { from, to } }: NanoCall): NanoCall | undefined {
  if (typeof from !== 'string' || typeof to !== 'string') return undefined
  const target = to.replace(/\/+$/, '')
  const isOwnName = baseOf(target) === baseOf(from) && !to.endsWith('/')
  const folder = isOwnName
    ? target.slice(0, Math.max(0, target.lastIndexOf('/')))
    : to.endsWith('/')
      ? target
      : undefined
  if (folder === undefined) return undefined
  return { name, input: { from: path, to: folder === '' ? baseOf(path) : `${folder}/${baseOf(path)}` } }
}

const baseOf = (path: string): string => path.replace(/\/+$/, '').split('/').at(-1) ?? ''
