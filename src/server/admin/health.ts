/**
 * Whether the process lives, whether it can work, and its numbers. Without a token: one word, nothing about this
 * machine.
 */
import { Gauge } from 'prom-client'
import { z } from 'zod'
import { errorMessage } from '../../protocol/error.ts'
import type { Metrics } from './metrics.ts'
import { defineRoute, type Route } from '../http/route.ts'

/** Something the server needs: the models, the data folder. Throws, or takes too long, when it is not there. */
export type ReadyCheck = { readonly name: string; check(signal: AbortSignal): Promise<void> }

export type HealthParts = {
  readonly checks: readonly ReadyCheck[]
  readonly metrics: Metrics
  /** Told why it is not ready; the client is not. */
  tell?(name: string, why: string): void
  readonly timeoutMs?: number
  /** An answer holds this long: anyone may ask, and asking costs. */
  readonly holdMs?: number
}

const TIMEOUT_MS = 3_000
const HOLD_MS = 1_000

const Status = z.object({ status: z.enum(['ok', 'ready', 'not ready']) })

export function healthRoutes(parts: HealthParts): readonly Route[] {
  const isReady = createReadiness(parts)
  const { registry } = parts.metrics
  return [
    defineRoute({
      method: 'GET',
      path: '/health',
      scope: 'open',
      summary: 'Whether the process lives',
      reply: Status,
      handle: async () => ({ kind: 'json', body: { status: 'ok' } }),
    }),
    defineRoute({
      method: 'GET',
      path: '/ready',
      scope: 'open',
      summary: 'Whether it can answer: tests what it depends on',
      reply: Status,
      handle: async () =>
        (await isReady())
          ? { kind: 'json', body: { status: 'ready' } }
          : { kind: 'json', status: 503, headers: { 'retry-after': '5' }, body: { status: 'not ready' } },
    }),
    defineRoute({
      method: 'GET',
      path: '/metrics',
      scope: 'chat',
      summary: 'Numbers for Prometheus',
      handle: async () => ({ kind: 'text', mediaType: registry.contentType, body: await registry.metrics() }),
    }),
  ]
}

function createReadiness({ checks, metrics, tell, timeoutMs = TIMEOUT_MS, holdMs = HOLD_MS }: HealthParts) {
  const gauge = new Gauge({
    name: 'covey_ready',
    help: 'What the server depends on: 1 if it was available at the last check.',
    labelNames: ['check'],
    registers: [metrics.registry],
  })
  const passes = async ({ name, check }: ReadyCheck): Promise<boolean> => {
    const problem = await within(timeoutMs, check)
    gauge.set({ check: name }, problem === undefined ? 1 : 0)
    if (problem !== undefined) tell?.(name, problem)
    return problem === undefined
  }
  let last: { readonly at: number; readonly answer: Promise<boolean> } | undefined
  return (): Promise<boolean> => {
    if (last && performance.now() - last.at < holdMs) return last.answer
    const answer = Promise.all(checks.map(passes)).then((all) => all.every(Boolean))
    last = { at: performance.now(), answer }
    return answer
  }
}

/** Why it failed, if it did. */
async function within(ms: number, check: ReadyCheck['check']): Promise<string | undefined> {
  const controller = new AbortController()
  const late = new Promise<string>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(`no answer in ${ms} ms`), { once: true })
  })
  const timer = setTimeout(() => controller.abort(), ms)
  const result = check(controller.signal).then(() => undefined, errorMessage)
  const problem = await Promise.race([result, late])
  clearTimeout(timer)
  return problem
}
