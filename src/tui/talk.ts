/** What the terminal is handed: the session it shows, and what of the program around it can be reached from here. */
import type { Back } from '../protocol/back.ts'
import type { SessionApi } from '../protocol/session-api.ts'
import type { Undo } from '../protocol/undo.ts'
import type { NotifySettings } from './notify.ts'

export type ShellEnd = { readonly output: string; readonly exitCode: number | undefined }

type ShellOptions = { readonly signal: AbortSignal; onOutput(text: string): void }

/** Commands the person types themselves: they run as in their own shell. */
export type PersonShell = {
  /** It wants a terminal of its own: an editor, a pager, a shell. */
  needsTerminal(command: string): boolean
  run(command: string, options: ShellOptions): Promise<ShellEnd>
  /** This very program once more, with these words and the flags it was started with. */
  argv(words: readonly string[]): readonly string[]
}

type Choices = {
  current(): string
  list(): readonly string[]
  use(name: string): void
}

/** A file named in a message, as it goes into it. */
type MentionedFile = {
  readonly path: string
  readonly text: string
  readonly tokens: number
  readonly isOutline: boolean
  /** Which lines, where not all of them. */
  readonly part?: string
}

/** Which conversation takes the place of this one. `incognito`: a new one of which nothing is kept. */
export type Reopening =
  | 'new'
  | 'incognito'
  | { readonly id: string }
  | { readonly forkOf: string }
  /** This one, as it was before a run. */
  | { readonly before: string }

export type Talk = {
  readonly session: SessionApi & { close(): Promise<void> }
  /** Who answers; until the router has chosen, what it is called. */
  readonly arm: string
  /** What confines commands. */
  readonly confinement: string
  readonly cwd: string
  readonly branch?: string
  /** What a person should know before anything happens. */
  readonly warnings?: readonly string[]
  /** What the last session was about; goes to the model only when it is asked for. */
  readonly recap?: string
  /** The conversation is gone on with: what was said is shown. */
  readonly isResumed?: boolean
  /** Of what happened before. */
  readonly lastEventId?: number
  /** Whether a line names a skill; absent where that is not known here. */
  expands?(line: string): boolean
  /** Absent where the files are on another machine than the person. */
  readonly undo?: Undo
  /** Absent where the conversation is kept on another machine. */
  readonly back?: Back
  /** Absent where commands would run on another machine than the person's. */
  readonly shell?: PersonShell
  /** Permission modes; absent where they cannot be changed from here. */
  readonly modes?: Choices
  readonly mode: string
  readonly arms?: Choices
  /** Paths of the project, for completion. */
  files?(): Promise<readonly string[]>
  /** `path` or `path:10-20`. */
  mention?(path: string): Promise<MentionedFile | undefined>
  /** Where prompts are remembered; absent = nowhere. */
  readonly historyFile?: string
  /** Another conversation in the place of this one; this one is closed. */
  reopen?(wish: Reopening): Promise<Talk>
  /** Of the box; absent = standard. */
  readonly keys?: 'standard' | 'vim'
  /** When to ring; absent = never. */
  readonly notify?: NotifySettings
  /** Nothing of it is kept. */
  readonly isIncognito?: boolean
  /** What other commands of the program print: `covey router`, `covey memory`. */
  ask?(command: readonly string[]): Promise<string>
}
