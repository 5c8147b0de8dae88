import { expect, test } from 'vitest'
import { runs } from '../support/runs.ts'
import { seededSlice } from '../support/seed.ts'
import { controls, drawAll, listed, steering } from './naughty.ts'

const sizes = [
  [120, 36],
  [80, 24],
  [40, 30],
  [20, 10],
] as const

test.each(seededSlice(sizes, runs(2, sizes.length), 'sizes'))(
  '%i x %i: 515 naughty strings are inert, and the box stays in its place',
  async (...size) => {
    expect(listed).toHaveLength(515)

    await drawAll([...listed, ...controls, ...steering], size)
  },
)
