/** Who answers is settled by the request alone: an agent runs its own tools only where the client brought none. */
import { askAgent, readAgentName } from '../sessions/agent.ts'
import type { Answer, ApiParts, Ask, Caller } from './ask.ts'
import { askModel } from './model.ts'
import { unsupported } from './wire.ts'

export function answer(ask: Ask, parts: ApiParts, caller: Caller): Answer {
  const { model, ...rest } = ask
  const agent = model === undefined ? undefined : readAgentName(model)
  if (!agent) return askModel(ask, parts, caller)
  if (isAgentAsked(ask) && ask.request.logprobs !== undefined)
    throw unsupported('logprobs', `${model} is an agent, which reports no log probabilities; ask a model`)
  // The client executes: an agent with tools of others is just its model.
  return isAgentAsked(ask) ? askAgent({ ...ask, agent }, parts, caller) : askModel(rest, parts, caller)
}

export const isAgentAsked = ({ model, request }: Ask): boolean =>
  model !== undefined && readAgentName(model) !== undefined && request.tools.length === 0
