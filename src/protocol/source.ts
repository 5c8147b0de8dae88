/** Something that contributes to the context: project notes, memories, the plan, the date. */
export interface Source {
  readonly name: string
  /**
   * `frozen` text goes into the system text, rendered once per session; `run` text is put in front of the run's user
   * message and kept there as history. Bytes already sent never change, so nothing else is possible.
   */
  readonly place: 'frozen' | 'run'
  contribute(prompt: string): Promise<string | undefined>
}
