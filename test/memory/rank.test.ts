import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expandQuery, mergeRanks, scoreTerms, spread, weighQuery, prominence } from '../../src/memory/rank.ts'
import { termsOf } from '../../src/memory/words.ts'

const weigh = (query: string, of: Readonly<Record<string, number>> = {}) =>
  weighQuery(expandQuery(query), { of: new Map(Object.entries(of)), total: 1000 })

describe('scores', () => {
  test('a rare word is worth more than a common one', () => {
    const query = weigh('zebra folder', { zebra: 2, folder: 500 })

    expect(scoreTerms(['zebra'], query).score).toBeGreaterThan(scoreTerms(['folder'], query).score)
  })

  test('a neighbour of a word counts, for less', () => {
    const query = weigh('database', { databas: 5, db: 5 })
    const exact = scoreTerms(['databas'], query).score
    const near = scoreTerms(['db'], query).score

    expect(near).toBeGreaterThan(0)
    expect(near).toBeLessThan(exact)
  })

  test('a text that says nothing of it has nothing in common with a query', () => {
    expect(scoreTerms(termsOf('something else entirely'), weigh('zebra'))).toEqual({ score: 0, overlap: 0 })
  })

  test('the overlap lies between nothing and everything', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, query) => {
        const { overlap } = scoreTerms(termsOf(text), weigh(query))
        expect(overlap).toBeGreaterThanOrEqual(0)
        expect(overlap).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('ranks of several ways to search', () => {
  test('what both find comes before what one of them finds first', () => {
    const merged = mergeRanks([
      [
        { id: 1, score: 9 },
        { id: 2, score: 8 },
      ],
      [
        { id: 3, score: 0.9 },
        { id: 2, score: 0.8 },
      ],
    ])

    expect([...merged].toSorted((a, b) => b[1] - a[1]).map(([id]) => id)[0]).toBe(2)
  })

  test('a way that counts more decides between two that are each first in one', () => {
    const lists = [[{ id: 1, score: 9 }], [{ id: 2, score: 0.9 }]]

    const first = (weights: readonly number[]) =>
      [...mergeRanks(lists, weights)].toSorted((a, b) => b[1] - a[1])[0]?.[0]

    expect([first([1, 3]), first([3, 1])]).toEqual([2, 1])
  })

  test('scores that are nearly the same share a rank', () => {
    const merged = mergeRanks([
      [
        { id: 1, score: 1 },
        { id: 2, score: 0.99 },
        { id: 3, score: 0.5 },
      ],
    ])

    expect(merged.get(1)).toBe(merged.get(2))
    expect(merged.get(3)).toBeLessThan(merged.get(2) ?? 0)
  })
})

test('sentences of one pattern leave room for others', () => {
  const ranked = [
    { id: 1, terms: ['port', 'api', 'listen'] },
    { id: 2, terms: ['port', 'admin', 'listen'] },
    { id: 3, terms: ['port', 'web', 'listen'] },
    { id: 4, terms: ['harbour'] },
  ]

  expect(spread(ranked, 3).map(({ id }) => id)).toEqual([1, 2, 4])
  expect(spread(ranked, 4).map(({ id }) => id)).toEqual([1, 2, 4, 3])
})

test.each([
  ['with a model to which everything is near', [0.9, 0.78, 0.76, 0.75, 0.75, 0.74, 0.74, 0.73, 0.72]],
  ['with one to which little is', [0.45, 0.2, 0.16, 0.15, 0.12, 0.1, 0.1, 0.08, 0.02]],
])('%s only what stands out is relevant', (_, cosines) => {
  const standing = prominence(cosines)

  expect(cosines.map((cosine) => standing(cosine) >= 0.3)).toEqual(
    cosines.map((_cosine, index) => index === 0),
  )
})

test('a few cosines show nothing about what is usual', () => {
  const standing = prominence([0.55, 0.9])

  expect([standing(0.55) < 0.3, standing(0.9) >= 0.3, standing(-1)]).toEqual([true, true, 0])
})
