import { describe, expect, test } from 'vitest'
import type { Lease, ReserveRequest } from '../../src/protocol/arm.ts'
import { AppError } from '../../src/protocol/error.ts'
import type { ModelEvent } from '../../src/protocol/model.ts'
import type { ChoiceInput, DecisionRecord, PoolLimits } from '../../src/protocol/routing.ts'
import { capabilitiesOf } from '../../src/provider/arm-models.ts'
import { says, scriptedModel } from '../../src/provider/scripted.ts'
import { createArm } from '../../src/router/arm.ts'
import { choose } from '../../src/router/choose.ts'
import { createClassifier } from '../../src/router/classify.ts'
import { createPools } from '../../src/router/pools.ts'
import { openRecord } from '../../src/router/record.ts'
import { createRouter, type RouterParts } from '../../src/router/router.ts'
import type { RouterArm } from '../../src/router/snapshot.ts'
import { createRandom } from './fleet.ts'

const signal = new AbortController().signal
const MINUTE = 60_000

function routerArm(id: string, facts: Partial<RouterArm> & { readonly window?: number } = {}): RouterArm {
  const { window = 32_768, ...rest } = facts
  const settings = {
    id,
    kind: 'openai-compatible',
    model: id,
    headers: {},
    local: true,
    known: { window },
  } as const
  const arm = createArm({
    id,
    local: (facts.tier ?? 'local') === 'local',
    capabilities: capabilitiesOf(settings, undefined),
    native: scriptedModel([says('Done.')], [says('Done.')], [says('Done.')]),
    counter: { count: (text) => text.length, observe: () => {} },
    countRequest: () => 0,
    learnWindow: () => undefined,
    now: () => 0,
  })
  return { arm, tier: 'local', measured: 0.5, ...rest }
}

type Given = {
  readonly arms: readonly RouterArm[]
  readonly limits?: Readonly<Record<string, PoolLimits>>
  readonly options?: Partial<RouterParts['options']>
  /** What an earlier process left behind. */
  readonly record?: RouterParts['record']
}

async function router({ arms, limits = {}, options, record: given }: Given) {
  let time = 0
  let list = arms
  const decisions: DecisionRecord[] = []
  const slept: number[] = []
  const now = () => time
  const record = given ?? (await openRecord({ learning: true, onProblem: (message) => expect.fail(message) }))
  const pools = createPools({ limits: (pool) => limits[pool], ledgers: record.ledgers, now })
  const made = createRouter({
    arms: () => list,
    record,
    pools,
    classify: createClassifier({}),
    options: {
      cloud: false,
      incognito: false,
      airGap: false,
      tiers: ['local', 'peer', 'cloud'],
      minimumQuality: { ...ZERO, ...options?.minimumQuality },
      exploration: 0,
      ...options,
    },
    now,
    random: createRandom(7),
    onDecision: (decision) => decisions.push(decision),
    sleep: async (ms) => {
      slept.push(ms)
      time += ms
    },
  })
  const reserve = (facts: Partial<ReserveRequest> = {}): Promise<Lease> =>
    made.reserve(
      { task: 'Fix the failing test', excluded: [], runId: 'run-1', sessionId: 's', ...facts },
      signal,
    )
  return {
    ...made,
    reserve,
    reserveBackground: () => made.reserve({ task: '', excluded: [] }, signal),
    record,
    decisions,
    slept,
    pass: (ms: number) => void (time += ms),
    setArms: (next: readonly RouterArm[]) => void (list = next),
  }
}

const ZERO = {
  boilerplate: 0,
  generation: 0,
  refactor: 0,
  review: 0,
  unit_test: 0,
  planning: 0,
  orchestration: 0,
  security_review: 0,
  debug: 0,
  explain: 0,
}

const small = routerArm('small', { measured: 0.5 })
const large = routerArm('large', { measured: 0.7 })
const usage = { prompt: 900, completion: 100 }

