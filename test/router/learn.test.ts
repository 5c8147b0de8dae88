import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { taskTypes } from '../../src/protocol/classification.ts'
import { evidenceKinds, type TaskType } from '../../src/protocol/routing.ts'
import { estimate, type Learned, observe, type Outcome, retract, slopeOf } from '../../src/router/learn.ts'

const outcome = (facts: Partial<Outcome> = {}): Outcome => ({
  arm: 'a',
  type: 'debug',
  complexity: 0.5,
  evidence: 'checks-green',
  ...facts,
})

const after = (...outcomes: readonly Outcome[]): Learned => outcomes.reduce(observe, {})
const times = (count: number, facts: Partial<Outcome>): Outcome[] =>
  Array.from({ length: count }, () => outcome(facts))

const meanOf = (learned: Learned, type: TaskType = 'debug', complexity = 0.5): number =>
  estimate({ record: learned['a'], slope: slopeOf(learned), prior: () => 0.5 }, type, complexity).mean

test('an arm without a record is what was expected of it', () => {
  expect(estimate({ record: undefined, slope: -0.4, prior: () => 0.6 }, 'debug', 0.5)).toMatchObject({
    mean: 0.6,
    weight: 0,
  })
})

test('green and red checks weigh ten times what an answer does', () => {
  const green = meanOf(after(outcome())) - 0.5
  const kept = meanOf(after(outcome({ evidence: 'edit-kept' }))) - 0.5
  const answered = meanOf(after(outcome({ evidence: 'answered' }))) - 0.5
  const red = meanOf(after(outcome({ evidence: 'checks-red' }))) - 0.5

  expect(green).toBeCloseTo(-red)
  expect(green / answered).toBeGreaterThan(8)
  expect(kept).toBeGreaterThan(answered)
  expect(kept).toBeLessThan(green)
})

test('what an arm does at one type says something about the others, but less', () => {
  const learned = after(...times(10, { type: 'debug', evidence: 'checks-red' }))

  expect(meanOf(learned, 'debug')).toBeLessThan(meanOf(learned, 'refactor'))
  expect(meanOf(learned, 'refactor')).toBeLessThan(0.5)
})

test('one outcome moves little, many move to what is true', () => {
  expect(meanOf(after(...times(1, { evidence: 'checks-red' })))).toBeGreaterThan(0.4)
  expect(meanOf(after(...times(300, { evidence: 'checks-red' })))).toBeLessThan(0.05)
})

test('an arm that is given the hard tasks does not look worse for it', () => {
  const half = (complexity: number, good: number): Outcome[] => [
    ...times(good, { complexity }),
    ...times(20 - good, { complexity, evidence: 'checks-red' }),
  ]
  const easy = after(...half(0.1, 13))
  const hard = after(...half(0.9, 7))

  expect(meanOf(hard)).toBeCloseTo(meanOf(easy), 1)
  expect(meanOf(hard, 'debug', 0.9)).toBeLessThan(meanOf(hard, 'debug', 0.1))
})

test('how much complexity matters is learnt from differences within one arm', () => {
  const indifferent = after(
    ...[0.1, 0.9].flatMap((complexity) => [
      ...times(60, { complexity }),
      ...times(60, { complexity, evidence: 'checks-red' }),
    ]),
  )

  expect(slopeOf({})).toBeCloseTo(-0.4)
  expect(slopeOf(indifferent)).toBeGreaterThan(-0.1)
})

test('old outcomes fade: after 200 newer ones they count half', () => {
  const [fresh, old] = [after(outcome()), after(outcome(), ...times(200, { type: 'explain' }))]

  expect(fresh['a']?.cells.debug?.w).toBe(1)
  expect(old['a']?.cells.debug?.w).toBeCloseTo(0.5)
})

test('another arm is not touched', () => {
  const learned = after(outcome({ arm: 'b' }), ...times(50, { evidence: 'checks-red' }))

  expect(learned['b']).toEqual(after(outcome({ arm: 'b' }))['b'])
})

const anyOutcome = fc.record({
  arm: fc.constantFrom('a', 'b'),
  type: fc.constantFrom(...taskTypes),
  complexity: fc.double({ min: 0, max: 1, noNaN: true }),
  evidence: fc.constantFrom(...evidenceKinds),
})

test('an estimate is a probability inside its interval, whatever was seen', () => {
  fc.assert(
    fc.property(fc.array(anyOutcome, { maxLength: 60 }), anyOutcome, (seen, { type, complexity }) => {
      const learned = after(...seen)

      const { mean, low, high } = estimate(
        { record: learned['a'], slope: slopeOf(learned), prior: () => 0.7 },
        type,
        complexity,
      )

      expect(low).toBeGreaterThanOrEqual(0)
      expect(low).toBeLessThanOrEqual(mean)
      expect(mean).toBeLessThanOrEqual(high)
      expect(high).toBeLessThanOrEqual(1)
    }),
  )
})

test('the interval narrows with evidence', () => {
  const widths = [0, 5, 20, 80].map((count) => {
    const learned = after(...times(count, {}), ...times(count, { evidence: 'checks-red' }))
    const { low, high } = estimate({ record: learned['a'], slope: -0.4, prior: () => 0.5 }, 'debug', 0.5)
    return high - low
  })

  expect(widths).toEqual(widths.toSorted((one, other) => other - one))
})

test('what is taken back leaves nothing but the fading it caused', () => {
  fc.assert(
    fc.property(
      fc.array(anyOutcome, { maxLength: 20 }),
      anyOutcome,
      fc.array(anyOutcome, { maxLength: 20 }),
      (before, wrong, later) => {
        const seen = observe(after(...before), wrong)
        const clock = seen[wrong.arm]?.clock ?? 0
        const learned = retract(later.reduce(observe, seen), wrong, clock)
        const never = [...before, ...later].reduce(observe, {})

        for (const [type, cell] of Object.entries(learned[wrong.arm]?.cells ?? {})) {
          const expected = never[wrong.arm]?.cells[type as TaskType]
          expect(cell.w).toBeCloseTo(expected?.w ?? 0, 0)
          expect(cell.runs).toBe(expected?.runs ?? 0)
        }
      },
    ),
  )
})
