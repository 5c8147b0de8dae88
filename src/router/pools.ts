/**
 * Reservations: what a request will take is counted before it is sent, put right with what it really took, and given
 * back when it fails, each exactly once whatever path is taken. A process that dies between leaves its reservation
 * counted: the request may have arrived.
 */
import type { PoolLimits } from '../protocol/routing.ts'
import { addAmounts, type Amounts, type Ledger, refusal, scarcityOf } from './ledger.ts'

/** Where the ledgers lie. A change may be made again on what another process wrote. */
export type Ledgers = {
  get(pool: string): Ledger
  change(pool: string, change: (ledger: Ledger) => Ledger): void
}

export type Reservation = {
  /** What it really took; absent = as reserved. */
  commit(actual?: Amounts): void
  release(): void
}

type PoolState = {
  readonly scarcity: number
  /** `brief`: there will be room within moments, so waiting is better than asking another arm. */
  readonly exhausted?: { readonly why: string; readonly brief: boolean }
}

export type Pools = {
  /** The share of the tightest limit that is used, and why there is no room for one more request, if so. */
  state(pool: string, asked: Amounts): PoolState
  /** Nothing when there is no room. */
  reserve(pool: string, asked: Amounts): Reservation | undefined
}

export type PoolParts = {
  limits(pool: string): PoolLimits | undefined
  readonly ledgers: Ledgers
  now(): number
}

export function createPools({ limits, ledgers, now }: PoolParts): Pools {
  const open = new Map<string, number>()
  const state: Pools['state'] = (pool, asked) => {
    const limited = limits(pool)
    if (!limited) return { scarcity: 0 }
    const ledger = ledgers.get(pool)
    const exhausted =
      refusal(ledger, limited, asked, now()) ?? tooMany(open.get(pool) ?? 0, limited.concurrent)
    return { scarcity: scarcityOf(ledger, limited, now()), ...(exhausted && { exhausted }) }
  }

  return {
    state,
    reserve(pool, asked) {
      if (!limits(pool)) return FREE
      if (state(pool, asked).exhausted) return undefined
      const at = now()
      const add = (amounts: Amounts) => {
        const when = now()
        ledgers.change(pool, (ledger) => addAmounts(ledger, at, amounts, when))
      }
      const count = (step: 1 | -1) => open.set(pool, (open.get(pool) ?? 0) + step)
      add(asked)
      count(1)
      return once((difference) => {
        count(-1)
        if (difference) add(difference(asked))
      })
    },
  }
}

const FREE: Reservation = { commit() {}, release() {} }

const tooMany = (open: number, most: number | undefined): PoolState['exhausted'] =>
  most !== undefined && open >= most
    ? { why: `it takes only ${most} requests at once`, brief: true }
    : undefined

type Difference = (asked: Amounts) => Amounts

function once(settle: (difference?: Difference) => void): Reservation {
  let settled = false
  const first = (difference?: Difference) => {
    if (settled) return
    settled = true
    settle(difference)
  }
  return {
    commit: (actual) => first(actual && ((asked) => minus(actual, asked))),
    release: () => first((asked) => minus({ requests: 0, input: 0, output: 0, dollars: 0 }, asked)),
  }
}

const minus = (one: Amounts, other: Amounts): Amounts => ({
  requests: one.requests - other.requests,
  input: one.input - other.input,
  output: one.output - other.output,
  dollars: one.dollars - other.dollars,
})
