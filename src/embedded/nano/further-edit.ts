/**
 * A second change that the same clause asks for: "caps-limit 50, spam-max-messages 3". The clause is ranked as if nothing had been done;
 * what comes close behind the change that was made, with another line and another new text, is meant, too. Reads the project.
 */
import { outcomeOf, type RankedEdit } from '../opinion/edit-ranking.ts'
import type { Opinions } from '../opinion/load.ts'
import { type ProjectFiles, textsFor } from './project.ts'
import { isOneLine, outcomeIn, toCall } from './ranked-edit.ts'
import { recentPaths } from './recent.ts'
import type { NanoCall, NanoStep } from './run.ts'

type Place = {
  readonly clause: string
  /** Those of the run, and how many had been made before this clause. */
  readonly steps: readonly NanoStep[]
  readonly from: number
  readonly files: ProjectFiles
  readonly opinions: Opinions
}

/** How near it must come to what was done. */
const CLOSE = 1 / 6

export async function furtherEdit({
  clause,
  steps,
  from,
  files,
  opinions,
}: Place): Promise<NanoCall | undefined> {
  const made = steps.slice(from)
  if (made.length === 0 || !made.every(isEdit) || !isOneLine(clause)) return undefined
  const { texts, index } = await textsFor(clause, files)
  const before = new Map(texts)
  for (const { call } of made.toReversed()) undo(call, before)
  const project = { texts: before, index }
  const ranked = opinions.edits({ clause, project, recent: recentPaths(steps.slice(0, from)) })
  const outcomes = new Set(made.map(({ call }) => outcomeIn(call, before)))
  const done = ranked.filter((one) => outcomes.has(outcomeOf(one)))
  if (done.length < made.length) return undefined
  const isNew = (one: RankedEdit): boolean =>
    one.at !== undefined &&
    one.after !== '' &&
    done.every(({ path, number, at }) => at !== one.at && (path !== one.path || number !== one.number))
  const best = ranked.find(isNew)
  const isClose = best !== undefined && done.every(({ share }) => best.share >= share * CLOSE)
  return isClose ? toCall(best, files) : undefined
}

const isEdit = ({ call, ok }: NanoStep): boolean => ok && call.name === 'edit_file'

function undo({ input }: NanoCall, texts: Map<string, string>): void {
  const { path, old, new: written } = input
  if (typeof path !== 'string' || typeof old !== 'string' || typeof written !== 'string' || written === '')
    return
  texts.set(
    path,
    (texts.get(path) ?? '').replace(written, () => old),
  )
}
