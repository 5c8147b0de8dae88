import { expect, test } from 'vitest'
import { killAndResume } from './kill.ts'
import { seededRandom, seededSlice } from '../support/seed.ts'
import { runs } from '../support/runs.ts'

const POINTS = runs(4, 20)
const random = seededRandom('killed session')
const randomBelow = (limit: number) => Math.floor(random() * limit)

test.concurrent('killed at random points, nothing acknowledged is lost and open calls are closed', async () => {
  let resumed = 0
  while (resumed < POINTS) resumed += await killAndResume({ sessions: 8, when: 1 + randomBelow(1000) })

  expect(resumed).toBeGreaterThanOrEqual(POINTS)
})

test.concurrent('killed at a write to the log, the session opens', async () => {
  for (const where of seededSlice(['before', 'half', 'after'] as const, runs(1, 3), 'log writes')) {
    await killAndResume({ sessions: 1, when: `${1 + randomBelow(3)}:${where}` })
    await killAndResume({ sessions: 4, when: `${10 + randomBelow(300)}:${where}` })
  }
})
