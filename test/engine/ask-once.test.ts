import { expect, test } from 'vitest'
import { askOnce } from '../../src/engine/ask-once.ts'
import type { Lease } from '../../src/protocol/arm.ts'
import { says, scriptedModel } from '../../src/provider/scripted.ts'

test('half an answer is none: a question that was cancelled fails, and its lease goes back', async () => {
  const controller = new AbortController()
  const settled: string[] = []
  const model = scriptedModel(() => {
    controller.abort()
    return [says('allow')]
  })
  const lease = {
    model,
    commit: () => settled.push('commit'),
    release: () => settled.push('release'),
  } as unknown as Lease

  const asked = askOnce(async () => lease, 'May it?', controller.signal)

  await expect(asked).rejects.toThrow('aborted')
  expect(settled).toEqual(['release'])
})
