/** What the ranking of next steps is asked, and what it may answer. */
import type { RankedEdit } from '../edits/ranking.ts'
import type { PathProject } from '../paths/project.ts'

/** Steps that are repeated with another file. */
export type RepeatedAction = 'read' | 'list' | 'append' | 'delete' | 'copy' | 'move'

/** A step that was made for this part. Edits are known by what they leave of their line. */
export type MadeStep =
  | { readonly do: RepeatedAction; readonly path: string }
  | { readonly do: 'edit'; readonly edit: Pick<RankedEdit, 'path' | 'number' | 'before' | 'after'> }
  | { readonly do: 'other' }

export type FurtherAsk = {
  readonly clause: string
  /** At least one; the latest last. */
  readonly made: readonly MadeStep[]
  /** As it was before the first of them. */
  readonly project: PathProject
  /** The changes the clause may ask for, as if none had been made. */
  readonly edits: readonly RankedEdit[]
  /** No other part comes after this one. */
  readonly isLast: boolean
}

export type Further =
  | { readonly kind: 'stop' | 'ask' }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'edit'; readonly edit: Omit<RankedEdit, 'share'> }

export type FurtherCandidate = { readonly next: Further; readonly signs: readonly string[] }