describe('a run', () => {
  test('is classified once, says why it was given its arm, and keeps it', async () => {
    const { reserve, decisions } = await router({ arms: [small, large] })

    const first = await reserve()
    first.commit(usage)
    const second = await reserve()

    expect([first.arm.id, second.arm.id]).toEqual(['large', 'large'])
    expect(first.why).toBe('task: debug, by: keywords; best of 2 for debug')
    expect(decisions.map(({ cause, decision }) => [cause, decision.arm])).toEqual([['start', 'large']])
  })

  test('keeps its arm also when a better one comes up', async () => {
    const { reserve, setArms } = await router({ arms: [small] })
    ;(await reserve()).commit(usage)

    setArms([small, large])

    expect((await reserve()).arm.id).toBe('small')
    expect((await reserve({ runId: 'run-2', sessionId: 'other' })).arm.id).toBe('large')
  })

  test('that only says "go on" inherits the type and the arm of its session', async () => {
    const { reserve, decisions, setArms } = await router({ arms: [small] })
    ;(await reserve()).commit(usage)
    setArms([small, large])

    const next = await reserve({ runId: 'run-2', task: 'yes, go on' })

    expect(next.arm.id).toBe('small')
    expect(decisions[1]?.classification.type).toBe('debug')
  })

  test('two requests of one run that come at once are one run', async () => {
    const { reserve, decisions } = await router({ arms: [small, large] })

    await Promise.all([reserve(), reserve(), reserve()])

    expect(decisions.length).toBe(1)
  })
})

test('a background request goes to the arm that answered last, and leaves no trace', async () => {
  const { reserve, reserveBackground, decisions, record, setArms } = await router({ arms: [small] })
  ;(await reserve()).commit(usage)
  setArms([small, large])

  const background = await reserveBackground()
  background.commit(usage)

  expect(background.arm.id).toBe('small')
  expect(decisions.length).toBe(1)
  expect(record.sources()).toEqual({ keywords: 1, slm: 0, slm_fallback: 0 })
})

