/** What nano may choose between for an argument of each kind, besides spans of the request. Must equal nano/decode.py. Pure. */
import { type Ban, isCommandBanned } from './ban.ts'
import type { Sources } from './format.ts'
import { globCandidates } from '../project/scripts.ts'
import type { NanoTool, ParameterKind } from './tools.ts'

/** Everything the choices depend on. */
export type Situation = {
  readonly request: string
  readonly sources: Sources
  /** Offered; none where a call is not wanted. */
  readonly tools: readonly NanoTool[]
  /** The last call's tool, whether it worked, and its text as nano reads it. */
  readonly result?: { readonly tool: string; readonly ok: boolean; readonly text: string }
  /** Folders that earlier calls made or wrote to, with a slash at the end. */
  readonly made?: readonly string[]
  /** Paths that earlier calls and their results speak of. */
  readonly recent?: readonly string[]
  /** Nothing but a call will do. */
  readonly mustCall?: boolean
  /** What the request says is to be changed, in any of its readings. */
  readonly olds?: readonly string[]
  /** What an earlier reply to the same used, and must not be. */
  readonly bans?: readonly Ban[]
}

/** How many words a span of this kind may hold; any number where nothing is said. */
export const MOST_WORDS: Partial<Record<ParameterKind, number>> = {
  path: 6,
  new_path: 6,
  glob: 1,
  url: 1,
  id: 1,
  word: 1,
}

/** `content` of an empty file, `new` where text is to go. */
export const MAY_BE_EMPTY = new Set(['content', 'new'])

const namedPaths = ({ sources, recent = [] }: Situation): string[] => [
  '.',
  ...sources.paths,
  ...sources.lines.map(({ path }) => path),
  ...recent,
]

/** Where something new may go: the folders listed, and those of earlier calls. */
export const foldersIn = ({ sources, made = [] }: Situation): string[] => [
  ...new Set([...sources.paths.filter((path) => path.endsWith('/')), ...made]),
]

/** What the part of a listed line may become besides words of the request. */
export const LINE_VALUES = 'true|false|yes|no|on|off|[x]|[ ]|True|False|YES|NO|done'.split('|')

export const listed: Partial<Record<ParameterKind, (situation: Situation) => readonly string[]>> = {
  path: namedPaths,
  new_path: namedPaths,
  command: ({ sources, bans = [] }) =>
    sources.scripts.map(({ command }) => command).filter((command) => !isCommandBanned(bans, command)),
  glob: ({ request, sources }) => globCandidates(request, sources.paths),
  id: ({ sources }) => sources.ids.map(({ id }) => id),
}

/** What a result may tell the next call. */
export const FROM_RESULT = new Set<ParameterKind>(['path', 'new_path', 'id', 'url'])
