import { describe, toMarkdown } from './describe.ts'
import type { PlanService } from '../protocol/plan-service.ts'
import { sessionPackets } from './packet.ts'
import { toChange } from './tool.ts'
import { runQueue } from './run-queue.ts'
import type { PlanStore } from './store.ts'

export const createPlanService = (store: PlanStore): PlanService => ({
  async act(action, text) {
    const change = toChange(action, text)
    if (!change) return describe(await store.read())
    const isAgain = change.type === 'reopen' || change.type === 'begin'
    return describe(await store.change(isAgain ? { ...change, isRenewed: true } : change))
  },
  json: async () => JSON.stringify(await store.read()),
  export: async () => toMarkdown(await store.read()),
  reset: () => store.reset(),
  work: ({ open, limits, tell, ...watch }, signal) =>
    runQueue(
      {
        store,
        runPacket: sessionPackets(open, watch),
        limits,
        onStep: ({ notes }) => tell(notes.at(-1)?.text ?? ''),
      },
      signal,
    ),
})
