/** "And the same in media.env": the change that was just made, in another file. Reads that file. */
import type { ProjectFiles } from './project.ts'
import type { NanoCall, NanoStep } from './run.ts'
import { placesOf } from './spans.ts'

type Change = { readonly old: string; readonly new: string }

/** The last change again in this file, where the file has what was changed there exactly once. */
export async function sameEdit(
  path: string,
  steps: readonly NanoStep[],
  files: ProjectFiles,
): Promise<NanoCall | undefined> {
  const last = steps.findLast(({ call, ok }) => ok && call.name === 'edit_file')
  const change = last && changeOf(last.call)
  if (!change || last.call.input['path'] === path) return undefined
  const text = await files.read(path).catch(() => '')
  const [, ...more] = placesOf(change.old, text)
  if (!text.includes(change.old)) return undefined
  if (more.length > 0 && last.call.input['all'] !== true) return undefined
  return { name: 'edit_file', input: { path, ...change, ...(more.length > 0 && { all: true }) } }
}

/** What was changed, without what stayed around it; nothing where that says too little. */
export function changeOf({ input }: NanoCall): Change | undefined {
  const { old, new: replacement } = input
  if (typeof old !== 'string' || typeof replacement !== 'string') return undefined
  const before = old.match(PIECES) ?? []
  const after = replacement.match(PIECES) ?? []
  let from = 0
  while (from < before.length - 1 && from < after.length - 1 && before[from] === after[from]) from++
  let end = 0
  while (end < Math.min(before.length, after.length) - from - 1 && before.at(-1 - end) === after.at(-1 - end))
    end++
  const change = {
    old: before.slice(from, before.length - end).join(''),
    new: after.slice(from, after.length - end).join(''),
  }
  return change.old.trim().length > 1 ? change : undefined
}

/** Words and numbers, `1.2.0` as one, and each sign between them. */
const PIECES = /[\p{L}\p{N}]+(?:\.\p{N}+)*|[^\p{L}\p{N}]/gu

/** The clause wants what was done before, not something new. */
export const wantsTheSame = (clause: string): boolean =>
  /\b(?:same|likewise|ditto|too|as well)\b/i.test(clause) &&
  !/\bsame (?:folder|place|directory|line)\b/i.test(clause)
