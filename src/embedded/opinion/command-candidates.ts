/**
 * What a clause may ask to run: commands it spells, scripts of the project, files that an interpreter runs and programs that read files,
 * each with what the clause gives it to work on, commands that the project's pages show, and facts of git and the machine. Pure.
 */
import { factsIn } from './command-facts.ts'
import { filesFor } from './command-files.ts'
import { pageCommands } from './command-pages.ts'
import { saidCommands } from './command-said.ts'
import { scriptsFor } from './command-scripts.ts'
import { toolsFor } from './command-tools.ts'
import type { PathProject } from './path-project.ts'

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

export const commandsFor = (ask: CommandAsk): Command[] => [
  ...saidCommands(ask),
  ...scriptsFor(ask),
  ...filesFor(ask),
  ...toolsFor(ask),
  ...pageCommands(ask.project),
  ...factsIn(ask.clause).map(({ command, name }): Command => ({
    command,
    source: 'fact',
    label: [name],
    about: NONE,
  })),
]

const NONE: ReadonlySet<string> = new Set()
