/** Values pushed from several places, read in order by one async iterator. Bounded by what its producers await. */
export type Channel<T> = AsyncIterable<T> & {
  push(value: T): void
  close(): void
  /** Once the reader has done with everything pushed so far and waits for more, or has gone. */
  drained(): Promise<void>
}

export function createChannel<T>(): Channel<T> {
  const waiting: T[] = []
  let onDrained: (() => void)[] = []
  let state: 'reading' | 'idle' | 'gone' = 'reading'
  let closed = false
  let wake = () => {}
  const rest = (now: 'idle' | 'gone') => {
    state = now
    for (const done of onDrained) done()
    onDrained = []
  }

  return {
    push(value) {
      waiting.push(value)
      wake()
    },
    close() {
      closed = true
      wake()
    },
    async drained() {
      if (state === 'gone' || (state === 'idle' && waiting.length === 0)) return
      await new Promise<void>((resolve) => onDrained.push(resolve))
    },
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          while (waiting.length > 0) yield waiting.shift() as T
          if (closed) return
          rest('idle')
          await new Promise<void>((resolve) => {
            wake = resolve
          })
          state = 'reading'
        }
      } finally {
        rest('gone')
      }
    },
  }
}
