/** Values pushed from several places, read in order by one async iterator. Bounded by what its producers await. */
export type Channel<T> = AsyncIterable<T> & { push(value: T): void; close(): void }

export function createChannel<T>(): Channel<T> {
  const waiting: T[] = []
  let closed = false
  let wake = () => {}

  return {
    push(value) {
      waiting.push(value)
      wake()
    },
    close() {
      closed = true
      wake()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (waiting.length > 0) yield waiting.shift() as T
        if (closed) return
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
