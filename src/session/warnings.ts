/** What a person should know and nobody asked for. Told with the run in progress, or with the next one. */
import type { StartRun } from './run.ts'

export type Warnings = {
  warn(message: string): void
  /** The same run, with warnings told while it goes on. */
  during(startRun: StartRun): StartRun
}

export function createWarnings(): Warnings {
  let waiting: string[] = []
  let tell: ((message: string) => void) | undefined
  return {
    warn(message) {
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
