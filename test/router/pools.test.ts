import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PoolLimits } from '../../src/protocol/routing.ts'
import {
  addAmounts,
  type Amounts,
  type Ledger,
  refusal,
  scarcityOf,
  usedIn,
} from '../../src/router/ledger.ts'
import { createPools, type Reservation } from '../../src/router/pools.ts'

const amounts = (facts: Partial<Amounts> = {}): Amounts => ({
  requests: 1,
  input: 0,
  output: 0,
  dollars: 0,
  ...facts,
})
const HOUR = 3_600_000

function pools(limits: PoolLimits | undefined) {
  let time = 1_000_000
  const ledgers = new Map<string, Ledger>()
  return {
    pass: (ms: number) => void (time += ms),
    ledger: () => ledgers.get('pool') ?? {},
    now: () => time,
    ...createPools({
      limits: () => limits,
      now: () => time,
      ledgers: {
        get: (pool) => ledgers.get(pool) ?? {},
        change: (pool, change) => void ledgers.set(pool, change(ledgers.get(pool) ?? {})),
      },
    }),
  }
}

describe('a limit', () => {
  test.each([
    ['requestsPerSecond', amounts(), 1_100, 'its limit of 3 requests a second is used up'],
    ['requestsPerMinute', amounts(), 64_000, 'its limit of 3 requests a minute is used up'],
    ['requestsPerDay', amounts(), 26 * HOUR, 'its limit of 3 requests a day is used up'],
    ['inputPerMinute', amounts({ input: 1 }), 64_000, 'its limit of 3 tokens in a minute is used up'],
    ['outputPerMinute', amounts({ output: 1 }), 64_000, 'its limit of 3 tokens out a minute is used up'],
    ['tokensPerMonth', amounts({ input: 1 }), 32 * 24 * HOUR, 'its limit of 3 tokens a month is used up'],
    ['dollarsPerMonth', amounts({ dollars: 1 }), 32 * 24 * HOUR, 'its limit of 3 dollars a month is used up'],
  ] as const)('of %s holds, and passes with time', (limit, asked, later, why) => {
    const { reserve, state, pass } = pools({ [limit]: 3 })
    for (let time = 0; time < 3; time++) reserve('pool', asked)?.commit(asked)

    expect(reserve('pool', asked)).toBeUndefined()
    expect(state('pool', asked)).toEqual({
      scarcity: 1,
      exhausted: { why, brief: limit === 'requestsPerSecond' },
    })

    pass(later)
    expect(state('pool', asked)).toEqual({ scarcity: 0 })
  })

  test('of concurrent requests counts those that are not settled', () => {
    const { reserve, state } = pools({ concurrent: 2 })
    const [first] = [reserve('pool', amounts()), reserve('pool', amounts())]

    expect(reserve('pool', amounts())).toBeUndefined()
    expect(state('pool', amounts()).exhausted).toEqual({
      why: 'it takes only 2 requests at once',
      brief: true,
    })

    first?.release()
    expect(reserve('pool', amounts())).toBeDefined()
  })

  test('that is absent is none', () => {
    const { reserve, ledger } = pools(undefined)

    for (let time = 0; time < 100; time++) expect(reserve('pool', amounts({ input: 1e9 }))).toBeDefined()
    expect(ledger()).toEqual({})
  })

  test('is looked at with what the request will probably take', () => {
    const { reserve } = pools({ inputPerMinute: 1_000 })

    expect(reserve('pool', amounts({ input: 1_001 }))).toBeUndefined()
    expect(reserve('pool', amounts({ input: 1_000 }))).toBeDefined()
  })
})

test('scarcity is the share used of the tightest limit', () => {
  const limits = { requestsPerDay: 100, inputPerMinute: 1_000 }
  const ledger = addAmounts({}, 0, amounts({ requests: 20, input: 600 }))

  expect(scarcityOf(ledger, limits, 0)).toBe(0.6)
  expect(scarcityOf(ledger, limits, HOUR)).toBe(0.2)
})

test('a reservation that outlived its process stays counted: the request may have arrived', () => {
  const { reserve, ledger, now } = pools({ requestsPerDay: 5 })

  reserve('pool', amounts({ input: 10 }))

  expect(usedIn(ledger(), 'day', now())).toEqual(amounts({ input: 10 }))
})

test('the ledger stays small however much is reserved', () => {
  let ledger: Ledger = {}
  for (let at = 0; at < 1_000; at++) ledger = addAmounts(ledger, at * 977_777, amounts())

  const slices = Object.values(ledger).map((window) => Object.keys(window ?? {}).length)
  expect(Math.max(...slices)).toBeLessThanOrEqual(21)
})

