/** Where sessions are kept: a folder on disk, or memory when nothing may be kept. `store.ts` is the same on both. */
import type { SessionInfo } from '../protocol/session-api.ts'
import type { Results } from '../protocol/tool.ts'
import type { LogRecord, Replay, SessionLog } from './log.ts'

/** A session opened for writing; no other process can open it before it is closed. */
export type OpenSession = {
  readonly replay: Replay
  readonly log: SessionLog
  readonly results: Results
  /** The folder that is its own; absent where it keeps nothing. */
  readonly folder?: string
  /** What of the log could not be read, for a person. */
  readonly damage: readonly string[]
  close(): Promise<void>
}

export interface Shelf {
  /** In no order; without those that cannot be read. */
  list(): Promise<readonly SessionInfo[]>
  has(id: string): Promise<boolean>
  /** Makes room for a new session; false when the id is taken. */
  make(id: string): Promise<boolean>
  /** Throws `session-busy` when another process has it. */
  open(id: string): Promise<OpenSession>
  /** Reads while another process writes; in batches. */
  records(id: string): AsyncIterable<readonly LogRecord[]>
  /** Whether a living process, this one included, has it open. */
  isOpen(id: string): Promise<boolean>
  /** What belongs to a session besides its log. */
  copyBelongings(from: string, to: string): Promise<void>
  /** Throws `session-busy` while it is open. */
  remove(id: string): Promise<void>
  /** Removes what processes that were killed left of sessions they began or removed. */
  sweep(): Promise<void>
}
