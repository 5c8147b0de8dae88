/** The seam to the engine: what a session hands to a run, and what it gets back. `app/open.ts` joins the two. */
import type { AskPermission, LoopEvent } from '../engine/parts.ts'
import type { RunEnd, RunEvent } from '../protocol/event.ts'
import type { Message } from '../protocol/message.ts'
import type { PromptOptions } from '../protocol/session-api.ts'
import type { Ask } from '../protocol/question.ts'
import type { Results } from '../protocol/tool.ts'

export type RunInput = {
  readonly runId: string
  readonly sessionId: string
  /** Ends with the run's own user message. */
  readonly history: readonly Message[]
  readonly system: string
  /** The person's own words. */
  readonly prompt: string
  readonly options: PromptOptions
  readonly askPermission: AskPermission
  readonly askQuestion: Ask
  readonly results: Results
  /** For what happens beside the loop. Never throws; after the run's end it does nothing. */
  publish(event: RunEvent): void
}

/** A yielded message is on disk before the next event is asked for. Ends early only when `signal` aborts. */
export type StartRun = (run: RunInput, signal: AbortSignal) => AsyncGenerator<LoopEvent, RunEnd>

/** A loop's events with what it returned as the last of them. */
export async function* withEnd(loop: AsyncGenerator<LoopEvent, RunEnd>): AsyncGenerator<LoopEvent> {
  yield yield* loop
}
