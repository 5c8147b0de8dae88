/**
 * A command is a piece of data with a run(); `cli/program.ts` turns the list of them into a command line. The files of all
 * commands are loaded at every start, so they import little; what a command stands on is imported by its run().
 */
export type Piped = { readonly text: string; readonly truncated: boolean }

export type CommandIo = {
  out(text: string): void
  err(text: string): void
  readonly stdin: NodeJS.ReadStream
  /** Text that was piped in. `hasPrompt`: do not wait for ever for an open pipe that says nothing. */
  piped(hasPrompt: boolean): Promise<Piped | undefined>
  /** A person can see and type. */
  readonly isTty: boolean
}

export type CommandContext = {
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  readonly io: CommandIo
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** Aborts on Ctrl+C. */
  readonly signal: AbortSignal
  /** A conversation handles Ctrl+C instead, until the returned function is called. */
  onInterrupt?(handle: () => void): () => void
  /** What another command prints, for a person who asks in the middle of something. */
  capture?(argv: readonly string[]): Promise<string>
}

export type CommandOption = { readonly flags: string; readonly description: string }

export type Command = {
  readonly name: string
  readonly summary: string
  /** What follows the name, for help: `[action] [key]`. */
  readonly usage: string
  readonly examples: readonly string[]
  readonly options?: readonly CommandOption[]
  /** Returns the exit code: 0 done, 1 error, 2 wrong usage or configuration, 3 no answer or stopped by
   * a limit, 4 the same because something was denied, 130 interrupted. */
  run(context: CommandContext): Promise<number>
}
