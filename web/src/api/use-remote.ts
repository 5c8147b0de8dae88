/** A value of the server for a component: loaded, loaded again on demand or every so often, with its error in words. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { call } from './call.ts'
import { messageOf } from './error.ts'

export type Remote<T> = {
  readonly value: T | undefined
  readonly error: string | undefined
  reload(): void
}

export function useRemote<T>(path: string | undefined, everyMs?: number): Remote<T> {
  const [value, setValue] = useState<T>()
  const [error, setError] = useState<string>()
  const [round, setRound] = useState(0)
  const shown = useRef<string>(undefined)
  useEffect(() => {
    if (path === undefined) return
    if (shown.current !== path) setValue(undefined)
    shown.current = path
    const stop = new AbortController()
    const load = async (): Promise<void> => {
      try {
        setValue(await call<T>(path, { signal: stop.signal }))
        setError(undefined)
      } catch (failure) {
        if (!stop.signal.aborted) setError(messageOf(failure))
      }
    }
    void load()
    const timer =
      everyMs === undefined ? undefined : setInterval(() => !document.hidden && void load(), everyMs)
    return () => {
      clearInterval(timer)
      stop.abort()
    }
  }, [path, everyMs, round])
  return { value, error, reload: useCallback(() => setRound((count) => count + 1), []) }
}

export type Action = {
  readonly isBusy: boolean
  readonly error: string | undefined
  /** Runs one at a time; false when it failed. */
  run(work: () => Promise<unknown>): Promise<boolean>
}

export function useAction(): Action {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const run = useCallback(async (work: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
      return true
    } catch (failure) {
      setError(messageOf(failure))
      return false
    } finally {
      setBusy(false)
    }
  }, [])
  return { isBusy, error, run }
}
