/** What follows from the last step of a run, for which nano need not be asked. Reads the project. */
import { type Asked, type Asking, guessOf, NO_REPLY } from '../asking.ts'
import { usualForm } from '../decide.ts'
import { type FurtherStep, furtherStep } from './further.ts'
import { behindStep, mentionEdit } from './mention.ts'
import { moodAgainst } from '../intent/mood.ts'
import { nextCall } from './next-one.ts'
import { advance, currentOf, isPlainlyDone } from './progress.ts'
import { isOver } from '../weights/question.ts'
import type { NanoCall } from './run.ts'
import { createPathIndex } from '../paths/named.ts'
import { toCall } from '../calls/ranked-edit.ts'
import { renameCall, renamingIn } from './symbol.ts'
import { isActing } from '../weights/tools.ts'
import type { Opinions } from '../opinion/load.ts'
import type { PathProject } from '../paths/project.ts'

/** What follows from the last step, without asking the model: the next call, or the end of what was asked for. */
export async function nextOne(asking: Asking): Promise<Asked | undefined> {
  const { progress, run, files } = asking
  if (isOver(run.steps)) return undefined
  const { from, clause } = currentOf(progress)
  const mentioned =
    run.steps.length > from &&
    (await mentionEdit({ ...run, clause, from, paths: progress.project.files, files }))
  if (mentioned) return guessOf(mentioned, 'it follows from the step before')
  const renamed = await nextRenamed(asking)
  if (typeof renamed === 'object') return guessOf(renamed, 'the file has that name, too')
  const inCopy = renamed === undefined ? await editInCopy(asking) : undefined
  if (inCopy) return guessOf(inCopy, 'it seems to be meant for the copy')
  const further = renamed ?? (await furtherOf(asking))
  const last = run.steps.at(-1)
  const next =
    further === 'stop'
      ? undefined
      : typeof further === 'object'
        ? { ...further, isLikely: false }
        : await followingCall(asking)
  if (last && (further === 'stop' || (next && isOfOriginal(next.call, asking))))
    return (await advance(progress, run.steps, files))
      ? undefined
      : { reply: NO_REPLY, decision: { kind: 'answer', form: usualForm(last) } }
  if (!next) return undefined
  return isActing(next.call.name)
    ? guessOf(next.call, 'it is one of several that seem to be meant', next.isLikely)
    : { reply: NO_REPLY, decision: { kind: 'call', call: next.call } }
}

/** What was changed in a copy is not to be changed in the original, too. */
function isOfOriginal({ input: { path } }: NanoCall, { progress, run }: Asking): boolean {
  const copied = run.steps.find(
    ({ call, ok }) => ok && call.name === 'copy_file' && call.input['from'] === path,
  )
  return (
    copied !== undefined &&
    run.steps.at(-1)?.call.input['path'] === copied.call.input['to'] &&
    !/\b(?:both|original|too|also|as well|same)\b/i.test(currentOf(progress).clause)
  )
}

/** Behind the renaming of a name in one file, the next file that has it; the end where none is left. */
async function nextRenamed({ progress, run, files }: Asking): Promise<NanoCall | 'stop' | undefined> {
  const { clause, from } = currentOf(progress)
  const last = run.steps.at(-1)
  const renaming = renamingIn(clause) ?? renamingIn(run.request)
  const isRenamed = last?.ok === true && last.call.input['old'] === renaming?.old && renaming !== undefined
  if (!isRenamed || run.steps.length <= from) return undefined
  return (await renameCall({ ...run, clause, paths: progress.project.files, files })) ?? 'stop'
}

/** "Copy the 2025 list to 2026.yaml, in the new one the year is 2026": what is said behind a copy in the same part. */
async function editInCopy({ progress, run, files, opinions }: Asking): Promise<NanoCall | undefined> {
  const { clause, from } = currentOf(progress)
  const last = run.steps.at(-1)
  const path = last?.call.input['to']
  if (!last?.ok || last.call.name !== 'copy_file' || typeof path !== 'string' || run.steps.length <= from)
    return undefined
  const rest = behindStep(clause, last.call)
  if (rest === undefined || !opinions || !isEdit(rest, progress.project, opinions)) return undefined
  const text = await files.read(path).catch(() => '')
  const project = { texts: new Map([[path, text]]), index: createPathIndex([path]) }
  const [best] = opinions.edits({ clause: rest, project, recent: [path] })
  const call = best && best.share >= IN_COPY ? await toCall(best, files) : undefined
  return call && moodAgainst(call, run.request) === undefined ? call : undefined
}

const isEdit = (words: string, project: PathProject, opinions: Opinions): boolean =>
  (opinions.action(words, { project, isLater: true }).get('edit') ?? 0) >= AN_EDIT

/** How likely an edit of the copy must be, and that one is asked for at all. */
const IN_COPY = 0.4
const AN_EDIT = 0.5

/** Behind a step for the part that was come to. */
const followingCall = async (asking: Asking): ReturnType<typeof nextCall> =>
  asking.run.steps.length > currentOf(asking.progress).from ? nextCall(asking) : undefined

function furtherOf({ opinions, progress, run, files }: Asking): Promise<FurtherStep> {
  const { clause, from } = currentOf(progress)
  const isLast = progress.reached.length === progress.clauses.length
  const isBegun = run.steps.length > from && !isPlainlyDone(progress, run.steps)
  if (!opinions || !isBegun) return Promise.resolve(undefined)
  return furtherStep({ clause, isLast, steps: run.steps, from, project: progress.project, files, opinions })
}
