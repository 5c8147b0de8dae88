/** What is found out when a run begins: its category, its clauses, and what the first of them may mean. Kept for a few runs. */
import type { Classification } from '../../protocol/classification.ts'
import type { ModelRequest } from '../../protocol/model.ts'
import { clausesOf } from './clauses.ts'
import { advance, type Progress } from './progress.ts'
import { findSources, type ProjectFiles } from './project.ts'
import { idsOf, type NanoRun } from './run.ts'

export type Prepare = (request: ModelRequest, run: NanoRun, signal: AbortSignal) => Promise<Progress | undefined>

type PreparerParts = {
  readonly files: ProjectFiles
  classify(prompt: string, signal: AbortSignal): Promise<Classification | undefined>
}

const MOST_RUNS = 16

/** What is found out once per run, so that the prompts of a run begin alike. */
export function createPreparer({ classify, files }: PreparerParts): Prepare {
  const runs = new Map<string, Progress>()
  return async ({ runId, messages }, { request: words, steps }, signal) => {
    const known = runs.get(runId)
    if (known) return known
    const [classification, found] = await Promise.all([classify(words, signal), findSources(words, files)])
    if (!classification) return undefined
    const ids = SPEAKS_OF_IDS.test(words) ? idsOf(messages) : []
    const clauses = clausesOf(words)
    const first = { clause: clauses[0] ?? words, sources: { ...found, ids }, from: 0 }
    const progress = { category: classification.category, clauses, reached: [first] }
    // Steps of a run that began elsewhere: one for each clause.
    for (let done = 1; done <= steps.length; done++) await advance(progress, steps.slice(0, done), files)
    runs.set(runId, progress)
    for (const [oldest] of runs) if (runs.size > MOST_RUNS) runs.delete(oldest)
    return progress
  }
}

/** The training showed no list of ids; only a request that needs one gets it. */
const SPEAKS_OF_IDS = /\b(?:jobs?|results?|background|outputs?)\b/i
