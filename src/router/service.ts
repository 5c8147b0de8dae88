/** What the router learnt and decided, to inspect or erase; needs no arm. */
import { taskTypes } from '../protocol/classification.ts'
import type { RouterService, RouterStats, TaskStats, TaskType } from '../protocol/routing.ts'
import type { DecisionLog } from './decision-log.ts'
import { estimate, slopeOf } from './learn.ts'
import { priorOf } from './prior.ts'
import type { RouterRecord } from './record.ts'

export type RouterServiceParts = {
  readonly record: RouterRecord
  readonly log: Pick<DecisionLog, 'read' | 'clear'>
  /** What was expected of an arm beforehand; by its name when absent. */
  prior?(arm: string): (type: TaskType) => number
}

export function createRouterService({ record, log, prior = priorByName }: RouterServiceParts): RouterService {
  return {
    async stats() {
      const tasks = taskStats(record, prior)
      return {
        arms: record.arms(),
        tasks,
        sources: record.sources(),
        hints: hintsFor(tasks, record.sources()),
      }
    },
    async decisions(runId) {
      const all = await log.read()
      const wanted = runId ?? all.at(-1)?.runId
      return all.filter((decision) => decision.runId === wanted)
    },
    async reset() {
      record.reset()
      await Promise.all([record.flush(), log.clear()])
    },
  }
}

const priorByName = (arm: string): ((type: TaskType) => number) => priorOf({ id: arm, tier: 'local' })

function taskStats(record: RouterRecord, prior: (arm: string) => (type: TaskType) => number): TaskStats[] {
  const learned = record.learned()
  const slope = slopeOf(learned)
  return Object.entries(learned).flatMap(([arm, known]) =>
    taskTypes.flatMap((type) => {
      const cell = known.cells[type]
      if (!cell || cell.runs === 0) return []
      const quality = estimate({ record: known, slope, prior: prior(arm) }, type, 0.5)
      return [{ arm, type, runs: cell.runs, quality }]
    }),
  )
}

/** Below this much evidence an arm is chosen mainly by its size. */
const ENOUGH = 8
const MANY_FALLBACKS = 0.2

function hintsFor(tasks: readonly TaskStats[], sources: RouterStats['sources']): readonly string[] {
  const runs = tasks.reduce((sum, task) => sum + task.runs, 0)
  const weight = tasks.reduce((sum, { quality }) => sum + quality.weight, 0)
  if (runs === 0) return ['No run was judged yet; arms are chosen by size and what they declare.']
  const few = tasks.filter(({ quality }) => quality.weight < ENOUGH).length
  const asked = sources.keywords + sources.slm + sources.slm_fallback
  return [
    ...(few > 0
      ? [`${few} of ${tasks.length} rows rest on too little to count for much; size still decides there.`]
      : []),
    ...(weight < runs / 4
      ? ['Most runs were only answered, which says little. Tests and [checks] let the router learn faster.']
      : []),
    ...(sources.slm_fallback > asked * MANY_FALLBACKS
      ? ['The small model was often late or unreadable, and words decided instead.']
      : []),
  ]
}
