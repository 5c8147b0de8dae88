/** Who answers in the shell. Handed in, so that this room knows the shell and nothing of models. */
export type Question = {
  readonly text: string
  /** Where the shell is. */
  readonly folder: string
  /** What commands printed since the last question; empty when there is nothing. */
  readonly output: string
}

export type Answered = {
  /** The whole reply, for what it proposes. */
  readonly text: string
  /** Commands the model wanted to run; none of them ran. */
  readonly commands: readonly string[]
  /** False when there was no answer: what was sent is given back. */
  readonly isAnswered: boolean
  /** Why there is none; the surface has shown it. */
  readonly problem?: string
}

/** What the guard thinks of a command. */
export type Effects = {
  readonly does: 'reads' | 'writes' | 'destroys' | 'not known'
  readonly network: boolean
  readonly why: string
}

export type Surface = {
  readonly columns: number
  readonly rows: number
  write(text: string): void
}

type Models = { readonly current: string; readonly list: readonly string[] }

export interface Helper {
  /** Writes the answer to the surface as it comes, and ends it with a line end. */
  ask(question: Question, surface: Surface, signal: AbortSignal): Promise<Answered>
  judge(command: string): Promise<Effects>
  /** The text as it may leave: secrets replaced. */
  outgoing(text: string, folder: string): Promise<string>
  models(folder: string): Promise<Models>
  /** Throws for one that is not there. */
  useModel(id: string, folder: string): Promise<void>
  /** The arm that now answers. */
  usePreset(name: 'fast' | 'deep', folder: string): Promise<string>
  /** The words that start the full agent on a task, as an argv. */
  agentArgv(task: string): readonly string[]
  close(): Promise<void>
}
