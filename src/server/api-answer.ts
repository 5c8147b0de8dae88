/** Who answers is settled by the request alone: an agent runs its own tools only where the client brought none. */
import { askAgent, readAgentName } from './agent.ts'
import type { Answer, ApiParts, Ask, Caller } from './api-ask.ts'
import { askModel } from './api-model.ts'

export function answer(ask: Ask, parts: ApiParts, caller: Caller): Answer {
  const { model, ...rest } = ask
  const agent = model === undefined ? undefined : readAgentName(model)
  if (!agent) return askModel(ask, parts, caller)
  // The client executes: an agent with tools of others is just its model.
  return isAgentAsked(ask) ? askAgent({ ...ask, agent }, parts, caller) : askModel(rest, parts, caller)
}

export const isAgentAsked = ({ model, request }: Ask): boolean =>
  model !== undefined && readAgentName(model) !== undefined && request.tools.length === 0
