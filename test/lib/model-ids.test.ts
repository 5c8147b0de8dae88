import { expect, test } from 'vitest'
import { modelIdsIn } from '../../src/lib/model-ids.ts'

test('a model that is listed by the path of its file is called by the name of the file', () => {
  const listed = ['/srv/models/small.Q4_1.gguf', './here.gguf', 'C:\\models\\other.gguf', 'org/model-4b']

  expect(modelIdsIn({ data: listed.map((id) => ({ id })) })).toEqual([
    'small.Q4_1.gguf',
    'here.gguf',
    'other.gguf',
    'org/model-4b',
  ])
})

test('two files of one name keep their paths', () => {
  const listed = ['/a/model.gguf', '/b/model.gguf', 'qwen3:4b']

  expect(modelIdsIn({ data: listed.map((id) => ({ id })) })).toEqual(listed)
})
