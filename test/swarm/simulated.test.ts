import { expect, test } from 'vitest'
import { calculated, measured, type Simulation } from './simulated.ts'
import { runs } from '../support/runs.ts'

const simulation: Simulation = { error: 0.4, kinds: 2, found: 0.5 }
const times = runs(150, 1_500)

/** Four standard deviations of a share that was measured so often. */
const tolerance = (share: number): number => 4 * Math.sqrt((share * (1 - share)) / times) + 1e-9

test.each([1, 3, 5, 7].flatMap((k) => [[k, false] as const, [k, true] as const]))(
  'with %i candidates, dry run %s, as many right and wrong answers win as is calculated',
  async (k, dryRun) => {
    const wanted = calculated(simulation, k, dryRun)

    const got = await measured(simulation, { k, dryRun, runs: times })

    expect(Math.abs(got.right - wanted.right)).toBeLessThan(tolerance(wanted.right))
    expect(Math.abs(got.wrong - wanted.wrong)).toBeLessThan(tolerance(wanted.wrong))
  },
)

test('more candidates help, and the dry run helps more', () => {
  const right = (k: number, dryRun: boolean): number => calculated(simulation, k, dryRun).right

  expect(right(7, false)).toBeGreaterThan(right(1, false) + 0.1)
  expect(right(3, true)).toBeGreaterThan(right(3, false) + 0.05)
  expect(right(7, true)).toBeGreaterThan(0.9)
})
