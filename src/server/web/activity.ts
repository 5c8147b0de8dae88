/**
 * What happens on this server, in sessions and in requests of other programs, for a page that shows machines at work:
 * votes, choices, tokens used.
 */
import { z } from 'zod'
import type { RunEvent } from '../../protocol/event.ts'
import type { Activity, ActivityEvent, ActivitySource, LastCall } from '../../protocol/page.ts'
import { defineRoute, type Route, type StreamPart } from '../http/route.ts'
import { SessionRing } from '../sessions/ring.ts'

export type ActivityLog = {
  push(source: ActivitySource, event: ActivityEvent): void
  /** Tokens by arm since the server started. */
  cache(): ReadonlyMap<string, CacheUse>
  prefill(): readonly (CacheUse & { readonly at: number })[]
  /** The newest call of a tool that `isMeant`. */
  lastCall(isMeant: (tool: string) => boolean): LastCall | undefined
  watch(after: number | undefined, signal: AbortSignal): AsyncGenerator<StreamPart>
  close(): void
}

type CacheUse = { readonly prompt: number; readonly cached: number }

const SHOWN: ReadonlySet<ActivityEvent['type']> = new Set([
  'run-start',
  'run-end',
  'request-end',
  'routing',
  'vote',
  'usage',
])
const MOST_POINTS = 500

export function createActivity(now: () => number = Date.now): ActivityLog {
  // Numbers of a later server are higher: a page that comes back misses nothing of it.
  let last = now()
  const ring = new SessionRing(last)
  const first = last
  const arms = new Map<string, string>()
  const cache = new Map<string, CacheUse>()
  const prefill: (CacheUse & { at: number })[] = []
  const calls = new Map<string, LastCall>()
  const count = (id: string, event: Extract<RunEvent, { type: 'usage' }>): void => {
    const { prompt, cached = 0 } = event.usage
    const arm = arms.get(id) ?? 'unknown'
    cache.set(arm, plus(cache.get(arm), { prompt, cached }))
    prefill.push({ at: now(), ...plus(prefill.at(-1), { prompt, cached }) })
    if (prefill.length > MOST_POINTS) prefill.shift()
  }
  return {
    push(source, event) {
      if (event.type === 'tool-end')
        remember(calls, { tool: event.name, at: now(), ms: event.ms, ok: event.ok })
      if (!SHOWN.has(event.type)) return
      if (event.type === 'routing') arms.set(source.id, event.arm)
      if (event.type === 'usage') count(source.id, event)
      if (event.type === 'request-end') arms.delete(source.id)
      last = Math.max(last + 1, now())
      const told: Activity = { id: last, at: now(), source, event }
      ring.push(told)
    },
    cache: () => cache,
    prefill: () => prefill,
    lastCall: (isMeant) => [...calls.values()].reverse().find(({ tool }) => isMeant(tool)),
    async *watch(after, signal) {
      yield { event: 'open', id: String(after ?? first), data: JSON.stringify({ last }) }
      let position = ring.positionAfter(after ?? first) ?? ring.oldest
      for (;;) {
        const events = await ring.read(position, signal)
        if (events === 'end') return
        if (events === 'behind') position = ring.oldest
        else {
          for (const { id, data } of events) yield { id: String(id), data }
          position += events.length
        }
      }
    },
    close: () => ring.close(),
  }
}

/** A model may make up names. */
const MOST_TOOLS = 500

/** One for each tool, the newest last. */
function remember(calls: Map<string, LastCall>, call: LastCall): void {
  calls.delete(call.tool)
  calls.set(call.tool, call)
  const [oldest] = calls.keys()
  if (calls.size > MOST_TOOLS && oldest !== undefined) calls.delete(oldest)
}

const plus = (one: CacheUse | undefined, other: CacheUse): CacheUse => ({
  prompt: (one?.prompt ?? 0) + other.prompt,
  cached: (one?.cached ?? 0) + other.cached,
})

export const activityRoute = (log: ActivityLog): Route =>
  defineRoute({
    method: 'GET',
    path: '/v1/page/activity',
    scope: 'read',
    summary:
      'Votes, choices and token counts of sessions and requests as they happen; `Last-Event-ID` takes up where it was left',
    handle: async ({ headers, signal }) => {
      const after = z.coerce
        .number()
        .int()
        .min(0)
        .safeParse(headers['last-event-id'] || undefined)
      return {
        kind: 'stream',
        format: 'sse',
        isWatch: true,
        parts: log.watch(after.success ? after.data : undefined, signal),
        failure: () => [],
      }
    },
  })
