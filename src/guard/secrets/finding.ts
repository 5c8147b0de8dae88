/** What a finder finds and how it is woken; see `secret-scan.ts`. */

/** A range in a text. `kind` names it as in a placeholder. */
export type Finding = { readonly start: number; readonly end: number; readonly kind: string }

export type Finder = {
  /** What its secrets begin with, or what stands inside or before them. One letter wakes it often: keep it cheap. */
  readonly anchor: string
  /** The secret whose anchor stands at `at`. */
  find(text: string, at: number): Finding | undefined
}
