import { expect, test } from 'vitest'
import { controls, drawAll, listed, steering } from './naughty.ts'

test.each([
  [120, 36],
  [80, 24],
  [40, 30],
  [20, 10],
] as const)('%i x %i: 515 naughty strings are inert, and the box stays in its place', async (...size) => {
  expect(listed).toHaveLength(515)

  await drawAll([...listed, ...controls, ...steering], size)
})
