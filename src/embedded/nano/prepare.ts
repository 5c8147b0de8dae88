/** What is found out when a run begins: its category, its clauses, and what the first of them may mean. Kept for a few runs. */
import type { Classification } from '../../protocol/classification.ts'
import type { ModelRequest } from '../../protocol/model.ts'
import { clausesOf } from './clauses.ts'
import { advance, type Progress } from './progress.ts'
import { findSources, pathProject, type ProjectFiles } from './project.ts'
import { idsOf, type NanoRun, type NanoStep } from './run.ts'

type Place = {
  readonly run: NanoRun
  readonly files: ProjectFiles
  /** What was looked at before: more may be known now. */
  readonly looks: readonly NanoStep[]
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
  return async (request, { run: { request: words, steps }, files, looks }, signal) => {
    const { messages } = request
    const key = `${looks.length}\n${keyOf(request, words)}`
    const begun = runs.get(key)
    if (begun && (request.guarded || isOf(begun, steps))) return begun
    const [classification, found, project] = await Promise.all([
      classify(words, signal),
      findSources(words, files),
      pathProject(words, files),
    ])
    if (!classification) return undefined
    const ids = SPEAKS_OF_IDS.test(words) ? idsOf(messages) : []
    const clauses = clausesOf(words)
    const first = { clause: clauses[0] ?? words, sources: { ...found, ids }, from: 0 }
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

/** A client of the API sends the whole conversation each time, as a request of its own. */
const keyOf = ({ runId, sessionId, guarded, messages }: ModelRequest, words: string): string =>
  guarded ? runId : [sessionId, messages.filter(({ role }) => role === 'user').length, words].join('\n')

/** The same words may begin another run. */
const isOf = ({ reached }: Progress, { length }: NanoRun['steps']): boolean =>
  length > 0 && (reached.at(-1)?.from ?? 0) <= length
