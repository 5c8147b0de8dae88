/**
 * What becomes of work while the broker comes and goes: whether it can be reached right now, who wants to know when it
 * can again, and how something is done however often it goes away meanwhile.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { JetStreamApiError } from '@nats-io/jetstream'
import { type NatsConnection, RequestError, TimeoutError } from '@nats-io/transport-node'
import { isWithoutJetStream, natsError, withoutPassword } from './connection.ts'

/**
 * Repeats `action` until it succeeds, with a longer timeout each time, so that a slow line gets
 * there too. Safe only for what may be done twice. Errors that a retry would not fix are thrown, and so is the abort of
 * `signal`.
 */
export type Persist = <T>(action: (timeoutMs: number) => Promise<T>, signal: AbortSignal) => Promise<T>

export type Link = {
  isUp(): boolean
  /** Why the broker cannot be reached, while it cannot. */
  problem(): string | undefined
  /** `action` receives since when the broker was away. */
  onReturn(action: (since: number) => void): void
  readonly persist: Persist
  close(): Promise<void>
}

export function watchLink(connection: NatsConnection, url: string): Link {
  let goneSince: number | undefined
  let trouble: string | undefined
  const onReturn = new Set<(since: number) => void>()
  void (async () => {
    for await (const status of connection.status()) {
      const { type } = status
      if (status.type === 'error') trouble = natsError(status.error, url).message
      if (type === 'disconnect' || type === 'close') goneSince ??= performance.now()
      if (type !== 'reconnect' || goneSince === undefined) continue
      const since = goneSince
      goneSince = undefined
      trouble = undefined
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
    problem() {
      if (goneSince === undefined) return undefined
      return trouble ?? `The NATS server ${withoutPassword(url)} is gone; it is tried again.`
    },
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

/** A broker that starts has no streams for a moment, and answers no request. */
function isPassing(error: unknown): boolean {
  if (error instanceof TimeoutError) return true
  if (isWithoutJetStream(error)) return error.cause instanceof RequestError
  if (error instanceof RequestError) return error.isNoResponders() || error.cause instanceof TimeoutError
  return error instanceof JetStreamApiError && error.status === 503 && !isRefused(error)
}

/** The server is well but will not store it: the stream is full, or has a message of this name already. */
export const isRefused = (error: unknown): boolean =>
  error instanceof JetStreamApiError &&
  (error.code === STORE_FAILED || /maximum (?:bytes|messages)/.test(error.message))

const STORE_FAILED = 10_077
