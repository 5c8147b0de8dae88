/**
 * A Model around one way of asking: a cancel ends the stream, every failure becomes an AppError, and a server that says
 * nothing for longer than its speed explains is given up on.
 */
import type { Model, ModelEvent, ModelRequest } from '../protocol/model.ts'
import { silentServer, toAppError, type Endpoint } from './errors.ts'

export type SilenceWatch = {
  /** Aborts when the caller does, when the limit passes, and when a reply is left before its end. */
  readonly signal: AbortSignal
  start(limitMs: number | undefined): void
  /** The server said something: the limit starts anew. */
  heard(): void
  /** The same parts; each one that says something is heard. */
  over<Part extends { readonly type: string }>(parts: AsyncIterable<Part>): AsyncIterable<Part>
  passedLimit(): number | undefined
  /** The connection of a reply that is not whole does not stay open. */
  end(isWhole: boolean): void
}

export type WatchedModel = { readonly name: string; readonly endpoint: Endpoint }

export function createWatchedModel(
  { name, endpoint }: WatchedModel,
  ask: (request: ModelRequest, watch: SilenceWatch) => AsyncIterable<ModelEvent>,
): Model {
  return {
    name,
    async *stream(request, signal) {
      if (signal.aborted) return
      const watch = watchSilence(signal)
      let isWhole = false
      try {
        for await (const event of ask(request, watch)) {
          // What had already arrived when the caller left is not told any more.
          if (signal.aborted) return
          yield event
        }
        isWhole = true
      } catch (error) {
        if (signal.aborted) return
        const limit = watch.passedLimit()
        throw limit === undefined ? toAppError(error, endpoint) : silentServer(endpoint, limit)
      } finally {
        watch.end(isWhole)
      }
    },
  }
}

/** Node fires longer ones, Infinity included, at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** Sent as soon as there are headers: no sign of a token. */
const SAYS_NOTHING = new Set(['stream-start', 'response-metadata'])

/** Shared, because making one costs more than a token. */
const LEFT = new DOMException('The reply was left before its end.', 'AbortError')

function watchSilence(signal: AbortSignal): SilenceWatch {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let passed: number | undefined

  const follow = () => controller.abort(signal.reason)
  signal.addEventListener('abort', follow, { once: true })
  const heard = () => void timer?.refresh()
  return {
    signal: controller.signal,
    start(limitMs) {
      clearTimeout(timer)
      if (limitMs === undefined) return
      const giveUp = () => {
        passed = limitMs
        controller.abort(LEFT)
      }
      timer = setTimeout(giveUp, Math.min(limitMs, LONGEST_TIMER))
    },
    heard,
    async *over(parts) {
      for await (const part of parts) {
        if (!SAYS_NOTHING.has(part.type)) heard()
        yield part
      }
    },
    passedLimit: () => passed,
    end(isWhole) {
      clearTimeout(timer)
      signal.removeEventListener('abort', follow)
      if (!isWhole) controller.abort(LEFT)
    },
  }
}
