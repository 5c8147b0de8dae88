/**
 * A time limit that counts only while this process runs. One that was stopped, or got no processor, finds its timers due before
 * it has read what arrived meanwhile; a plain timer would then blame the other end. The limit is counted in ticks, and however
 * long the process was away, that is one tick.
 */
const TICKS = 10

export type AwakeTimer = {
  /** From the beginning, also once it was over. */
  again(): void
  end(): void
}

export function startAwakeTimer(ms: number, over: () => void): AwakeTimer {
  let left = TICKS
  const timer = setInterval(() => {
    left--
    if (left === 0) over()
  }, ms / TICKS)
  return {
    again() {
      left = TICKS
      timer.refresh()
    },
    end: () => clearInterval(timer),
  }
}
