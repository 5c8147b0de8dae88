/** Going back to an earlier message: the conversation continues from before it, and what followed stays as it was. */
import type { Restored } from './undo.ts'

/** A message of the user's own. */
export type OwnMessage = {
  /** The run that answered it. */
  readonly runId: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** As it was typed. */
  readonly text: string
}

/** With the files that its run changed and that were not restored since. */
export type EarlierMessage = OwnMessage & { readonly changed: readonly string[] }

export interface Back {
  /** Oldest first. Throws `session-busy` during a run. */
  messages(): Promise<readonly EarlierMessage[]>
  /** Undoes what these runs did to files, in the order given. */
  restore(runIds: readonly string[]): Promise<readonly Restored[]>
}
