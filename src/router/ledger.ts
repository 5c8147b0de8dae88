/**
 * What a pool has used, in sliding windows of real units. A window is cut into twenty slices and a slice counts whole
 * until all of it is too old, so that a limit is never exceeded, only kept a twentieth longer. Additions commute, so two
 * processes that share a pool can each add their own. What a clock that ran ahead wrote counts if it lies within one
 * window; else nothing would have room until that day comes. Pure.
 */
import type { PoolLimits } from '../protocol/routing.ts'

export type Amounts = {
  readonly requests: number
  readonly input: number
  readonly output: number
  readonly dollars: number
}

const WINDOWS = {
  second: 1_000,
  minute: 60_000,
  day: 86_400_000,
  month: 30 * 86_400_000,
} as const
type WindowName = keyof typeof WINDOWS

/** For each window its slices, by their number since 1970. */
export type Ledger = Readonly<Partial<Record<WindowName, Readonly<Record<string, Amounts>>>>>

const SLICES = 20
const sliceMs = (window: WindowName): number => WINDOWS[window] / SLICES
const sliceOf = (window: WindowName, at: number): number => Math.floor(at / sliceMs(window))
const windowNames = Object.keys(WINDOWS) as readonly WindowName[]

/** Adds at the time something was reserved; negative amounts give back. Slices that are too old are dropped. */
export function addAmounts(ledger: Ledger, at: number, added: Amounts, now = at): Ledger {
  const entries = windowNames.map((window) => {
    const current = sliceOf(window, now)
    const slices = recent(ledger[window] ?? {}, current)
    const key = sliceOf(window, at)
    if (!isRecent(key, current)) return [window, slices] as const
    return [window, { ...slices, [key]: plus(slices[key] ?? NOTHING, added) }] as const
  })
  return Object.fromEntries(entries)
}

const recent = (slices: Readonly<Record<string, Amounts>>, current: number): Record<string, Amounts> =>
  Object.fromEntries(Object.entries(slices).filter(([key]) => isRecent(Number(key), current)))

const isRecent = (slice: number, current: number): boolean => Math.abs(slice - current) <= SLICES

const NOTHING: Amounts = { requests: 0, input: 0, output: 0, dollars: 0 }

const plus = (one: Amounts, other: Amounts): Amounts => ({
  requests: one.requests + other.requests,
  input: one.input + other.input,
  output: one.output + other.output,
  dollars: one.dollars + other.dollars,
})

export function usedIn(ledger: Ledger, window: WindowName, now: number): Amounts {
  const current = sliceOf(window, now)
  let used = NOTHING
  for (const [key, amounts] of Object.entries(ledger[window] ?? {})) {
    if (isRecent(Number(key), current)) used = plus(used, amounts)
  }
  return used
}

type Measure = {
  readonly limit: Exclude<keyof PoolLimits, 'concurrent'>
  readonly window: WindowName
  readonly unit: string
  of(amounts: Amounts): number
}

const MEASURES: readonly Measure[] = [
  { limit: 'dollarsPerMonth', window: 'month', unit: 'dollars', of: ({ dollars }) => dollars },
  { limit: 'tokensPerMonth', window: 'month', unit: 'tokens', of: ({ input, output }) => input + output },
  { limit: 'requestsPerDay', window: 'day', unit: 'requests', of: ({ requests }) => requests },
  { limit: 'requestsPerMinute', window: 'minute', unit: 'requests', of: ({ requests }) => requests },
  { limit: 'inputPerMinute', window: 'minute', unit: 'tokens in', of: ({ input }) => input },
  { limit: 'outputPerMinute', window: 'minute', unit: 'tokens out', of: ({ output }) => output },
  { limit: 'requestsPerSecond', window: 'second', unit: 'requests', of: ({ requests }) => requests },
]

export type Refusal = { readonly why: string; readonly brief: boolean }

/** Why one more request of this size is too much; nothing when there is room. Longer windows are looked at first. */
export function refusal(
  ledger: Ledger,
  limits: PoolLimits,
  asked: Amounts,
  now: number,
): Refusal | undefined {
  const full = MEASURES.find(({ limit, window, of }) => {
    const most = limits[limit]
    return most !== undefined && of(usedIn(ledger, window, now)) + of(asked) > most
  })
  if (!full) return undefined
  const why = `its limit of ${limits[full.limit]} ${full.unit} a ${full.window} is used up`
  return { why, brief: full.window === 'second' }
}

/** The share of the tightest limit that is used, 0-1. */
export function scarcityOf(ledger: Ledger, limits: PoolLimits, now: number): number {
  let scarcity = 0
  for (const { limit, window, of } of MEASURES) {
    const most = limits[limit]
    if (most !== undefined) scarcity = Math.max(scarcity, of(usedIn(ledger, window, now)) / most)
  }
  return Math.min(1, scarcity)
}
