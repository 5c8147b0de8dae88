/** The plan of a project for front ends: the command line or another client, not the model. */
import type { SessionEvent } from './event.ts'
import type { SessionApi } from './session-api.ts'

export interface PlanService {
  /** The plan in words, after the action where it changes something. */
  act(action: string, text: string): Promise<string>
  /** Everything there is of it, as JSON. */
  json(): Promise<string>
  /** Markdown, the whole notebook included. */
  export(): Promise<string>
  reset(): Promise<void>
  /** Works at the tasks one after the other until none is left or something is in the way. */
  work(working: Working, signal: AbortSignal): Promise<QueueEnd>
}

type Working = {
  /** A session for one packet; with an id, the one that was interrupted. */
  open(id?: string): Promise<SessionApi & { close(): Promise<void> }>
  readonly limits: { readonly maxTurns?: number; readonly maxCalls?: number; readonly maxPackets?: number }
  tell(line: string): void
  /** What happens in the session of a packet. */
  onEvent?(event: SessionEvent): void
  /** Called before the first prompt of a packet, and when one that was interrupted goes on. */
  onSession?(id: string): void
}

export type QueueEnd = {
  readonly why: 'finished' | 'blocked' | 'empty' | 'paused' | 'cancelled' | 'error'
  readonly packets: number
  /** What went wrong. */
  readonly text?: string
}
