export type Question = { readonly question: string; readonly options?: readonly string[] }

/** Puts a question to the person; throws `permission-denied` when there is no one to ask. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<string>
