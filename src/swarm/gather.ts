/**
 * Candidates as they come, from several workers at once, until all have answered, time is up or the reader has seen
 * enough. Workers still writing then are cancelled; the slowest machine delays nothing.
 */
import { createChannel } from '../lib/channel.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { MissingVote } from '../protocol/vote.ts'
import { type Answered, type Ask, askWorker } from './worker.ts'

export type Arrival =
  | { readonly kind: 'candidate'; readonly candidate: Answered }
  | { readonly kind: 'missing'; readonly missing: MissingVote; readonly error?: unknown }

/** Exactly one arrival for each ask, unless `signal` aborts or the reader stops. */
export async function* gather(
  asks: readonly Ask[],
  deadlineMs: number,
  signal: AbortSignal,
): AsyncGenerator<Arrival, void> {
  const stop = new AbortController()
  const stopped = AbortSignal.any([signal, stop.signal])
  const arrivals = createChannel<Arrival>()
  const open = new Set(asks)
  const arrive = (ask: Ask, arrival: Arrival): void => {
    if (!open.delete(ask)) return
    arrivals.push(arrival)
    if (open.size === 0) arrivals.close()
  }
  const late = setTimeout(
    () => {
      for (const ask of open) arrive(ask, missing(ask, 'no answer in time'))
      stop.abort()
    },
    Math.min(deadlineMs, LONGEST_TIMER),
  )
  signal.addEventListener('abort', arrivals.close, { once: true })
  try {
    if (signal.aborted || asks.length === 0) return
    for (const lane of lanesOf(asks)) void askLane(lane, { arrive, heard: arrivals.drained }, stopped)
    for await (const arrival of arrivals) {
      if (signal.aborted) return
      yield arrival
    }
  } finally {
    clearTimeout(late)
    signal.removeEventListener('abort', arrivals.close)
    stop.abort()
  }
}

/** Beyond this a timer fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1

function lanesOf(asks: readonly Ask[]): readonly Ask[][] {
  const lanes = new Map<string, Ask[]>()
  for (const ask of asks) {
    const lane = ask.worker.lane === undefined ? `own ${ask.worker.name}` : `shared ${ask.worker.lane}`
    lanes.set(lane, [...(lanes.get(lane) ?? []), ask])
  }
  return [...lanes.values()]
}

type Reader = {
  arrive(ask: Ask, arrival: Arrival): void
  /** The reader has looked at what came and wants more, or has gone. */
  heard(): Promise<void>
}

async function askLane(asks: readonly Ask[], { arrive, heard }: Reader, signal: AbortSignal): Promise<void> {
  for (const ask of asks) {
    if (signal.aborted) return
    arrive(ask, await answerOf(ask, signal))
    await heard()
  }
}

async function answerOf(ask: Ask, signal: AbortSignal): Promise<Arrival> {
  try {
    const candidate = await askWorker(ask, signal)
    return candidate ? { kind: 'candidate', candidate } : missing(ask, 'cancelled')
  } catch (error) {
    return { ...missing(ask, errorMessage(error)), error }
  }
}

const missing = ({ name }: Ask, why: string): Extract<Arrival, { kind: 'missing' }> => ({
  kind: 'missing',
  missing: { worker: name, why },
})

/** Whether a failure is about the request and not about who was asked: then every other worker fails alike. */
export const isAboutRequest = (error: unknown): error is AppError =>
  error instanceof AppError &&
  (['context-overflow', 'request-invalid'].includes(error.code) || error.details.unparsedCall === true)
