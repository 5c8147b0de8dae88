/** The plan of a project for whoever is no model: a person at the command line, or another front end. */
import { describe, toMarkdown } from './describe.ts'
import { type OpenPacketSession, sessionPackets } from './packet.ts'
import { toChange } from './plan-tool.ts'
import type { QueueLimits } from './queue.ts'
import { type QueueEnd, runQueue } from './run-queue.ts'
import type { PlanStore } from './store.ts'

type PlanDesk = {
  /** The plan in words, after the action where it changes something. */
  act(action: string, text: string): Promise<string>
  /** Markdown, the whole notebook included. */
  export(): Promise<string>
  reset(): Promise<void>
  /** Works at the tasks one after the other until none is left or something is in the way. */
  work(working: Working, signal: AbortSignal): Promise<QueueEnd>
}

type Working = {
  readonly open: OpenPacketSession
  readonly limits: Partial<QueueLimits>
  tell(line: string): void
}

export const createPlanDesk = (store: PlanStore): PlanDesk => ({
  async act(action, text) {
    const change = toChange(action, text)
    return describe(change ? await store.change(change) : await store.read())
  },
  export: async () => toMarkdown(await store.read()),
  reset: () => store.reset(),
  work: ({ open, limits, tell }, signal) =>
    runQueue(
      {
        store,
        runPacket: sessionPackets(open),
        limits,
        onStep: ({ notes }) => tell(notes.at(-1)?.text ?? ''),
      },
      signal,
    ),
})
