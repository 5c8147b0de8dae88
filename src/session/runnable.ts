/** A run's end names the changed files that a user may execute, so that they are reviewed first. */
import type { LoopEvent } from '../engine/parts.ts'
import type { RunEnd } from '../protocol/event.ts'
import type { StartRun } from './run.ts'

export const listRunnable = (startRun: StartRun, isRunnable: (path: string) => boolean): StartRun =>
  async function* (run, signal) {
    const withRunnable = (end: RunEnd): RunEnd => {
      const runnable = end.changed.filter(isRunnable)
      return runnable.length > 0 ? { ...end, runnable } : end
    }
    const loop: AsyncIterator<LoopEvent, RunEnd> = startRun(run, signal)
    try {
      for (;;) {
        const { value, done } = await loop.next()
        if (done) return withRunnable(value)
        yield value.type === 'run-end' ? withRunnable(value) : value
      }
    } finally {
      await loop.return?.()
    }
  }
