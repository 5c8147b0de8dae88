import { expect, test } from 'vitest'
import { situationFor } from '../situation.ts'
import { emptyReply } from '../../../src/engine/detectors/empty-reply.ts'

const situation = situationFor('Fix it', { usedTools: true })

test('no words and no calls is an empty reply', () => {
  expect(emptyReply({ text: ' \n', calls: [] }, situation)?.detector).toBe('empty-reply')
})

test('one word, or one call, is not', () => {
  const call = { id: '1', name: 'read_file', input: '{}' }

  expect(emptyReply({ text: '4', calls: [] }, situation)).toBeUndefined()
  expect(emptyReply({ text: '', calls: [call] }, situation)).toBeUndefined()
})
