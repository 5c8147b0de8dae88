/**
 * The retry rule, as a Model around a Model. Only what may pass by itself is tried again: a busy or broken server, a
 * connection that failed. A server that loads its model is waited for and not counted as a failure. The wait is
 * reported.
 */
import { AppError } from '../protocol/error.ts'
import type { Model } from '../protocol/model.ts'

const DELAYS = [1000, 2000, 4000, 8000]
/** Where nothing listens: enough for a server that is just being started. */
const REFUSED_RETRIES = 1
const LOADING_POLL_MS = 2000
/** Whatever a server asks for: each time it is asked keeps it from loading. */
const SHORTEST_POLL_MS = 500
const LOADING_LIMIT_MS = 10 * 60_000
/** A server that asks for more patience than this is better left to the usual delays, or to another arm. */
const MAX_RETRY_AFTER_MS = 30_000
/** Delays are stretched by up to this share, so that clients thrown out together do not come back together. */
const JITTER = 0.25

export type RetryOptions = {
  readonly delays?: readonly number[]
  /** How long to wait in all for a server that is loading its model. */
  readonly loadingMs?: number
  /** Another arm can be asked at once: then a failure is not retried. */
  hasOther?(): boolean
  /** May end early, by resolving or rejecting, when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  random(): number
}

export function withRetry(model: Model, options: RetryOptions): Model {
  return {
    name: model.name,
    async *stream(request, signal) {
      const tries = createTries(options)
      for (let attempt = 1; ; attempt++) {
        let hasBegun = false
        let failure: AppError
        try {
          for await (const event of model.stream(request, signal)) {
            hasBegun ||= event.type !== 'retry' && event.type !== 'progress'
            yield event
          }
          return
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          failure = error
        }
        if (signal.aborted) return

        const delayMs = tries.next(failure)
        if (hasBegun) yield { type: 'reply-restart', why: failure.message }
        yield { type: 'retry', attempt, delayMs, why: failure.message }
        if (failure.details.loading) yield { type: 'progress', stage: 'loading', total: 1 }
        await sleepUnlessAborted(delayMs, options, signal)
        if (signal.aborted) return
      }
    },
  }
}

/** Counts what was tried. `next` gives the delay before the next try, or throws when there is none left. */
function createTries({ delays = DELAYS, loadingMs = LOADING_LIMIT_MS, random, hasOther }: RetryOptions) {
  const failures: AppError[] = []
  let waitedMs = 0
  let loadingForMs = 0

  const afterFailure = (error: AppError): number => {
    const [first = error] = failures
    // One that answered a moment ago is being restarted, which takes some servers ten seconds.
    const wasThere = failures.some(({ details }) => details.connection !== 'refused')
    const isRefused = error.details.connection === 'refused' && !wasThere
    const delay = (isRefused ? delays.slice(0, REFUSED_RETRIES) : delays)[failures.length]
    failures.push(error)
    if (delay === undefined)
      throw gaveUp(first, `Tried ${failures.length} times in ${toSeconds(waitedMs)} s.`)
    const asked = failures.length === 1 ? askedDelay(error) : undefined
    return asked ?? Math.round(delay * (1 + random() * JITTER))
  }
  const whileLoading = (error: AppError): number => {
    const delay = Math.max(askedDelay(error) ?? LOADING_POLL_MS, SHORTEST_POLL_MS)
    if (loadingForMs + delay > loadingMs) throw gaveUp(error, `Waited for ${toSeconds(loadingForMs)} s.`)
    loadingForMs += delay
    return delay
  }
  return {
    next(error: AppError): number {
      if (!isWorthRetrying(error) || (!error.details.loading && hasOther?.())) throw error
      const delay = error.details.loading ? whileLoading(error) : afterFailure(error)
      waitedMs += delay
      return delay
    },
  }
}

function askedDelay({ details }: AppError): number | undefined {
  const { retryAfterMs = MAX_RETRY_AFTER_MS } = details
  return retryAfterMs < MAX_RETRY_AFTER_MS ? retryAfterMs : undefined
}

function isWorthRetrying({ code, details }: AppError): boolean {
  if (code === 'rate-limited') return true
  if (code !== 'model-unavailable' || details.unparsedCall || details.connection === 'impossible')
    return false
  const { status } = details
  return status === undefined || status === 408 || status === 429 || status >= 500
}

const gaveUp = (error: AppError, tried: string): AppError =>
  new AppError(error.code, `${error.message} ${tried}`, { ...error.details, cause: error })

const toSeconds = (ms: number): number => Math.round(ms / 1000)

async function sleepUnlessAborted(ms: number, { sleep }: RetryOptions, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
