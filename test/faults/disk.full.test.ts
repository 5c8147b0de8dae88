import { expect, test } from 'vitest'
import { expectSurvived, refuse } from './disk.ts'
import { runs } from '../support/runs.ts'

const POINTS = runs(8, 50)

test('ENOSPC, EROFS, EMFILE and EACCES at many points: named, nothing torn, and it goes on', async () => {
  const found = await refuse(POINTS)

  expect(found).toHaveLength(4 * POINTS)
  expect(found.filter(({ refused }) => refused !== undefined).length).toBeGreaterThan(3.6 * POINTS)
  expectSurvived(found)
})
