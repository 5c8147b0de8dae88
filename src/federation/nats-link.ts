/**
 * What becomes of work while the broker comes and goes: whether it can be reached right now, who wants to know when it
 * can again, and how something is done however often it goes away meanwhile.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { JetStreamApiError } from '@nats-io/jetstream'
import { type NatsConnection, RequestError, TimeoutError } from '@nats-io/transport-node'
import { isWithoutJetStream } from './nats-connection.ts'

/**
 * Does `action` until it is done; it is told how long to wait for an answer, longer each time, so that a slow line gets
 * there too. Safe only for what may be done twice. What another try would not mend is thrown, and so is the abort of
 * `signal`.
 */
export type Persist = <T>(action: (timeoutMs: number) => Promise<T>, signal: AbortSignal) => Promise<T>

export type Link = {
  isUp(): boolean
  /** `action` is told since when the broker was away. */
  onReturn(action: (since: number) => void): void
  readonly persist: Persist
  close(): Promise<void>
}

export function watchLink(connection: NatsConnection): Link {
  let goneSince: number | undefined
  const onReturn = new Set<(since: number) => void>()
  void (async () => {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect' || type === 'close') goneSince ??= performance.now()
      if (type !== 'reconnect' || goneSince === undefined) continue
      const since = goneSince
      goneSince = undefined
      for (const action of onReturn) action(since)
    }
  })()
  /** What was asked before the broker went will not be answered when it is back. */
  const untilReturn = <T>(work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const giveUp = () => reject(new TimeoutError())
      onReturn.add(giveUp)
      void work.then(resolve, reject).finally(() => onReturn.delete(giveUp))
    })
  return {
    isUp: () => goneSince === undefined,
    onReturn: (action) => void onReturn.add(action),
    persist: createPersist(untilReturn),
    async close() {
      const isUp = goneSince === undefined
      const late = delay(FLUSH_MS, undefined, { ref: false })
      if (isUp) await Promise.race([connection.flush(), late]).catch(() => undefined)
      await connection.close()
    },
  }
}

const FLUSH_MS = 1_000

/** `attempt` may give up a try early. */
export const createPersist =
  (attempt: <T>(work: Promise<T>) => Promise<T>): Persist =>
  async (action, signal) => {
    for (let tries = 0; ; tries++) {
      signal.throwIfAborted()
      try {
        return await attempt(action(Math.min(30_000, 1_000 * 2 ** tries)))
      } catch (error) {
        if (!isPassing(error)) throw error
      }
      await delay(Math.min(2_000, 50 * 2 ** tries), undefined, { signal })
    }
  }

/** A broker that starts has no streams for a moment, and answers nobody. */
function isPassing(error: unknown): boolean {
  if (error instanceof TimeoutError) return true
  if (isWithoutJetStream(error)) return error.cause instanceof RequestError
  if (error instanceof RequestError) return error.isNoResponders() || error.cause instanceof TimeoutError
  return error instanceof JetStreamApiError && error.status === 503
}
