import { expect, test } from 'vitest'
import { expectSurvived, refuse } from './disk.ts'

test('a disk that refuses at eight points is named, and the session goes on when it is well again', async () => {
  const found = await refuse(2)

  expect(found).toHaveLength(8)
  expectSurvived(found)
}, 60_000)
