/** The person while the program opens, before there is a session that could show or ask anything. */
export type AtStart = {
  /** What takes long right now; `undefined` when it is over. */
  status(text: string | undefined): void
  /** One question, yes or no; absent without a user to answer. */
  confirm?(question: string): Promise<boolean>
}
