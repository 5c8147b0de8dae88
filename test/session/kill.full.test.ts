import { expect, test } from 'vitest'
import { killAndResume } from './kill.ts'
import { runs } from '../support/runs.ts'
import { seededRandom, seededSlice } from '../support/seed.ts'

const random = seededRandom('killed session')
const TIMES = runs(16, 500)

/** Two at a time: more would only wait for each other. */
async function inPairs<Item>(items: readonly Item[], job: (item: Item) => Promise<unknown>): Promise<void> {
  const left = items.values()
  const worker = async () => {
    for (const item of left) await job(item)
  }
  await Promise.all([worker(), worker()])
}

test('processes killed from outside lose nothing that was acknowledged', async () => {
  let resumed = 0
  const moments = Array.from({ length: TIMES }, () => 1 + Math.floor(random() * 500))

  await inPairs(moments, async (when) => {
    resumed += await killAndResume({ sessions: 2, when })
  })

  expect(resumed).toBeGreaterThan(TIMES * 0.8)
})

test('processes killed at an exact write lose nothing that was acknowledged', async () => {
  const places = ['before', 'half', 'after'] as const
  const writes = Array.from({ length: 167 }, (_, index) =>
    places.map((place) => `${1 + index}:${place}` as const),
  ).flat()

  await inPairs(seededSlice(writes, TIMES, 'writes'), (when) => killAndResume({ sessions: 1, when }))
})
