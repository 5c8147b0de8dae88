/** Taking back what a run did to the project's files. What the person changed since is never touched. */

/** What a file is at some moment; nothing stands for "is not there". */
export type FileVersion = { readonly hash: string; readonly mode: number }

/** A run that changed something. */
export type UndoableRun = {
  readonly runId: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** The beginning of what was asked for. */
  readonly prompt: string
  readonly paths: readonly string[]
  readonly isUndone: boolean
  /** Milliseconds since 1970, where it is undone. */
  readonly undoneAt?: number
}

export type Conflict = {
  readonly path: string
  readonly why: string
  /** Where the version that was not put there lies; absent where it is not kept. */
  readonly kept?: string
}

export type Restored = {
  readonly runId: string
  readonly prompt: string
  readonly restored: readonly string[]
  readonly conflicts: readonly Conflict[]
  /** What the run may have changed without a saved copy, as text. */
  readonly uncovered: readonly string[]
}

export interface Undo {
  /** Oldest first. */
  runs(): readonly UndoableRun[]
  /**
   * Absent = the last one that is not undone. Throws `config-invalid` where there is none, `session-busy` during a run.
   * What the disk refused to put back is asked for again with the next undo.
   */
  undo(runId?: string): Promise<Restored>
  /** The one that was undone last. */
  redo(): Promise<Restored>
}

/** The same for a person at the command line: all sessions of a folder. */
export interface UndoService {
  runs(): Promise<readonly UndoableRun[]>
  undo(runId?: string): Promise<Restored>
  redo(): Promise<Restored>
}
