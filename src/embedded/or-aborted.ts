/** What `work` gives, or nothing as soon as `signal` aborts; the work itself goes on. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  let leave = () => {}
  const aborted = new Promise<undefined>((resolve) => {
    leave = () => resolve(undefined)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
  })
  try {
    return await Promise.race([aborted, work])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