describe('an arm that fails', () => {
  test('goes into back-off, and another one continues', async () => {
    const { reserve, decisions } = await router({ arms: [small, large] })
    ;(await reserve()).release(new AppError('model-unavailable', 'connection refused'))

    const next = await reserve({ excluded: ['large'] })

    expect(next.arm.id).toBe('small')
    expect(decisions.map(({ cause, decision }) => [cause, decision.arm])).toEqual([
      ['start', 'large'],
      ['failure', 'small'],
    ])
  })

  test.each([
    ['it is asked to slow down', new AppError('rate-limited', 'slow down'), 5 * MINUTE],
    ['it is overloaded', new AppError('model-unavailable', 'overloaded', { status: 529 }), 5 * MINUTE],
    ['its key is refused', new AppError('credential', 'bad key'), 30 * MINUTE],
    ['it cannot be reached', new AppError('model-unavailable', 'refused'), 10_000],
    [
      'it names a longer time',
      new AppError('rate-limited', 'later', { retryAfterMs: 20 * MINUTE }),
      20 * MINUTE,
    ],
  ])('stays aside for its time when %s', async (_, error, ms) => {
    const { reserve, pass } = await router({ arms: [small, large] })
    ;(await reserve()).release(error)

    pass(ms - 1)
    expect((await reserve({ runId: 'run-2' })).arm.id).toBe('small')

    pass(1)
    expect((await reserve({ runId: 'run-3' })).arm.id).toBe('large')
  })

  test('and asked to slow down is still aside after a restart; one whose key was refused is tried again', async () => {
    const medium = routerArm('medium', { measured: 0.6 })
    const first = await router({ arms: [small, medium, large] })
    ;(await first.reserve()).release(new AppError('rate-limited', 'slow down'))
    ;(await first.reserve({ excluded: ['large'] })).release(new AppError('credential', 'bad key'))

    const { reserve } = await router({ arms: [small, medium, large], record: first.record })

    expect((await reserve()).arm.id).toBe('medium')
  })

  test('stays away longer each time, until it answers', async () => {
    const { reserve, pass } = await router({ arms: [small, large] })
    const fail = async (runId: string) =>
      (await reserve({ runId })).release(new AppError('model-unavailable', 'refused'))
    await fail('run-1')
    pass(10_000)
    await fail('run-2')

    pass(19_999)
    expect((await reserve({ runId: 'run-3' })).arm.id).toBe('small')

    pass(1)
    expect((await reserve({ runId: 'run-4' })).arm.id).toBe('large')
  })

  test.each([
    ['the request was bad', new AppError('request-invalid', 'no such field')],
    ['the context was full', new AppError('context-overflow', 'too long')],
    ['it is still loading', new AppError('model-unavailable', 'loading', { loading: true })],
    ['the run was cancelled', new Error('aborted')],
  ])('is not to blame when %s', async (_, error) => {
    const { reserve } = await router({ arms: [small, large] })
    ;(await reserve()).release(error)

    expect((await reserve()).arm.id).toBe('large')
  })

  test('and is the last one gives the first error, with what was tried', async () => {
    const { reserve } = await router({ arms: [small, large] })
    ;(await reserve()).release(new AppError('rate-limited', 'large: slow down.', { status: 429 }))
    ;(await reserve({ excluded: ['large'] })).release(new AppError('model-unavailable', 'small: refused.'))

    await expect(reserve({ excluded: ['large', 'small'] })).rejects.toMatchObject({
      code: 'rate-limited',
      message: 'large: slow down. Tried: large, small; no other arm is left.',
      details: { status: 429 },
    })
  })

  test('and is pinned is not replaced', async () => {
    const { reserve } = await router({ arms: [small, large], options: { pinned: 'small' } })
    ;(await reserve()).release(new AppError('rate-limited', 'small: slow down.'))

    expect((await reserve()).arm.id).toBe('small')
    await expect(reserve({ excluded: ['small'] })).rejects.toThrow(
      'small: slow down. Tried: small; no other arm is left.',
    )
  })

  test('need not be waited for while another one could be asked', async () => {
    const nano = routerArm('nano', { lastResort: true })
    const { reserve, hasOther, pass } = await router({
      arms: [small, large, nano, routerArm('api', { tier: 'cloud' })],
    })
    expect(hasOther('large')).toBe(true)

    await reserve().then((lease) => lease.release(new AppError('rate-limited', 'slow down')))

    expect(hasOther('small')).toBe(false)
    pass(5 * MINUTE)
    expect(hasOther('small')).toBe(true)
  })

  test('an arm without room in its limits is no other one', async () => {
    const { reserve, hasOther } = await router({
      arms: [routerArm('small'), routerArm('large', { measured: 0.9 })],
      limits: { large: { requestsPerDay: 1 } },
    })
    expect(hasOther('small')).toBe(true)

    ;(await reserve()).commit(undefined)

    expect(hasOther('small')).toBe(false)
  })

  test('a back-off set by a clock that ran ahead does not last until then', async () => {
    const { reserve, hasOther, pass, decisions } = await router({
      arms: [routerArm('small'), routerArm('large', { measured: 0.9 })],
    })
    pass(365 * 24 * 60 * MINUTE)
    ;(await reserve()).release(new AppError('rate-limited', 'slow down'))

    pass(-365 * 24 * 60 * MINUTE)

    expect(hasOther('small')).toBe(true)
    expect((await reserve({ runId: 'run-2' })).arm.id).toBe('large')
    expect(decisions.at(-1)?.decision.ruledOut).toEqual([])
  })

  test('with no arm left from the start the error says why for each', async () => {
    const { reserve, decisions } = await router({ arms: [routerArm('api', { tier: 'cloud' })] })

    await expect(reserve()).rejects.toThrow(
      'No arm can take this request (api: nothing leaves this machine until `router.cloud = true`).',
    )
    expect(decisions.map(({ decision }) => decision.why)).toEqual(['no arm is left'])
  })
})

