/** Who answers is settled by the request alone: an agent runs its own tools only where the client brought none. */
import { askAgent, readAgentName } from './agent.ts'
import type { Answer, ApiParts, Ask, Caller } from './api-ask.ts'
import { askModel } from './api-model.ts'

export function answer(ask: Ask, parts: ApiParts, caller: Caller): Answer {
  const agent = ask.model === undefined ? undefined : readAgentName(ask.model)
  if (!agent) return askModel(ask, parts, caller)
  if (ask.request.tools.length === 0) return askAgent({ ...ask, agent }, parts, caller)
  // The client executes: an agent with tools of others is just its model.
  const { model: _, ...rest } = ask
  return askModel(rest, parts, caller)
}
