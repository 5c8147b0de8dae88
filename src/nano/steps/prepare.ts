/** What is found out when a run begins: its category, its clauses, and what the first of them may mean. Kept for a few runs. */
import type { Classification } from '../../protocol/classification.ts'
import type { ModelRequest } from '../../protocol/model.ts'
import type { Opinions } from '../opinion/load.ts'
import { clausesOf } from '../request/clauses.ts'
import { advance, type Progress } from './progress.ts'
import { findSources, pathProject, type ProjectFiles } from '../project/sources.ts'
import { idsOf, type NanoRun, type NanoStep } from './run.ts'
import { renamingIn } from './symbol.ts'

type Place = {
  readonly run: NanoRun
  readonly files: ProjectFiles
  /** What was looked at before: more may be known now. */
  readonly looks: readonly NanoStep[]
  readonly opinions?: Pick<Opinions, 'parts'>
}

export type Prepare = (
  request: ModelRequest,
  place: Place,
  signal: AbortSignal,
) => Promise<Progress | undefined>

type PreparerParts = {
  classify(prompt: string, signal: AbortSignal): Promise<Classification | undefined>
}

const MOST_RUNS = 16

/** What is found out once per run, so that the prompts of a run begin alike. */
export function createPreparer({ classify }: PreparerParts): Prepare {
  const runs = new Map<string, Progress>()
  return async (request, { run, files, looks, opinions }, signal) => {
    const { request: words, steps } = run
    const { messages } = request
    const key = `${looks.length}\n${keyOf(request, run)}`
    const begun = runs.get(key)
    if (begun && (request.guarded || isOf(begun, steps))) return begun
    const [classification, project] = await Promise.all([classify(words, signal), pathProject(words, files)])
    if (!classification) return undefined
    const ids = SPEAKS_OF_IDS.test(words) ? idsOf(messages) : []
    // A renaming goes through the files by itself.
    const isCut = opinions !== undefined && renamingIn(words) === undefined
    const clauses = isCut ? opinions.parts(words, project) : clausesOf(words)
    const [clause = words] = clauses
    const first = { clause, sources: { ...(await findSources(words, files, clause)), ids }, from: 0 }
    const progress = { category: classification.category, clauses, project, reached: [first] }
    // Steps of a run that began elsewhere: one for each clause.
    for (let done = 1; done <= steps.length; done++) await advance(progress, steps.slice(0, done), files)
    runs.set(key, progress)
    for (const [oldest] of runs) if (runs.size > MOST_RUNS) runs.delete(oldest)
    return progress
  }
}

/** The training showed no list of ids; only a request that needs one gets it. */
const SPEAKS_OF_IDS = /\b(?:jobs?|results?|background|outputs?)\b/i

/** A client of the API sends the whole conversation each time, as a request of its own; a yes does not begin another run. */
const keyOf = ({ runId, sessionId, guarded }: ModelRequest, { request, turn = 0 }: NanoRun): string =>
  guarded ? runId : [sessionId, turn, request].join('\n')

/** The same words may begin another run. */
const isOf = ({ reached }: Progress, { length }: NanoRun['steps']): boolean =>
  length > 0 && (reached.at(-1)?.from ?? 0) <= length
