/** Follows one run of a session to its end and says how it ended. */
import type { RunEnd, SessionEvent } from '../protocol/event.ts'
import type { PromptOptions, SessionApi } from '../protocol/session-api.ts'

export type WatchInput = {
  readonly session: SessionApi
  readonly prompt: string
  readonly options?: PromptOptions
  /** Sees every event; may answer questions. */
  show(event: SessionEvent): void
  readonly signal: AbortSignal
}

export async function promptAndWatch({
  session,
  prompt,
  options,
  show,
  signal,
}: WatchInput): Promise<RunEnd> {
  const stopped = new AbortController()
  const cancel = () => void session.cancel().catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const events = session.events({ signal: stopped.signal })[Symbol.asyncIterator]()
    const { runId } = await session.prompt(prompt, options)
    for (;;) {
      const { value: event, done } = await events.next()
      if (done) throw new Error('the session ended before the run did')
      show(event)
      if (event.type === 'run-end' && event.runId === runId) return event
    }
  } finally {
    signal.removeEventListener('abort', cancel)
    stopped.abort()
  }
}
