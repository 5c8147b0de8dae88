/** Agents that the run started, each with what it does now. */
import type { SubagentEvent } from '../protocol/subagent.ts'
import type { SubagentItem } from './view.ts'

type Of<Type extends SubagentEvent['type']> = Extract<SubagentEvent, { type: Type }>
type Agents = readonly SubagentItem[]

export const startSubagent = (agents: Agents, { subagent, task }: Of<'subagent-start'>): Agents => [
  ...agents,
  { kind: 'subagent', name: subagent, task, state: 'running', text: '' },
]

export const stepSubagent = (agents: Agents, { subagent, text }: Of<'subagent-step'>): Agents =>
  changed(agents, subagent, { text })

export const endSubagent = (agents: Agents, event: Of<'subagent-end'>): Agents => {
  const { subagent, ok, text, turns, tokens, ms } = event
  return changed(agents, subagent, { state: ok ? 'ok' : 'failed', text, turns, tokens, ms })
}

function changed(agents: Agents, name: string, change: Partial<SubagentItem>): Agents {
  const at = agents.findLastIndex((agent) => agent.name === name)
  return agents.map((agent, index) => (index === at ? { ...agent, ...change } : agent))
}
