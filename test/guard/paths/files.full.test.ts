import { expect, test } from 'vitest'
import { runs } from '../../support/runs.ts'
import { raceAgainstSwaps } from '../swap-race.ts'

test('a folder that is swapped for a link thousands of times never lets a write out', async () => {
  expect(await raceAgainstSwaps(runs(2_000, 10_000))).toEqual(['kept'])
})
