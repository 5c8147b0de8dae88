/** What a View holds beyond the kept events of a session, as the events that would bring it there again. */
import type { RunEvent } from '../protocol/event.ts'
import type { View } from './view.ts'

/** Kept events and these, in this order, give the same View as all published events. */
export function openPieces({ open }: View): readonly RunEvent[] {
  const { text, reasoning, tools, subagents, progress } = open
  return [
    ...(reasoning === '' ? [] : [{ type: 'reasoning-delta', text: reasoning } as const]),
    ...(text === '' ? [] : [{ type: 'text-delta', text } as const]),
    ...tools.flatMap(({ callId, tail }) =>
      tail === '' ? [] : [{ type: 'tool-output', callId, text: tail } as const],
    ),
    ...subagents.flatMap(({ name, text: step, state }) =>
      state === 'running' && step !== ''
        ? [{ type: 'subagent-step', subagent: name, text: step } as const]
        : [],
    ),
    ...(progress ? [progress] : []),
  ]
}
