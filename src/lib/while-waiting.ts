/**
 * Work that says something while it is waited for: what it tells is yielded as it comes, what it gives is returned. A reader
 * that leaves meanwhile gets nothing; `undo` gives back what the work took.
 */
export async function* whileWaiting<Sign, Result>(
  work: (tell: (sign: Sign) => void) => Promise<Result>,
  undo: (result: Result) => void = () => {},
): AsyncGenerator<Sign, Result> {
  const told: Sign[] = []
  const state = { isDone: false, isTaken: false, wake: (): void => {} }
  const result = work((sign) => {
    told.push(sign)
    state.wake()
  })
  const end = (): void => {
    state.isDone = true
    state.wake()
  }
  result.then(end, end)
  try {
    for (;;) {
      const sign = told.shift()
      if (sign !== undefined) yield sign
      else if (state.isDone) {
        state.isTaken = true
        return await result
      } else await new Promise<void>((resolve) => (state.wake = resolve))
    }
  } finally {
    if (!state.isTaken) result.then(undo, () => {})
  }
}
