import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ArmView, ChoiceInput } from '../../src/protocol/routing.ts'
import { choose } from '../../src/router/choose.ts'
import { choice, quality, view } from './views.ts'

const chosen = (input: ChoiceInput): string | undefined => choose(input).arm

test('the better arm is taken, and says why', () => {
  const arms = [view('small', { quality: quality(0.4) }), view('large', { quality: quality(0.7, 12) })]

  expect(choose(choice({ arms }))).toEqual({
    arm: 'large',
    why: 'best of 2 for debug',
    reasons: [
      'Expected to do well in 70 % of such runs, going by its record.',
      'Next best would be small with 40 %.',
    ],
    ranked: [
      { arm: 'large', score: expect.any(Number), quality: 0.7 },
      { arm: 'small', score: expect.any(Number), quality: 0.4 },
    ],
    ruledOut: [],
    explored: false,
  })
})

describe('a pinned arm', () => {
  const arms = [
    view('best', { quality: quality(0.9) }),
    view('mine', { tier: 'cloud', quality: quality(0.1) }),
  ]

  test('is always taken, cloud and all', () => {
    const aside = { until: 9_000, why: 'it asked to slow down' }
    const pinned = arms.map((arm) => (arm.id === 'mine' ? { ...arm, aside } : arm))

    expect(choose(choice({ arms: pinned, options: { pinned: 'mine' } }))).toMatchObject({
      arm: 'mine',
      why: 'chosen by name',
    })
  })

  test('is not replaced by another one when it failed', () => {
    const decision = choose(choice({ arms, options: { pinned: 'mine', excluded: ['mine'] } }))

    expect(decision).toMatchObject({ why: 'mine was chosen by name, and it failed for this request' })
    expect(decision.arm).toBeUndefined()
  })

  test('does not undo incognito or an air gap', () => {
    expect(chosen(choice({ arms, options: { pinned: 'mine', incognito: true } }))).toBeUndefined()
    expect(chosen(choice({ arms, options: { pinned: 'mine', airGap: true } }))).toBeUndefined()
  })
})

describe('ruled out is', () => {
  const spare = view('spare', { quality: quality(0.35), vision: true, window: 100_000 })
  const cases: readonly (readonly [
    string,
    Partial<ArmView>,
    Partial<Parameters<typeof choice>[0]>,
    string,
  ])[] = [
    ['what failed for this request', {}, { options: { excluded: ['best'] } }, 'it failed for this request'],
    ['what is switched off', { enabled: false }, {}, 'it is switched off'],
    ['what vanished', { gone: 'ollama no longer offers it' }, {}, 'ollama no longer offers it'],
    [
      'what is not local, in incognito',
      { tier: 'peer', local: false },
      { options: { incognito: true } },
      'incognito uses local arms only',
    ],
    [
      'the cloud, behind an air gap',
      { tier: 'cloud' },
      { options: { cloud: true, airGap: true } },
      'nothing may leave this network',
    ],
    [
      'the cloud, until it is allowed',
      { tier: 'cloud' },
      {},
      'nothing leaves this machine until `router.cloud = true`',
    ],
    [
      'a tier that is not named',
      { tier: 'peer' },
      { options: { tiers: ['local'] } },
      '`router.tiers` does not name peer',
    ],
    ['what cannot see', {}, { task: { vision: true } }, 'it cannot see images'],
    ['what cannot call tools', { tools: false }, {}, 'it cannot call tools'],
    [
      'a small window',
      { window: 4_096 },
      { task: { tokens: 9_000 } },
      'its window of 4096 tokens is too small for 9000',
    ],
    [
      'an empty pool',
      { exhausted: 'its limit of 5 requests a day is used up' },
      {},
      'its limit of 5 requests a day is used up',
    ],
    [
      'an arm in back-off',
      { aside: { until: 61_000, why: 'it asked to slow down' } },
      {},
      'it is in back-off for 60 s: it asked to slow down',
    ],
    [
      'the built-in model',
      { lastResort: true },
      {},
      'it is kept for single steps and for when there is no other',
    ],
  ]

  test.each(cases)('%s', (_, facts, given, why) => {
    const best = view('best', { quality: quality(0.9), ...facts })

    const decision = choose(choice({ arms: [best, spare], ...given }))

    expect(decision).toMatchObject({ arm: 'spare', ruledOut: [{ arm: 'best', why }] })
  })

  test('no arm that came back', () => {
    const best = view('best', { quality: quality(0.9), aside: { until: 500, why: 'it broke off' } })

    expect(chosen(choice({ arms: [best, spare] }))).toBe('best')
  })
})

