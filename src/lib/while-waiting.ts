/** Work that says something while it is waited for: what it tells is yielded as it comes, what it gives is returned. */
export async function* whileWaiting<Sign, Result>(
  work: (tell: (sign: Sign) => void) => Promise<Result>,
): AsyncGenerator<Sign, Result> {
  const told: Sign[] = []
  const state = { isDone: false, wake: (): void => {} }
  const result = work((sign) => {
    told.push(sign)
    state.wake()
  })
  const end = (): void => {
    state.isDone = true
    state.wake()
  }
  result.then(end, end)
  for (;;) {
    const sign = told.shift()
    if (sign !== undefined) yield sign
    else if (state.isDone) return result
    else await new Promise<void>((resolve) => (state.wake = resolve))
  }
}
