/**
 * The terminal while it is ours: whatever ends the program, the shell gets it back as it was, and what a library writes to
 * stderr becomes lines above the live part instead of being written over it.
 */

export type Holding = {
  /** Nothing more can be typed, or the program has to end. */
  end(): void
  say(text: string): void
  /** Gives the terminal back. */
  leave(): void
}

/** Returns what lets go of it. */
export function holdTerminal({ end, say, leave }: Holding, signal: AbortSignal): () => void {
  let isLeft = false
  const leaveOnce = (): void => {
    if (!isLeft) leave()
    isLeft = true
  }
  const releaseErrors = catchErrors(say)
  // Before Node prints what was thrown: the live part would be cleared from under it.
  process.once('uncaughtExceptionMonitor', leaveOnce)
  process.once('exit', leaveOnce)
  signal.addEventListener('abort', end, { once: true })
  process.stdin.once('end', end)
  return () => {
    signal.removeEventListener('abort', end)
    process.stdin.off('end', end)
    process.off('exit', leaveOnce)
    process.off('uncaughtExceptionMonitor', leaveOnce)
    leaveOnce()
    releaseErrors()
  }
}

function catchErrors(say: (text: string) => void): () => void {
  const { stderr } = process
  const { write } = stderr
  stderr.write = (text: string | Uint8Array, ...rest: readonly unknown[]) => {
    say(typeof text === 'string' ? text : Buffer.from(text).toString())
    const done = rest.findLast((value) => typeof value === 'function')
    if (done) process.nextTick(done)
    return true
  }
  return () => {
    stderr.write = write
  }
}
