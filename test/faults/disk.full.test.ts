import { expect, test } from 'vitest'
import { expectSurvived, refuse } from './disk.ts'

test('ENOSPC, EROFS, EMFILE and EACCES at two hundred points: named, nothing torn, and it goes on', async () => {
  const found = await refuse(50)

  expect(found).toHaveLength(200)
  expect(found.filter(({ refused }) => refused !== undefined).length).toBeGreaterThan(180)
  expectSurvived(found)
})
