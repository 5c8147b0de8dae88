import { expect, test } from 'vitest'
import { raceAgainstSwaps } from '../swap-race.ts'

test('a folder that is swapped for a link ten thousand times never lets a write out', async () => {
  expect(await raceAgainstSwaps(10_000)).toEqual(['kept'])
})
