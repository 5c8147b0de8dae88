/** What a line that begins with `/` may be: something the page does, or a skill that the server puts in its place. */
export type SlashCommand = {
  readonly name: string
  readonly help: string
  /** Absent = it is sent as it is: the server knows it. */
  run?(): Promise<unknown>
}
