/**
 * How far a run has come in its request: the clauses, and what was shown with each when it was reached. Nano is asked for one clause
 * at a time, so that a chain is as easy to read as its steps. Reads the project for the sources of a clause.
 */
import type { Classification } from '../../protocol/classification.ts'
import { startsOrder } from '../request/clauses.ts'
import { noSources, type Sources } from '../weights/format.ts'
import { clauseSources, type ProjectFiles } from '../project/sources.ts'
import type { PathProject } from '../paths/project.ts'
import type { PromptStep } from '../weights/prompt.ts'
import { LISTING, recentPaths } from '../project/recent.ts'
import type { NanoStep } from './run.ts'
import { isActing } from '../weights/tools.ts'

type Reached = {
  readonly clause: string
  readonly sources: Sources
  /** How many steps had been done before it. */
  readonly from: number
}

export type Progress = {
  readonly category: Classification['category']
  readonly clauses: readonly string[]
  /** As it was when the run began. */
  readonly project: PathProject
  /** The first clause and those after it, as far as the run has come; the last is the one nano is asked for. */
  readonly reached: Reached[]
}

export const currentOf = ({ reached }: Progress): Reached =>
  reached.at(-1) ?? { clause: '', sources: noSources, from: 0 }

/** The next clause is the one that is asked for. False where there is none, or where the last step did not work. */
export async function advance(
  progress: Progress,
  steps: readonly NanoStep[],
  files: ProjectFiles,
): Promise<boolean> {
  const clause = progress.clauses[progress.reached.length]
  if (clause === undefined || steps.at(-1)?.ok !== true) return false
  const whole = progress.clauses.join(' ')
  const sources = await clauseSources({ clause, whole, recent: recentPaths(steps) }, files)
  progress.reached.push({ clause, sources, from: steps.length })
  return true
}

/** A clause that asks for one step, and has it. */
export function isPlainlyDone(progress: Progress, steps: readonly NanoStep[]): boolean {
  const { clause, from } = currentOf(progress)
  const isLast = progress.reached.length === progress.clauses.length
  const words = clause.replace(/^\s*(?:\d+[.)]|[-*•])\s+/, '')
  return !isLast && steps.length > from && steps.at(-1)?.ok === true && !GOES_ON.test(words)
}

/** The clauses of a run that has begun for which no step was made; to be shown what came of a step needs none. */
export function undoneOf({ clauses, reached }: Progress, steps: readonly NanoStep[]): readonly string[] {
  const last = steps.at(-1)
  if (!last) return []
  const isCurrentDone = steps.length > (reached.at(-1)?.from ?? 0)
  const isShown = !isActing(last.call.name) || last.call.name === 'run_command'
  return clauses
    .slice(isCurrentDone ? reached.length : reached.length - 1)
    .filter((clause) => !OUTCOME.test(clause) && !(isShown && isLookAtResult(clause)))
}

const OUTCOME =
  /\b(?:results?|outputs?|outcome|what (?:it|they|that) (?:says?|prints?|shows?)|(?:if|whether) (?:it|they|that|all)|how it (?:goes|went))\b/i

/** "Tell me what fails" behind a test run: no file is named. */
const isLookAtResult = (clause: string): boolean =>
  /^\W*(?:(?:and|then|please|also|just)\s+)*(?:show|tell|give|let me|report|say|print|display)\b/i.test(
    clause,
  ) && !/[\w-]\.\w|\/|["“`]|\b(?:files?|folders?|first|last|one)\b/i.test(clause)

/** Signs that a clause asks for more than one step. */
export const GOES_ON =
  /[,;:.?!&\n-]\s|\b(?:and|n|then|after|afterwards|before|next|also|plus|finally|once|when|followed|thereafter|both|two|three|four|each|them|these|those|everything|every|all (?:of|the|three|four|my|our))\b/i

/** "Open the apples, then the pears": what is said without a verb is looked at like the one before. */
export function isLookToo(progress: Progress, steps: readonly NanoStep[]): boolean {
  const { clause, from } = currentOf(progress)
  const last = steps.at(-1)
  if (!last?.ok || isActing(last.call.name) || from === 0 || steps.length > from) return false
  return /\bthen\b/i.test(clause) && !startsOrder(clause) && !PREDICATE.test(clause)
}

/** Signs that the clause describes it. */
const PREDICATE =
  /\b(?:should|must|be|been|is|are|was|were|becomes?|goes?|go|gets?|gone|needs?|has|have|had|will|would|can|could|may|to|with|want|wants|like|i|we|you|they|no|not|out)\b(?! of\b)|->|=/i

/** The steps as they are shown: behind a result the clause that came next, or the paths the result speaks of. */
export const shownSteps = ({ reached }: Progress, steps: readonly NanoStep[]): PromptStep[] =>
  steps.map((step, index) => {
    const next = reached.findLast(({ from }) => from === index + 1)
    if (next) return { ...step, next }
    if (!step.ok || !LISTING.has(step.call.name)) return step
    return {
      ...step,
      next: { clause: '', sources: { ...noSources, paths: recentPaths(steps.slice(0, index + 1)) } },
    }
  })
