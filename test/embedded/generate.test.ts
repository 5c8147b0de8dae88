import { expect, test } from 'vitest'
import { toEvaluateOptions } from '../../src/embedded/generate.ts'

const parts = { sampling: { temperature: 0.7, topP: 0.95, topK: 20 }, grammar: undefined, written: [] }

test('a request decides over the sampling of the file, and penalties reach the sampler', () => {
  const options = toEvaluateOptions(
    { temperature: 0.2, topP: 0.5, presencePenalty: 1, frequencyPenalty: 0.5, seed: 3 },
    parts,
  )

  expect(options).toMatchObject({
    temperature: 0.2,
    topP: 0.5,
    topK: 20,
    seed: 3,
    repeatPenalty: { penalty: 1, presencePenalty: 1, frequencyPenalty: 0.5 },
  })
})

test('no penalty applies unless requested', () => {
  expect(toEvaluateOptions({ seed: 3 }, parts)).toEqual({ temperature: 0.7, topP: 0.95, topK: 20, seed: 3 })
})
