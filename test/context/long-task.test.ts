/** Forty turns in a small window, whole: what a model is shown stays true, and the person's conditions stay in sight. */
import { describe, expect, test } from 'vitest'
import { runLongTask } from '../support/long-task/run.ts'
import { runs } from '../support/runs.ts'
import { seededSlice } from '../support/seed.ts'

/** One of two ways at every commit, both in the soak. */
const some = <Item>(list: readonly Item[], name: string): readonly Item[] =>
  seededSlice(list, runs(1, list.length), `long task ${name}`)

describe('a task of forty turns', () => {
  test.each(
    some(
      [
        { usage: true, least: 0.6 },
        { usage: false, least: 0.55 },
      ],
      '8,192',
    ),
  )(
    'in 8,192 tokens is compacted at most four times and loses nothing ($usage)',
    async ({ usage, least }) => {
      const { largest, compactions, ...task } = await runLongTask(8192, { usage })

      expect(task).toMatchObject({
        reason: 'answered',
        turns: 40,
        lostFacts: [],
        falseLines: [],
        missing: [],
      })
      expect(compactions).toBeLessThanOrEqual(4)
      expect(largest).toBeGreaterThan(8192 * least)
      expect(largest).toBeLessThan(8192 * 0.75)
    },
  )

  test.each(some([true, false], '4,096'))(
    'in 4,096 tokens is completed (usage reported: %s)',
    async (usage) => {
      const task = await runLongTask(4096, { usage })

      expect(task).toMatchObject({ reason: 'answered', turns: 40, falseLines: [], missing: [] })
      expect(task.largest).toBeLessThan(3072)
    },
  )
})
