/** Warnings for the user. Shown with the run in progress, or with the next one. */
import type { StartRun } from './run.ts'

export type Warnings = {
  warn(message: string): void
  /** The same run, with warnings told while it goes on. */
  during(startRun: StartRun): StartRun
}

/** The most distinct warnings of one session; more are likely repetitions. */
const MAX_WARNINGS = 100

/** Each is shown once: a failing server fails again and again. */
export function createWarnings(): Warnings {
  const known = new Set<string>()
  let waiting: string[] = []
  let tell: ((message: string) => void) | undefined
  return {
    warn(message) {
      if (known.has(message) || known.size >= MAX_WARNINGS) return
      known.add(message)
      if (tell) tell(message)
      else waiting.push(message)
    },
    during: (startRun) =>
      async function* (run, signal) {
        tell = (message) => run.publish({ type: 'warning', message })
        for (const message of waiting) tell(message)
        waiting = []
        try {
          return yield* startRun(run, signal)
        } finally {
          tell = undefined
        }
      },
  }
}
