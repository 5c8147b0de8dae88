/**
 * The next step where it follows from the last one: the same with another file that is named beside it, with the next of several, in
 * every file that has the text. Nano need not be asked for these. Reads the files.
 */
import { nextOfEach } from './each.ts'
import { leftOut, sameWith } from './left-out.ts'
import { nameOf, stands } from './naming.ts'
import { currentOf, type Progress } from './progress.ts'
import type { ProjectFiles } from './project.ts'
import { recentPaths } from './recent.ts'
import type { NanoCall, NanoRun } from './run.ts'
import { sameEdit, wantsTheSame } from './same-edit.ts'

type Place = { readonly progress: Progress; readonly run: NanoRun; readonly files: ProjectFiles }

/** Likely: counted, or the same change in a file right beside the other one; the rest is always asked for. */
export type Next = { readonly call: NanoCall; readonly isLikely: boolean }

export async function nextCall({ progress, run, files }: Place): Promise<Next | undefined> {
  const part = currentOf(progress)
  const steps = run.steps.slice(part.from)
  const last = steps.at(-1)
  if (!last) return undefined
  const left = leftOut(part, steps)
  const isEdit = last.call.name === 'edit_file'
  const counted = isEdit
    ? left && (await sameEdit(left.path, steps, files))
    : await nextOfEach(steps, part.clause, files)
  if (counted) return { call: counted, isLikely: true }
  const told = left
    ? sameWith(left, last.call)
    : isEdit
      ? await nextEdit({ progress, run, files })
      : undefined
  return told && { call: told, isLikely: false }
}

/** "And the same in b.env", "in both", "in all files that have it". */
async function nextEdit({ progress, run, files }: Place): Promise<NanoCall | undefined> {
  const { clause, sources, from } = currentOf(progress)
  const steps = run.steps.slice(from)
  const done = new Set(steps.map(({ call }) => call.input['path']))
  const lines = new Set(sources.lines.map(({ path }) => path))
  const known = [...new Set([...lines, ...sources.paths, ...recentPaths(run.steps)])].filter(
    (path) => !done.has(path) && !path.endsWith('/'),
  )
  const named = wantsTheSame(clause) ? known.filter((path) => isSpelled(path, clause)) : []
  // What a search found, or lines that nano was shown: no other file was meant by "all".
  const found = recentPaths(run.steps.filter(({ call }) => call.name === 'search_text'))
  const all = IN_ALL.test(clause) ? known.filter((path) => found.includes(path) || lines.has(path)) : []
  const edits: NanoCall[] = []
  for (const path of named.length > 0 ? named : all) {
    const call = await sameEdit(path, steps, files)
    if (call) edits.push(call)
  }
  const isTwo = /\bboth\b/i.test(clause)
  return named.length === 0 && isTwo && done.size + edits.length !== 2 ? undefined : edits[0]
}

const isSpelled = (path: string, clause: string): boolean =>
  [path, nameOf(path)].some((name) => stands(clause.toLowerCase(), name.toLowerCase()))

const IN_ALL =
  /\b(?:both|all|every|each)(?: of)?(?: (?:the|these|those|my|our|them))?(?: [\w-]+){0,3}? (?:files?|sheets?|logs?|lists?|configs?|pages?|documents?|reports?|copies|scripts?)\b/i
