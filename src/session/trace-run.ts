/** Every request, call and result of a run as one structured log line: names, sizes and times, never contents. */
import type { LoopEvent } from '../engine/parts.ts'
import type { RunEnd } from '../protocol/event.ts'
import type { Evidence } from '../protocol/routing.ts'
import { watchEvidence } from './evidence.ts'
import type { StartRun } from './run.ts'

/** What a logger must be able to do. */
export type TraceLog = { info(fields: object, message: string): void }

/** Told how a run ended, and what it showed about the model that did it. */
export type OnRunEnd = (end: RunEnd, evidence: Evidence | undefined) => void

export const traceRun = (startRun: StartRun, log: TraceLog, onEnd?: OnRunEnd): StartRun =>
  async function* (run, signal) {
    const { runId, sessionId } = run
    const evidence = watchEvidence()
    const loop: AsyncIterator<LoopEvent, RunEnd> = startRun(run, signal)
    try {
      for (;;) {
        const { value, done } = await loop.next()
        if (done) {
          onEnd?.(value, evidence.at(value))
          return value
        }
        evidence.see(value)
        const fields = fieldsOf(value)
        if (fields) log.info({ sessionId, runId, ...fields }, value.type)
        yield value
      }
    } finally {
      // A reader that stops ends the loop too, so that its lease is released.
      await loop.return?.()
    }
  }

function fieldsOf(event: LoopEvent): object | undefined {
  switch (event.type) {
    case 'run-start':
      return { characters: event.prompt.length }
    case 'turn-start':
      return { turn: event.turn }
    case 'routing':
      return { arm: event.arm, window: event.window }
    case 'usage':
      return { ...event.usage }
    case 'tool-start':
      return { callId: event.call.id, tool: event.call.name, characters: event.call.input.length }
    case 'tool-end':
      return {
        callId: event.callId,
        tool: event.name,
        ok: event.ok,
        code: event.code,
        ms: event.ms,
        characters: event.text.length,
      }
    case 'correction':
      return { detector: event.detector, remedy: event.remedy }
    case 'retry':
      return { attempt: event.attempt, delayMs: event.delayMs }
    case 'compaction':
      return { stage: event.stage, before: event.before, after: event.after }
    case 'run-end':
      return { reason: event.reason, turns: event.turns, ...event.attribution }
    case 'error':
      return { code: event.code }
    default:
      return undefined
  }
}