describe('where no other arm is left', () => {
  test('a window that is too small will be compacted for', () => {
    const decision = choose(choice({ arms: [view('tiny', { window: 4_096 })], task: { tokens: 9_000 } }))

    expect(decision.arm).toBe('tiny')
    expect(decision.reasons).toContain(
      'No window of those that can be asked now holds the context; it will be compacted.',
    )
  })

  test('an arm in back-off is tried again before the built-in model', () => {
    const aside = { until: 61_000, why: 'it broke off' }
    const arms = [view('server', { aside }), view('nano', { lastResort: true })]

    const decision = choose(choice({ arms }))

    expect(decision.arm).toBe('server')
    expect(decision.reasons).toContain('All others are in back-off, so one of those is tried again.')
  })

  test('the built-in model answers', () => {
    expect(
      chosen(choice({ arms: [view('nano', { lastResort: true }), view('cloud', { tier: 'cloud' })] })),
    ).toBe('nano')
  })

  test('no hard rule is bent', () => {
    const decision = choose(
      choice({ arms: [view('api', { tier: 'cloud' }), view('off', { enabled: false })] }),
    )

    expect(decision).toEqual({
      why: 'no arm is left',
      reasons: [],
      ranked: [],
      ruledOut: [
        { arm: 'api', why: 'nothing leaves this machine until `router.cloud = true`' },
        { arm: 'off', why: 'it is switched off' },
      ],
      explored: false,
    })
  })
})

test('the built-in model is asked for what it is proven at', () => {
  const arms = [
    view('nano', {
      lastResort: true,
      proven: true,
      quality: quality(0.9),
      speeds: { prefill: 5_000, decode: 200 },
    }),
    view('large', { quality: quality(0.7) }),
  ]

  expect(chosen(choice({ arms }))).toBe('nano')
})

describe('tiers', () => {
  const local = view('local', { quality: quality(0.5) })
  const cloud = view('cloud', { tier: 'cloud', quality: quality(0.95) })
  const options = { cloud: true }

  test('a nearer arm that is good enough wins over a better one further away', () => {
    expect(chosen(choice({ arms: [local, cloud], options }))).toBe('local')
  })

  test('one that is not good enough does not', () => {
    const decision = choose(choice({ arms: [local, cloud], options: { ...options, minimumQuality: 0.6 } }))

    expect(decision.arm).toBe('cloud')
    expect(decision.reasons).toContain('Nothing nearer than cloud reaches the quality this type asks for.')
  })

  test('a declared strength crosses them', () => {
    expect(chosen(choice({ arms: [local, { ...cloud, strong: true }], options }))).toBe('cloud')
  })

  test('their order can be changed', () => {
    const tiers = ['cloud', 'local'] as const

    expect(chosen(choice({ arms: [local, cloud], options: { ...options, tiers } }))).toBe('cloud')
  })

  test('where no arm is good enough the best is taken all the same', () => {
    const decision = choose(
      choice({ arms: [local, view('weak', { quality: quality(0.2) })], options: { minimumQuality: 0.9 } }),
    )

    expect(decision.arm).toBe('local')
    expect(decision.reasons).toContain(
      'No arm reaches the quality of 90 % this type asks for; the best is taken.',
    )
  })
})

describe('cost', () => {
  test('of two equals the faster is taken', () => {
    const arms = [view('slow', { speeds: { decode: 5 } }), view('fast', { speeds: { decode: 80 } })]

    expect(chosen(choice({ arms }))).toBe('fast')
  })

  test('of two equals the cheaper is taken', () => {
    const arms = [
      view('dear', { tier: 'cloud', price: { input: 15, output: 75 } }),
      view('cheap', { tier: 'cloud', price: { input: 0.3, output: 1 } }),
    ]

    expect(chosen(choice({ arms, options: { cloud: true } }))).toBe('cheap')
  })

  test('scarcity raises it smoothly: the fuller a limit, the lower the score', () => {
    const scores = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
      (scarcity) => choose(choice({ arms: [view('arm', { scarcity })] })).ranked[0]?.score ?? 0,
    )

    expect(scores).toEqual(scores.toSorted((one, other) => other - one))
    expect(new Set(scores).size).toBe(6)
  })
})

