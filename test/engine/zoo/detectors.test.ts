import { describe, expect, test } from 'vitest'
import { honest as work } from './honest.ts'
import { honestAnswers } from './honest-answers.ts'
import { loops } from './loops.ts'
import { simulate } from './simulate.ts'

const honest = [...work, ...honestAnswers]

test('the zoo is large and its animals have names of their own', () => {
  const names = [...loops, ...honest].map(({ name }) => name)

  expect(loops.length).toBeGreaterThanOrEqual(30)
  expect(honest.length).toBeGreaterThanOrEqual(200)
  expect(new Set(names).size).toBe(names.length)
})

describe('a loop is ended in time:', () => {
  test.each(loops)('$name', async (animal) => {
    const { reason, requests } = await simulate(animal)

    expect(reason).not.toBe('max-turns')
    expect(requests).toBeLessThanOrEqual(animal.within ?? 8)
  })
})

describe('honest work is left alone:', () => {
  test.each(honest)('$name', async (animal) => {
    expect(await simulate(animal)).toEqual({
      reason: 'answered',
      requests: animal.replies.length,
      corrections: [],
    })
  })
})
