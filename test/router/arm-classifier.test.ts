import { describe, expect, test } from 'vitest'
import type { PoolLimits } from '../../src/protocol/routing.ts'
import { capabilitiesOf } from '../../src/provider/arm-models.ts'
import { says, type ScriptedModel, scriptedModel } from '../../src/provider/scripted.ts'
import { createArm } from '../../src/router/arm.ts'
import { type ArmClassifierParts, classifyByArm } from '../../src/router/arm-classifier.ts'
import type { Ledger } from '../../src/router/ledger.ts'
import { createPools } from '../../src/router/pools.ts'
import type { RouterArm } from '../../src/router/snapshot.ts'

const signal = new AbortController().signal
const ANSWER = '{"task_type": "planning", "complexity": 0.7, "requires_tools": true}'

function routerArm(model: ScriptedModel, facts: Partial<RouterArm>): RouterArm {
  const settings = { id: 'sorter', kind: 'openai-compatible', model: 'm', headers: {}, known: {} } as const
  const local = (facts.tier ?? 'local') === 'local'
  const arm = createArm({
    id: 'sorter',
    local,
    capabilities: capabilitiesOf({ ...settings, local }, undefined),
    native: model,
    counter: { count: (text) => text.length, observe: () => {} },
    countRequest: () => 0,
    learnWindow: () => undefined,
    now: () => 0,
  })
  return { arm, tier: 'local', ...facts }
}

type Given = {
  readonly model: ScriptedModel
  readonly arm?: Partial<RouterArm>
  readonly options?: Partial<ArmClassifierParts['options']>
  readonly limits?: PoolLimits
}

function classifier({ model, arm = {}, options, limits }: Given) {
  let ledger: Ledger = {}
  const ledgers = {
    get: () => ledger,
    change: (_: string, change: (before: Ledger) => Ledger) => void (ledger = change(ledger)),
  }
  const pools = createPools({ limits: () => limits, ledgers, now: () => 0 })
  const entry = routerArm(model, arm)
  const classify = classifyByArm({
    find: () => entry,
    pools,
    options: {
      cloud: false,
      airGap: false,
      incognito: false,
      tiers: ['local', 'cloud'],
      exploration: 0,
      minimumQuality: {} as never,
      ...options,
    },
  })
  return { classify: () => classify('Plan it', signal), used: () => ledger.day?.['0'] }
}

test('any arm may say what a request is about, and what that takes is counted', async () => {
  const usage = { prompt: 40, completion: 20 }
  const model = scriptedModel([says(ANSWER), { type: 'usage', usage }])
  const { classify, used } = classifier({ model, limits: { requestsPerDay: 1 } })

  expect(await classify()).toMatchObject({ type: 'planning', complexity: 0.7 })
  expect(used()).toEqual({ requests: 1, input: 40, output: 20, dollars: 0 })
  await expect(classify()).rejects.toMatchObject({ code: 'rate-limited' })
  expect(model.asked).toHaveLength(1)
})

test('an answer that never came is given back', async () => {
  const { classify, used } = classifier({ model: scriptedModel([]), limits: { requestsPerDay: 1 } })

  await expect(classify()).rejects.toMatchObject({ code: 'model-unavailable' })

  expect(used()).toEqual({ requests: 0, input: 0, output: 0, dollars: 0 })
})

describe('no request reaches an arm that classifies', () => {
  test.each<readonly [string, Partial<RouterArm>, Given['options']]>([
    ['in the cloud until that is allowed', { tier: 'cloud' }, {}],
    ['in the cloud where nothing may leave this network', { tier: 'cloud' }, { cloud: true, airGap: true }],
    ['that is not local in incognito', { tier: 'cloud' }, { cloud: true, incognito: true }],
    ['that is switched off', { enabled: false }, {}],
    ['of a tier that is not used', {}, { tiers: ['cloud'] }],
  ])('%s', async (_, arm, options = {}) => {
    const model = scriptedModel([says(ANSWER)])
    const { classify } = classifier({ model, arm, options })

    await expect(classify()).rejects.toMatchObject({ code: 'model-unavailable' })

    expect(model.asked).toEqual([])
  })
})
