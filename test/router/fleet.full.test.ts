/** What `bench/router.ts` measures, as bars: everything follows from the seeds. */
import { describe, expect, test } from 'vitest'
import { average, epsilonGreedyPolicy, priorPolicy, routerPolicy } from './fleet.ts'

describe.each([0.05, 0.1, 0.2])('with expectations off by %s', (priorNoise) => {
  const after = [50, 200]
  const world = { seeds: 300, priorNoise }

  test('learning is never worse than what was expected, and far better than epsilon-greedy', () => {
    const prior = average(priorPolicy, world, after)
    const greedy = average(epsilonGreedyPolicy, world, after)
    const router = average(routerPolicy(), world, after)

    expect(router[0]!.regret).toBeLessThanOrEqual(prior[0]!.regret)
    expect(router[1]!.regret).toBeLessThanOrEqual(prior[1]!.regret)
    expect(router[1]!.clearlyWorse).toBeLessThanOrEqual(prior[1]!.clearlyWorse)
    expect(router[1]!.regret).toBeLessThanOrEqual(0.6 * greedy[1]!.regret)
  })
})

test('after 1,000 runs the router has left expectations far behind', () => {
  const world = { seeds: 40, priorNoise: 0.1 }

  const [prior] = average(priorPolicy, world, [1_000])
  const [router] = average(routerPolicy(), world, [1_000])

  expect(router!.regret).toBeLessThan(0.7 * prior!.regret)
  expect(router!.clearlyWorse).toBeLessThan(0.6 * prior!.clearlyWorse)
})

test('knowing what a change costs saves most changes that bring nothing', () => {
  const world = { seeds: 40, priorNoise: 0.1, contextTokens: 4_000 }

  const [blind] = average(routerPolicy({ sticky: false }), world, [500])
  const [router] = average(routerPolicy(), world, [500])

  expect(router!.wasted).toBeLessThan(0.4 * blind!.wasted)
})
