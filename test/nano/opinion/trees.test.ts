import { expect, test } from 'vitest'
import { trainTrees } from '../../../scripts/nano-opinion-trees.ts'
import { chanceOf, type TreeModel } from '../../../src/nano/opinion/trees.ts'

/** One of two signs, but not both: no weighing of single signs can tell. */
const either = Array.from({ length: 400 }, (_, at) => {
  const [a, b] = [at % 2, Math.floor(at / 2) % 2]
  return { features: [a, b, (at * 7) % 11], isRight: a !== b }
})

test('a leaf is reached by the features on the way', () => {
  const model: TreeModel = { names: [], start: 0, trees: [[0, 0.5, -2, [1, 3, -1, 2]], 0.5] }

  expect(chanceOf(model, [0, 9])).toBeCloseTo(1 / (1 + Math.exp(1.5)))
  expect(chanceOf(model, [1, 2])).toBeCloseTo(1 / (1 + Math.exp(0.5)))
  expect(chanceOf(model, [1, 3])).toBeCloseTo(1 / (1 + Math.exp(-2.5)))
})

test('what depends on two things together is learned', () => {
  const model = { names: [], ...trainTrees(either, { trees: 40, leaves: 4, rate: 0.3, fewest: 10 }) }

  expect(chanceOf(model, [1, 0, 3])).toBeGreaterThan(0.9)
  expect(chanceOf(model, [0, 1, 8])).toBeGreaterThan(0.9)
  expect(chanceOf(model, [1, 1, 3])).toBeLessThan(0.1)
  expect(chanceOf(model, [0, 0, 8])).toBeLessThan(0.1)
})

test('a chance is as often right as it says', () => {
  const examples = Array.from({ length: 1000 }, (_, at) => ({
    features: [at % 2],
    isRight: at % 10 < (at % 2 ? 8 : 3),
  }))
  const model = { names: [], ...trainTrees(examples, { trees: 60, leaves: 2, rate: 0.3 }) }
  const shareOf = (odd: number): number =>
    examples.filter(({ features, isRight }) => features[0] === odd && isRight).length / 500

  expect(chanceOf(model, [0])).toBeCloseTo(shareOf(0), 1)
  expect(chanceOf(model, [1])).toBeCloseTo(shareOf(1), 1)
})

test('nothing is split for the sake of a few', () => {
  const examples = Array.from({ length: 100 }, (_, at) => ({ features: [Number(at < 5)], isRight: at < 5 }))

  expect(trainTrees(examples, { trees: 1, fewest: 10 }).trees).toEqual([expect.any(Number)])
})
