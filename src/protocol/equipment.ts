/** What a part of the program brings to a session: tools the model may call, and words for its context. */
import type { Source } from './source.ts'
import type { Tool } from './tool.ts'

export interface Equipment {
  /** May grow while the session goes on: a function that was promoted, a server that came up. Names are unique. */
  tools(): readonly Tool[]
  readonly sources: readonly Source[]
  close(): Promise<void>
}
