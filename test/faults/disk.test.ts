import { expect, test } from 'vitest'
import { expectSurvived, refuse } from './disk.ts'

test('a disk that refuses at four points is named, and the session goes on when it is well again', async () => {
  const found = await refuse(1)

  expect(found).toHaveLength(4)
  expectSurvived(found)
})
