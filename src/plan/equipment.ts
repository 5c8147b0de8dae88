import type { Equipment } from '../protocol/equipment.ts'
import { summarise } from './describe.ts'
import { createPlanTool } from './tool.ts'
import type { PlanStore } from './store.ts'

/** A plan that cannot be read is no reason not to talk: the model is told nothing, its own calls say what is wrong. */
export function planEquipment(store: PlanStore): Equipment {
  const tools = [createPlanTool(store)]
  return {
    tools: () => tools,
    sources: [
      {
        name: 'plan',
        place: 'run',
        contribute: () => store.read().then(summarise, () => undefined),
      },
    ],
    close: async () => {},
  }
}