describe('the ladder', () => {
  test('takes a better arm while the run is in trouble, and goes back down after', async () => {
    const near = routerArm('near', { measured: 0.5 })
    const api = routerArm('api', { tier: 'cloud', measured: 0.9 })
    const { reserve, decisions, record, report } = await router({
      arms: [near, api],
      options: { cloud: true },
    })
    ;(await reserve()).commit(usage)
    const climbed = await reserve({ escalated: 'patch-spiral' })
    climbed.commit(usage)
    const stayed = await reserve({ escalated: 'patch-spiral' })
    stayed.commit(usage)
    const back = await reserve()

    expect([climbed.arm.id, stayed.arm.id, back.arm.id]).toEqual(['api', 'api', 'near'])
    expect(decisions.map(({ cause }) => cause)).toEqual(['start', 'escalation', 'return'])

    report('run-1', 'checks-green')
    expect(record.learned()).toMatchObject({
      near: { cells: { debug: { w: 1, wy: 0 } } },
      api: { cells: { debug: { w: 1, wy: 1 } } },
    })
  })

  test('stays where it is when there is nothing better', async () => {
    const { reserve, record } = await router({ arms: [small] })
    ;(await reserve()).commit(usage)

    expect((await reserve({ escalated: 'patch-spiral' })).arm.id).toBe('small')
    expect((await reserve()).arm.id).toBe('small')
    expect(record.learned()).toEqual({})
  })
})

describe('pools', () => {
  test('a lease counts what it really took, once, however often it is settled', async () => {
    const { reserve, record } = await router({ arms: [small], limits: { small: { tokensPerMonth: 1e6 } } })
    const lease = await reserve({ tokens: 500 })
    lease.commit(usage)
    lease.commit(usage)
    lease.release(new AppError('rate-limited', 'slow down'))

    const [slice] = Object.values(record.ledgers.get('small').month ?? {})

    expect(slice).toEqual({ requests: 1, input: 900, output: 100, dollars: 0 })
    expect((await reserve()).arm.id).toBe('small')
  })

  test('an arm whose limit is used up is left for another', async () => {
    const { reserve, decisions } = await router({
      arms: [small, large],
      limits: { large: { requestsPerDay: 1 } },
    })
    ;(await reserve()).commit(usage)

    expect((await reserve()).arm.id).toBe('small')
    expect(decisions[1]?.decision.ruledOut).toEqual([
      { arm: 'large', why: 'its limit of 1 requests a day is used up' },
    ])
  })

  test('a moment without room is waited for: changing over would cost more', async () => {
    const { reserve, slept } = await router({
      arms: [small, large],
      limits: { large: { requestsPerSecond: 1 } },
    })
    ;(await reserve()).commit(usage)

    expect((await reserve()).arm.id).toBe('large')
    expect(slept.length).toBeGreaterThan(0)
  })

  test('the only arm is waited for as long as it takes, and the built-in model is not taken instead', async () => {
    const nano = routerArm('nano', { lastResort: true })
    const { reserve, slept } = await router({ arms: [small, nano], limits: { small: { concurrent: 1 } } })
    const first = await reserve()

    const second = reserve({ runId: 'run-2' })
    while (slept.length < 50) await Promise.resolve()
    first.commit(usage)

    expect((await second).arm.id).toBe('small')
  })

  test('another arm is taken when the wait gets long', async () => {
    const { reserve, slept } = await router({ arms: [small, large], limits: { large: { concurrent: 1 } } })
    ;(await reserve()).commit(usage)
    await reserve({ runId: 'run-2', sessionId: 'other' })

    expect((await reserve()).arm.id).toBe('small')
    expect(slept.length).toBe(20)
  })

  test('arms of one provider share its limits, and money is counted by price', async () => {
    const price = { input: 10, output: 100 }
    const arms = [
      routerArm('api/a', { tier: 'cloud', pool: 'api', price, measured: 0.9 }),
      routerArm('api/b', { tier: 'cloud', pool: 'api', price }),
    ]
    const { reserve } = await router({
      arms,
      limits: { api: { dollarsPerMonth: 0.2 } },
      options: { cloud: true },
    })
    ;(await reserve()).commit({ prompt: 9_000, completion: 100 })

    await expect(reserve()).rejects.toThrow('its limit of 0.2 dollars a month is used up')
  })
})

test('time to the first token and speed are noted with every reply', async () => {
  const { reserve, record, pass } = await router({ arms: [slowArm(() => pass(200))] })
  const lease = await reserve()

  const request = { runId: 'r', sessionId: 's', turn: 1, system: '', messages: [], tools: [] }
  for await (const _event of lease.model.stream(request, signal));

  expect(record.arms()).toEqual([{ arm: 'slow', requests: 1, firstTokenMs: 200, tokensPerSecond: 100 }])
})

