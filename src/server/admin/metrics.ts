/** What the server counts, as Prometheus reads it. Labels are route patterns and statuses, never what a client sent. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

type Answered = {
  readonly method: string
  /** The pattern of the route; `none` where there is none. */
  readonly route: string
  readonly status: number
  readonly seconds: number
}

export type Metrics = {
  readonly registry: Registry
  answered(request: Answered): void
  streamOpened(): void
  streamClosed(): void
}

export function createMetrics(version: string): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'covey_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const seconds = new Histogram({
    name: 'covey_http_request_seconds',
    help: 'Time until the last byte of the answer.',
    labelNames: ['route'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
    registers,
  })
  const streams = new Gauge({ name: 'covey_http_streams', help: 'Streams open now.', registers })
  new Gauge({ name: 'covey_info', help: 'The version that runs.', labelNames: ['version'], registers }).set(
    { version },
    1,
  )
  return {
    registry,
    answered({ method, route, status, seconds: taken }) {
      requests.inc({ method, route, status })
      seconds.observe({ route }, taken)
    },
    streamOpened: () => streams.inc(),
    streamClosed: () => streams.dec(),
  }
}

/** Memory, event loop and handles of this process. Once per process: its observers are never taken down. */
export const addProcessMetrics = ({ registry }: Metrics): void =>
  collectDefaultMetrics({ register: registry, prefix: 'covey_' })
