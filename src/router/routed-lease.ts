/** A lease as the router gives it out: it settles once, and what the request took and how fast it went is noted. */
import type { Lease } from '../protocol/arm.ts'
import type { Model, ModelEvent, Usage } from '../protocol/model.ts'
import type { Timing } from './record.ts'

export type LeaseWatch = {
  readonly why: string
  now(): number
  /** At most one of these two is called, once. */
  committed(usage: Usage | undefined): void
  released(error: unknown): void
  timed(timing: Timing): void
}

export function routedLease(lease: Lease, watch: LeaseWatch): Lease {
  let settled = false
  const once = (settle: () => void) => {
    if (settled) return
    settled = true
    settle()
  }
  return {
    ...lease,
    why: watch.why,
    model: timedModel(lease.model, watch),
    commit: (usage) =>
      once(() => {
        lease.commit(usage)
        watch.committed(usage)
      }),
    release: (error) =>
      once(() => {
        lease.release(error)
        watch.released(error)
      }),
  }
}

const timedModel = (model: Model, { now, timed }: LeaseWatch): Model => ({
  name: model.name,
  async *stream(request, signal) {
    const started = now()
    let first: number | undefined
    let written = 0
    for await (const event of model.stream(request, signal)) {
      if (first === undefined && isOutput(event)) first = now()
      if (event.type === 'usage') written = event.usage.completion
      yield event
    }
    if (first !== undefined) timed(toTiming({ started, first, ended: now(), written }))
  },
})

const isOutput = ({ type }: ModelEvent): boolean =>
  type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-call'

type Times = {
  readonly started: number
  readonly first: number
  readonly ended: number
  readonly written: number
}

/** Too few tokens, or all at once, say nothing about speed; nor does a clock that was set back. */
function toTiming({ started, first, ended, written }: Times): Timing {
  const ms = ended - first
  return {
    ...(first >= started && { firstTokenMs: first - started }),
    ...(written >= 16 && ms >= 20 && { tokensPerSecond: (written / ms) * 1000 }),
  }
}
