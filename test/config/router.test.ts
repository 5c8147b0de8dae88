import { expect, test } from 'vitest'
import { z } from 'zod'
import { armRouting, routerSchema, toRouterSettings } from '../../src/config/router.ts'

test('by default nothing leaves the machine and nothing is limited', () => {
  const settings = toRouterSettings(routerSchema.parse({}))

  expect(settings).toMatchObject({ cloud: false, tiers: ['local', 'peer', 'cloud'], exploration: 0.05 })
  expect(settings.minimumQuality.security_review).toBeGreaterThan(settings.minimumQuality.boilerplate)
  expect(settings.limits('anthropic')).toBeUndefined()
})

test('limits and qualities are taken over in the router’s own words', () => {
  const settings = toRouterSettings(
    routerSchema.parse({
      minimum_quality: { debug: 0.8 },
      pools: { anthropic: { requests_per_minute: 50, dollars_per_month: 20 } },
    }),
  )

  expect(settings.minimumQuality).toMatchObject({ debug: 0.8, explain: 0.3 })
  expect(settings.limits('anthropic')).toEqual({ requestsPerMinute: 50, dollarsPerMonth: 20 })
  expect(settings.limits('toString')).toBeUndefined()
})

test.each([
  [{ exploration: 0.2 }],
  [{ tiers: ['moon'] }],
  [{ pools: { a: { requests_per_hour: 3 } } }],
  [{ minimum_quality: { dancing: 0.5 } }],
])('%j is refused', (value) => {
  expect(routerSchema.safeParse(value).success).toBe(false)
})

test('an arm is enabled and has no strengths until configured', () => {
  expect(z.strictObject(armRouting).parse({})).toEqual({ enabled: true, strengths: [] })
})