describe('the arm that holds the session', () => {
  const current = { arm: 'held', tokens: 12_000 }
  const task = { tokens: 12_500 }
  const arms = (better: number) => [
    view('held', { quality: quality(0.6) }),
    view('other', { quality: quality(better) }),
  ]

  test('is kept when another one is not worth reading it all again', () => {
    const decision = choose(choice({ arms: arms(0.66), task, options: { current } }))

    expect(decision).toMatchObject({ arm: 'held', why: 'best of 2 for debug' })
  })

  test('is kept when another one would be only a little better after all', () => {
    const decision = choose(
      choice({ arms: arms(0.62), task: { tokens: 100 }, options: { current: { ...current, tokens: 50 } } }),
    )

    expect(decision).toMatchObject({ arm: 'held', why: 'holds this session already' })
    expect(decision.reasons).toEqual([
      'other would do a little better, but would first have to read 100 tokens (about 1 s) that held still holds.',
    ])
  })

  test('is left for one that is', () => {
    expect(chosen(choice({ arms: arms(0.9), task, options: { current } }))).toBe('other')
  })

  test('goes on when the request only says so', () => {
    expect(choose(choice({ arms: arms(0.9), task, options: { current, continued: true } }))).toMatchObject({
      arm: 'held',
      why: 'goes on with this session',
    })
  })
})

describe('trying out', () => {
  const arms = [
    view('best', { quality: quality(0.6, 9) }),
    view('next', { quality: quality(0.55) }),
    view('third', { quality: quality(0.54) }),
  ]
  const lucky = { draw: 0.01 }

  test('takes the next best, and only that', () => {
    expect(choose(choice({ arms, task: { lowStakes: true }, options: lucky }))).toMatchObject({
      arm: 'next',
      explored: true,
    })
  })

  test.each([
    ['something is at stake', { task: { lowStakes: false }, options: lucky }],
    ['the draw says no', { task: { lowStakes: true }, options: { draw: 0.05 } }],
    [
      'a long context would be read again',
      {
        task: { lowStakes: true, tokens: 9_000 },
        options: { ...lucky, current: { arm: 'best', tokens: 9_000 } },
      },
    ],
    [
      'the run needs a better arm',
      { task: { lowStakes: true }, options: { ...lucky, escalateFrom: 'third' } },
    ],
  ])('does not happen when %s', (_, given) => {
    expect(choose(choice({ arms, ...given }))).toMatchObject({ arm: 'best', explored: false })
  })

  test('does not happen where there is nothing to find out', () => {
    const far = [view('best', { quality: quality(0.6, 9) }), view('next', { quality: quality(0.4) })]

    expect(chosen(choice({ arms: far, task: { lowStakes: true }, options: lucky }))).toBe('best')
  })
})

describe('a run that climbs', () => {
  test('gets a better arm, from the nearest tier that has one', () => {
    const arms = [
      view('tired', { quality: quality(0.5) }),
      view('worse', { quality: quality(0.45) }),
      view('better', { quality: quality(0.55) }),
      view('api', { tier: 'cloud', quality: quality(0.9) }),
    ]

    const decision = choose(choice({ arms, options: { cloud: true, escalateFrom: 'tired' } }))

    expect(decision.arm).toBe('better')
    expect(decision.reasons[0]).toBe('tired could not do it.')
  })

  test('gets another one where none is better, and none where none is left', () => {
    const arms = [view('tired', { quality: quality(0.5) }), view('worse', { quality: quality(0.45) })]

    expect(chosen(choice({ arms, options: { escalateFrom: 'tired' } }))).toBe('worse')
    expect(chosen(choice({ arms: arms.slice(0, 1), options: { escalateFrom: 'tired' } }))).toBeUndefined()
  })
})

test('any choice is one of the arms, never a forbidden one, and comes out the same again', () => {
  const arm = fc.record({
    tier: fc.constantFrom('local', 'peer', 'cloud'),
    enabled: fc.boolean(),
    vision: fc.boolean(),
    window: fc.integer({ min: 512, max: 100_000 }),
    mean: fc.double({ min: 0, max: 1, noNaN: true }),
    scarcity: fc.double({ min: 0, max: 1, noNaN: true }),
    strong: fc.boolean(),
    lastResort: fc.boolean(),
  })
  fc.assert(
    fc.property(
      fc.array(arm, { maxLength: 12 }),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      (facts, cloud, incognito, vision) => {
        const arms = facts.map(({ mean, ...rest }, index) =>
          view(`arm-${index}`, { ...(rest as Partial<ArmView>), quality: quality(mean) }),
        )
        const input = choice({ arms, task: { vision, tokens: 20_000 }, options: { cloud, incognito } })

        const decision = choose(input)

        expect(choose(JSON.parse(JSON.stringify(input)) as ChoiceInput)).toEqual(decision)
        const taken = arms.find(({ id }) => id === decision.arm)
        const possible = arms.filter(
          (one) =>
            one.enabled &&
            (cloud || one.tier !== 'cloud') &&
            (!incognito || one.local) &&
            (!vision || one.vision),
        )
        expect(possible.length > 0).toBe(taken !== undefined)
        if (taken) expect(possible).toContain(taken)
      },
    ),
  )
})
