import { expect, test } from 'vitest'
import { falseHits } from './sources.ts'

test('less than one false hit in 10,000 lines over 200,000 lines of ordinary source', async () => {
  const { lines, hits } = await falseHits(200_000)

  expect(lines).toBeGreaterThan(190_000)
  expect({ hits, isGood: hits.length / (lines / 10_000) < 1 }).toMatchObject({ isGood: true })
})
