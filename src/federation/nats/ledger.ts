/**
 * Which events of one job the caller has received. Live parts may be lost, come twice, or come from a run that died;
 * the result in the stream is what counts, and only the first. Whatever happened on the way, the events after the last
 * `reply-restart` are the events of that result, each once. Pure but for its own memory.
 */
import type { ModelEvent } from '../../protocol/model.ts'
import type { JobResult, LivePart } from './job.ts'

type Told = Pick<LivePart, 'run' | 'attempt' | 'from' | 'events'>

export type Ledger = {
  /** What is new in it and follows the events sent so far; nothing if an earlier event is missing. */
  live(part: Told): readonly ModelEvent[]
  /** What is still to tell of it; nothing for a second one. */
  settle(result: JobResult): readonly ModelEvent[]
  isSettled(): boolean
}

export function createLedger(): Ledger {
  /** The run whose events are sent, how often the job had been delivered by then, and how many events were sent. */
  let run: string | undefined
  let attempt = 0
  let told = 0
  let settled = false

  const change = (next: Told | JobResult): readonly ModelEvent[] => {
    const restart: readonly ModelEvent[] =
      told === 0 ? [] : [{ type: 'reply-restart', why: 'the machine that answered was lost' }]
    run = next.run
    attempt = next.attempt
    told = 0
    return restart
  }
  const tell = (events: readonly ModelEvent[], from: number): readonly ModelEvent[] => {
    if (from > told) return []
    const fresh = events.slice(told - from)
    told += fresh.length
    return fresh
  }

  return {
    live(part) {
      if (settled) return []
      if (part.run === run) return tell(part.events, part.from)
      // A later delivery replaces an earlier one, never the other way round: two that run at once would go to and fro.
      if (part.attempt <= attempt) return []
      // Nothing is taken back before there is something to put in its place.
      if (part.from > 0 || part.events.length === 0) return []
      return [...change(part), ...tell(part.events, 0)]
    },
    settle(result) {
      if (settled) return []
      settled = true
      const restart = result.run === run ? [] : change(result)
      return [...restart, ...tell(result.events, 0)]
    },
    isSettled: () => settled,
  }
}
