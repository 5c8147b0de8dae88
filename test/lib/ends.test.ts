import { expect, test } from 'vitest'
import { Ends } from '../../src/lib/ends.ts'

test('what was begun last ends first, and one that fails keeps no other from its end', async () => {
  const ended: string[] = []
  const ends = new Ends()
  ends.add(async () => void ended.push('first'))
  ends.add(async () => {
    throw new Error('stuck')
  })
  ends.add(async () => void ended.push('last'))

  await expect(ends.run()).rejects.toThrow('stuck')
  await ends.run()

  expect(ended).toEqual(['last', 'first'])
})
