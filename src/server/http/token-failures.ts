/**
 * Guessing is slow, and after a number of guesses in a minute it ends with 429. Counted by address, by a clock that never
 * steps back. A right token is never held up: otherwise anyone on this machine could lock its owner out.
 */
export type WrongTokens = {
  /** Seconds until the address may guess again; nothing while it may. */
  count(address: string): number | undefined
}

const MINUTE_MS = 60_000
/** The most addresses remembered; beyond that the one that began longest ago is forgotten. */
const MAX_ADDRESSES = 1_000

export function createWrongTokens(
  perMinute: number,
  now: () => number = () => performance.now(),
): WrongTokens {
  const windows = new Map<string, { readonly start: number; count: number }>()
  const windowOf = (address: string) => {
    const known = windows.get(address)
    if (known && now() - known.start < MINUTE_MS) return known
    windows.delete(address)
    const [oldest] = windows.keys()
    if (windows.size >= MAX_ADDRESSES && oldest !== undefined) windows.delete(oldest)
    const fresh = { start: now(), count: 0 }
    windows.set(address, fresh)
    return fresh
  }
  return {
    count(address) {
      const window = windowOf(address)
      window.count++
      if (window.count <= perMinute) return undefined
      return Math.max(1, Math.ceil((window.start + MINUTE_MS - now()) / 1000))
    },
  }
}
