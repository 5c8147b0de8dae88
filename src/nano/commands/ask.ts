/** A command that may be meant, and what is asked for one. */
import type { PathProject } from '../paths/project.ts'

export type Command = {
  readonly command: string
  readonly source: 'said' | 'script' | 'file' | 'page' | 'fact' | 'tool'
  /** The words it is called by. */
  readonly label: readonly string[]
  /** The words that tell what it does. */
  readonly about: ReadonlySet<string>
  /** It begins with the name of a program. */
  readonly isKnown?: boolean
  /** Where the clause spells it. */
  readonly span?: { readonly start: number; readonly end: number }
  /** What it is given to work on, of which kind, and which words that takes up. */
  readonly argument?: { readonly kind: string; readonly covers: readonly string[] }
  /** What else speaks for it. */
  readonly marks?: readonly string[]
  readonly path?: string
}

export type CommandAsk = {
  readonly clause: string
  readonly project: PathProject
  /** Paths that earlier steps were about, the latest first. */
  readonly recent: readonly string[]
  /** The last command that was run for the same request: "and then for staging" says only what is other. */
  readonly ran?: string
}
