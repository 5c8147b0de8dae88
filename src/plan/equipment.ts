import type { Equipment } from '../protocol/equipment.ts'
import { watchCommands } from './checked.ts'
import { summarise } from './describe.ts'
import { createPlanTool } from './tool.ts'
import type { PlanStore } from './store.ts'

/** An unreadable plan does not block a conversation: the model sees no plan, and its plan calls report the error. */
export function planEquipment(store: PlanStore): Equipment {
  const passed = watchCommands()
  const tools = [createPlanTool(store, passed)]
  return {
    tools: () => tools,
    sources: [
      {
        name: 'plan',
        place: 'run',
        contribute: () => store.read().then(summarise, () => undefined),
      },
    ],
    around: passed.around,
    close: async () => {},
  }
}
