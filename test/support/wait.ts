/** Waits for a condition. The limit is there to show what never came true, not to measure: a busy machine may take its time. */
import { setTimeout as pause } from 'node:timers/promises'
import { vi } from 'vitest'

/** Below the limit of a test, so that what is shown is the condition. */
const PATIENCE_MS = 100_000

/** What the check returns, as soon as it does not throw. */
export const eventually = <Result>(check: () => Result | Promise<Result>): Promise<Result> =>
  vi.waitFor(check, { timeout: PATIENCE_MS, interval: 10 })

export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`this never came true: ${isTrue.toString()}`)
    await pause(10)
  }
}
