/** What a reply may not use when nano is asked again, and the rules that say so. */
import type { Sources } from './format.ts'
import type { NanoCall } from '../steps/run.ts'
import { isActing } from './tools.ts'

/** What the next reply may not use. A line is its number in the list. */
export type Ban =
  | { readonly kind: 'tool'; readonly name: string }
  /** Every tool that changes nothing. */
  | { readonly kind: 'looks' }
  /** Only as what is there, or only as what is to be made, where that is said. */
  | { readonly kind: 'path'; readonly path: string; readonly as?: 'old' | 'new' }
  | { readonly kind: 'line'; readonly line: number }
  | { readonly kind: 'command'; readonly command: string }
  /** Words of the request as a path. */
  | { readonly kind: 'words' }
  /** As the new text of a line, from where it begins in the request. */
  | { readonly kind: 'text'; readonly text: string }

export type Words = {
  /** The part of the request that nano was asked for. */
  readonly clause: string
  /** All of it. */
  readonly request?: string
  readonly sources: Sources
  /** Paths that earlier calls and their results speak of. */
  readonly recent: readonly string[]
  /** Those of the last one. */
  readonly last?: readonly string[]
}

export type Rule = (call: NanoCall, words: Words) => Ban | undefined

export const isToolBanned = (bans: readonly Ban[], name: string): boolean =>
  bans.some((ban) => (ban.kind === 'tool' && ban.name === name) || (ban.kind === 'looks' && !isActing(name)))

export const isLineBanned = (bans: readonly Ban[], line: number): boolean =>
  bans.some((ban) => ban.kind === 'line' && ban.line === line)

export const isWordBanned = (bans: readonly Ban[] = []): boolean => bans.some(({ kind }) => kind === 'words')

export const isPathBanned = (bans: readonly Ban[] | undefined, path: string, as?: 'old' | 'new'): boolean =>
  (bans ?? []).some(
    (ban) => ban.kind === 'path' && bare(ban.path) === bare(path) && (ban.as === undefined || ban.as === as),
  )

/** `jobs/` is `jobs`. */
const bare = (path: string): string => path.replace(/\/+$/, '')

export const isCommandBanned = (bans: readonly Ban[], command: string): boolean =>
  bans.some((ban) => ban.kind === 'command' && ban.command === command)