type Step =
  | { readonly kind: 'reserve'; readonly input: number }
  | { readonly kind: 'commit' | 'release'; readonly which: number; readonly input: number }
  | { readonly kind: 'pass'; readonly ms: number }

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('reserve' as const), input: fc.nat(500) }),
    fc.record({
      kind: fc.constantFrom('commit' as const, 'release' as const),
      which: fc.nat(20),
      input: fc.nat(500),
    }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(20_000) }),
  ),
  { maxLength: 80 },
)

test('whatever fails and however often it is settled, each reservation counts exactly once', () => {
  fc.assert(
    fc.property(steps, (sequence: readonly Step[]) => {
      const pool = pools({ tokensPerMonth: 1e9 })
      const open: { readonly asked: number; readonly it: Reservation }[] = []
      const counted = new Map<number, number>()
      for (const step of sequence) {
        if (step.kind === 'pass') pool.pass(step.ms)
        if (step.kind === 'reserve') {
          const it = pool.reserve('pool', amounts({ input: step.input }))
          if (it) counted.set(open.push({ asked: step.input, it }) - 1, step.input)
        }
        if (step.kind !== 'commit' && step.kind !== 'release') continue
        const index = step.which % Math.max(1, open.length)
        const isFirst = open[index] && !settled(open[index].it)
        if (step.kind === 'commit') open[index]?.it.commit(amounts({ input: step.input }))
        else open[index]?.it.release()
        if (isFirst) counted.set(index, step.kind === 'commit' ? step.input : 0)
        if (open[index]) done.add(open[index].it)
      }

      const used = usedIn(pool.ledger(), 'month', pool.now())
      expect(used.input).toBe([...counted.values()].reduce((sum, input) => sum + input, 0))
    }),
  )
})

const done = new WeakSet<Reservation>()
const settled = (reservation: Reservation): boolean => done.has(reservation)

test('no window ever holds more than its limit', () => {
  const limits = { requestsPerSecond: 3, requestsPerMinute: 10, inputPerMinute: 1_000 }
  fc.assert(
    fc.property(
      fc.array(fc.record({ ms: fc.nat(4_000), input: fc.nat(400) }), { maxLength: 100 }),
      (asks) => {
        const pool = pools(limits)
        const granted: { readonly at: number; readonly input: number }[] = []
        for (const { ms, input } of asks) {
          pool.pass(ms)
          const reservation = pool.reserve('pool', amounts({ input }))
          reservation?.commit(amounts({ input }))
          if (reservation) granted.push({ at: pool.now(), input })
        }

        for (const { at } of granted) {
          const second = granted.filter((other) => other.at > at - 1_000 && other.at <= at)
          const minute = granted.filter((other) => other.at > at - 60_000 && other.at <= at)
          expect(second.length).toBeLessThanOrEqual(3)
          expect(minute.length).toBeLessThanOrEqual(10)
          expect(minute.reduce((sum, { input }) => sum + input, 0)).toBeLessThanOrEqual(1_000)
        }
      },
    ),
  )
})

test('what two processes add comes to the same in any order', () => {
  const one = { at: 5_000, amounts: amounts({ input: 3 }) }
  const other = { at: 65_000, amounts: amounts({ input: 4 }) }
  const add = (ledger: Ledger, { at, amounts }: typeof one) => addAmounts(ledger, at, amounts, 70_000)

  expect(add(add({}, one), other)).toEqual(add(add({}, other), one))
})

test('a refusal names the limit that lasts longest', () => {
  const ledger = addAmounts({}, 0, amounts({ requests: 3 }))

  expect(refusal(ledger, { requestsPerSecond: 1, requestsPerDay: 2 }, amounts(), 0)?.why).toBe(
    'its limit of 2 requests a day is used up',
  )
})

describe('a clock', () => {
  const YEAR = 365 * 24 * HOUR

  test('that ran years ahead and was put right leaves no limit used up', () => {
    const { reserve, state, pass } = pools({ requestsPerSecond: 1, requestsPerDay: 2, dollarsPerMonth: 1 })
    pass(YEAR)
    reserve('pool', amounts({ dollars: 1 }))?.commit()

    pass(-YEAR)

    expect(state('pool', amounts())).toEqual({ scarcity: 0 })
    expect(reserve('pool', amounts())).toBeDefined()
  })

  test('that is put right by a day forgets nothing of the month', () => {
    const { reserve, state, pass } = pools({ dollarsPerMonth: 1 })
    pass(24 * HOUR)
    reserve('pool', amounts({ dollars: 1 }))?.commit()

    pass(-24 * HOUR)

    expect(state('pool', amounts({ dollars: 1 })).exhausted?.why).toContain('1 dollars a month')
  })

  test('that is put back during a request does not make its reservation negative', () => {
    const { reserve, ledger, now, pass } = pools({ requestsPerDay: 5 })
    pass(YEAR)
    const reservation = reserve('pool', amounts())

    pass(-YEAR)
    reserve('pool', amounts())?.commit()
    reservation?.release()

    expect(usedIn(ledger(), 'day', now()).requests).toBe(1)
  })
})
