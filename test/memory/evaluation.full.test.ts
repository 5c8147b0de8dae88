/** Recall without embeddings: questions whose facts are hidden among ten thousand others. */
import { expect, test } from 'vitest'
import { generatedPairs } from './distractors.ts'
import { recallAtFive } from './evaluation.ts'
import { tempDatabase } from './memories.ts'
import { heldOut, tuned } from './questions.ts'

test('questions find their fact among the first five', async () => {
  const { shares, living } = await recallAtFive(tempDatabase(), [tuned, heldOut, generatedPairs(500)], 10_000)
  const [onTuned = 0, onHeldOut = 0, onGenerated = 0] = shares

  expect(tuned.length + heldOut.length).toBeGreaterThanOrEqual(150)
  expect(living).toBeGreaterThanOrEqual(10_000)
  expect(onTuned).toBeGreaterThanOrEqual(0.75)
  expect(onHeldOut).toBeGreaterThanOrEqual(0.75)
  expect(onGenerated).toBeGreaterThanOrEqual(0.9)
})
