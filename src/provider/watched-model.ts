/**
 * A Model around one way of asking: a cancel ends the stream, every failure becomes an AppError, and a server that says
 * nothing for longer than its speed explains is given up on.
 */
import type { Model, ModelEvent, ModelRequest } from '../protocol/model.ts'
import { silentServer, toAppError, type Endpoint } from './errors.ts'

export type SilenceWatch = {
  /** Aborts when the caller does, when the limit passes, and at the end, so that the connection never stays open. */
  readonly signal: AbortSignal
  start(limitMs: number | undefined): void
  /** The same parts; each one that says something starts the limit anew. */
  over<Part extends { readonly type: string }>(parts: AsyncIterable<Part>): AsyncIterable<Part>
  passedLimit(): number | undefined
  end(): void
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
      try {
        for await (const event of ask(request, watch)) {
          // What had already arrived when the caller left is not told any more.
          if (signal.aborted) return
          yield event
        }
      } catch (error) {
        if (signal.aborted) return
        const limit = watch.passedLimit()
        throw limit === undefined ? toAppError(error, endpoint) : silentServer(endpoint, limit)
      } finally {
        watch.end()
      }
    },
  }
}

/** Node fires longer ones, Infinity included, at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** Sent as soon as there are headers: no sign of a token. */
const SAYS_NOTHING = new Set(['stream-start', 'response-metadata'])

function watchSilence(signal: AbortSignal): SilenceWatch {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let limit: number | undefined
  let passed = false

  const restart = () => {
    clearTimeout(timer)
    if (limit === undefined) return
    timer = setTimeout(() => {
      passed = true
      controller.abort()
    }, limit)
  }
  return {
    signal: AbortSignal.any([signal, controller.signal]),
    start(limitMs) {
      limit = limitMs === undefined ? undefined : Math.min(limitMs, LONGEST_TIMER)
      restart()
    },
    async *over(parts) {
      for await (const part of parts) {
        if (!SAYS_NOTHING.has(part.type)) restart()
        yield part
      }
    },
    passedLimit: () => (passed ? limit : undefined),
    end() {
      clearTimeout(timer)
      controller.abort()
    },
  }
}