/** Each event takes a moment. */
function slowArm(moment: () => void): RouterArm {
  const events: readonly ModelEvent[] = [
    says('one'),
    { type: 'usage', usage: { prompt: 10, completion: 20 } },
  ]
  const entry = routerArm('slow')
  const model = {
    name: 'slow',
    async *stream() {
      for (const event of events) {
        moment()
        yield event
      }
    },
  }
  return { ...entry, arm: { ...entry.arm, lease: (why) => ({ ...entry.arm.lease(why), model }) } }
}

test.each([
  ['answered', { w: 0.1, wy: 0.1 }],
  ['no-progress', { w: 0.5, wy: 0 }],
  ['cancelled', undefined],
] as const)('a run that ended %s leaves its mark', async (reason, cell) => {
  const { reserve, runEnded, record } = await router({ arms: [small] })
  ;(await reserve()).commit(usage)

  runEnded({ runId: 'run-1', reason })

  const known = record.learned()['small']?.cells.debug
  expect(known && { w: known.w, wy: known.wy }).toEqual(cell)
})

test('a recorded day replays to the same decisions', async () => {
  const arms = [
    small,
    large,
    routerArm('api', { tier: 'cloud', measured: 0.9, strengths: ['security_review'] }),
    routerArm('nano', { lastResort: true, measured: 0.2 }),
  ]
  const { reserve, decisions, pass, runEnded, report } = await router({
    arms,
    limits: { api: { requestsPerDay: 5 }, large: { requestsPerMinute: 3 } },
    options: { cloud: true, exploration: 0.05 },
  })
  const random = createRandom(42)
  const tasks = [
    'Fix the bug',
    'Explain src/app.ts',
    'Review for XSS',
    'yes',
    'Write tests for a.ts',
    'Plan the work',
  ]
  for (let run = 0; run < 150; run++) {
    const runId = `run-${run}`
    const task = tasks[Math.floor(random() * tasks.length)]!
    for (let turn = 0; turn < 3; turn++) {
      const trouble = random() < 0.1 ? { escalated: 'no progress' } : {}
      const lease = await reserve({ runId, task, tokens: 1_000 * turn, ...trouble }).catch(() => undefined)
      if (random() < 0.1) lease?.release(new AppError('model-unavailable', 'broken'))
      else lease?.commit({ prompt: 1_000 * turn, completion: 50 })
      pass(Math.floor(random() * 20_000))
    }
    runEnded({ runId, reason: 'answered' })
    if (random() < 0.4) report(runId, random() < 0.6 ? 'checks-green' : 'checks-red')
  }

  const recorded = JSON.parse(JSON.stringify(decisions)) as DecisionRecord[]

  expect(new Set(recorded.map(({ cause }) => cause))).toEqual(
    new Set(['start', 'failure', 'escalation', 'return']),
  )
  expect(recorded.map(({ input }) => choose(input as ChoiceInput))).toEqual(
    decisions.map(({ decision }) => decision),
  )
})

describe('an answer that stays on this machine', () => {
  const peer = routerArm('peer/tower/m', { tier: 'peer', measured: 0.9 })
  const own = routerArm('own', { measured: 0.1 })
  const nano = routerArm('covey/nano', { lastResort: true, measured: 0 })

  test('is given by an arm of its own, however good one of another machine is', async () => {
    const wanted = Object.fromEntries(Object.keys(ZERO).map((type) => [type, 0.5])) as typeof ZERO
    const { reserve } = await router({ arms: [own, peer, nano], options: { minimumQuality: wanted } })

    const usual = await reserve({ runId: 'usual' })
    const staying = await reserve({ runId: 'staying', stays: true })

    expect([usual.arm.id, staying.arm.id]).toEqual(['peer/tower/m', 'own'])
  })

  test.each([
    ['there is only the last resort', [peer, nano], []],
    ['its own failed', [own, peer, nano], ['own']],
  ])('goes to another machine where %s', async (_, arms, excluded) => {
    const { reserve } = await router({ arms })

    const lease = await reserve({ stays: true, excluded })

    expect(lease.arm.id).toBe('peer/tower/m')
  })
})
