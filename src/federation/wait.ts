/**
 * Where a request is answered soonest: everybody who waits there first, then reading the prompt, then the way. Speeds are
 * what was measured from here; until then all are taken for equal, and it stays where it is. Pure.
 */
import { USUAL_ANSWER } from '../protocol/token-limits.ts'

export type WaitFacts = {
  /** Requests before this one: waiting, and being answered. */
  readonly waiting: number
  readonly running: number
  /** Tokens a second, once known. */
  readonly prefill?: number
  readonly decode?: number
  readonly roundTripMs?: number
}

/** A machine of which nothing is known. */
export const USUAL = { prefill: 200, decode: 20 } as const

/** Seconds until the first word, for a prompt of so many tokens. */
export function expectedWait(facts: WaitFacts, tokens: number): number {
  const prefill = tokens / positive(facts.prefill, USUAL.prefill)
  const whole = prefill + USUAL_ANSWER / positive(facts.decode, USUAL.decode)
  return (facts.waiting + facts.running) * whole + prefill + (facts.roundTripMs ?? 0) / 1000
}

const positive = (value: number | undefined, usual: number): number => (value && value > 0 ? value : usual)

export type MachineLoad = { readonly id: string; readonly facts: WaitFacts }

/** What moving must save to be worth it: the prefix that may still be held here is lost. */
const LEAST_SAVED_S = 1
const LEAST_SHARE = 1 / 3

/** The first place is where it would be answered anyway; another one only where that is clearly sooner. */
export function quickest(places: readonly MachineLoad[], tokens: number): MachineLoad | undefined {
  const [home] = places
  if (!home) return undefined
  const waitOf = ({ facts }: MachineLoad) => expectedWait(facts, tokens)
  const best = places.toSorted((one, other) => waitOf(one) - waitOf(other))[0] ?? home
  const saved = waitOf(home) - waitOf(best)
  return saved >= LEAST_SAVED_S && saved >= LEAST_SHARE * waitOf(home) ? best : home
}
