import type { SessionEvent } from '../../src/protocol/event.ts'

/** Comes back at once, and does not give up soon. */
export const quick = { attempts: 2_000, delayMs: () => 5 }

export async function collectRun(
  events: AsyncIterable<SessionEvent>,
  runId: string,
): Promise<SessionEvent[]> {
  const seen: SessionEvent[] = []
  for await (const event of events) {
    seen.push(event)
    if (event.type === 'run-end' && event.runId === runId) break
  }
  return seen
}
