import { expect, test } from 'vitest'
import { killAndResume } from './kill.ts'
import { seededRandom } from '../support/seed.ts'

const random = seededRandom('killed session')
const randomBelow = (limit: number) => Math.floor(random() * limit)

/** Two at a time: more would only wait for each other. */
async function inPairs(times: number, job: (number: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < times) await job(next++)
  }
  await Promise.all([worker(), worker()])
}

test('500 processes killed from outside lose nothing that was acknowledged', async () => {
  let resumed = 0

  await inPairs(500, async () => {
    resumed += await killAndResume({ sessions: 2, when: 1 + randomBelow(500) })
  })

  expect(resumed).toBeGreaterThan(400)
}, 1_200_000)

test('500 processes killed at an exact write lose nothing that was acknowledged', async () => {
  const places = ['before', 'half', 'after'] as const

  await inPairs(500, (number) =>
    killAndResume({ sessions: 1, when: `${1 + Math.floor(number / 3)}:${places[number % 3] ?? 'half'}` }),
  )
}, 1_200_000)
