/** "And the same in media.env": the change that was just made, in another file. Reads that file. */
import { type Changed, hasWord, pieceOf, sameChanges } from '../edits/same-change.ts'
import type { ProjectFiles } from '../project/sources.ts'
import { toCall } from '../calls/ranked-edit.ts'
import type { NanoCall, NanoStep } from './run.ts'

/** The last change again in this file, where it is clear which line of it is meant. */
export async function sameEdit(
  path: string,
  steps: readonly NanoStep[],
  files: ProjectFiles,
): Promise<NanoCall | undefined> {
  const last = steps.findLast(({ call, ok }) => ok && call.name === 'edit_file')
  if (!last || last.call.input['path'] === path) return undefined
  const change = await changeOf(last.call, files)
  const text = await files.read(path).catch(() => '')
  if (!change) return undefined
  if (last.call.input['all'] === true) return everywhereIn(path, text, change)
  const [same] = sameChanges(change, new Map([[path, text]]))
  return same && toCall({ ...same, share: 1 }, files)
}

function everywhereIn(path: string, text: string, change: Changed): NanoCall | undefined {
  const { gone: old, come } = pieceOf(change)
  const count = text.split('\n').filter((line) => hasWord(line, old)).length
  return count > 0 && old.length > 2
    ? { name: 'edit_file', input: { path, old, new: come, ...(count > 1 && { all: true }) } }
    : undefined
}

/** The whole line as it was and as it is, where the call names a part of it. */
async function changeOf({ input }: NanoCall, files: ProjectFiles): Promise<Changed | undefined> {
  const { path, old, new: written } = input
  if (typeof path !== 'string' || typeof old !== 'string' || typeof written !== 'string') return undefined
  const [before, after] = [old, written].map((text) => text.trimEnd().split('\n').at(-1) ?? '')
  if (before === undefined || after === undefined || before === after) return undefined
  const lines = (await files.read(path).catch(() => '')).split('\n')
  const at = after === '' ? -1 : lines.findIndex((line) => line.includes(after))
  const line = lines[at]?.trim() ?? after
  return {
    path,
    number: at + 1,
    before: line.replace(after, () => before).trim() || before.trim(),
    after: line,
  }
}

/** The clause wants what was done before, not something new. */
export const wantsTheSame = (clause: string): boolean =>
  /\b(?:same|likewise|ditto|too|as well)\b/i.test(clause) &&
  !/\bsame (?:folder|place|directory|line)\b/i.test(clause)
