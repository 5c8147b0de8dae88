/**
 * What each ranking finds likeliest for a part of a request: by the part itself, or by the whole request where that tells more. Nothing is
 * read, nothing is done.
 */
import { typedCommand } from '../commands/typed.ts'
import type { ContentAsk } from '../contents/ranking.ts'
import type { Likely, LikelyContent, Opinions } from '../opinion/load.ts'
import type { PathProject } from '../paths/project.ts'
import type { PathRole } from '../paths/signs.ts'
import type { TargetAction } from '../paths/target-ranking.ts'

export type RankingPlace = {
  readonly request: string
  /** The part of it that is asked for. */
  readonly clause: string
  readonly project: PathProject
  /** Paths that earlier steps were about, the latest first. */
  readonly recent: readonly string[]
  /** The last command that was run for the request. */
  readonly ran?: string
  readonly opinions: Opinions
}

/** Below this the part alone does not tell, and the whole request is read. */
const TELLING = 0.5

/** By the part that is asked for, or by the whole request where that tells more. */
function byClause<One extends { readonly share: number }>(
  { request, clause, recent }: RankingPlace,
  rank: (words: string) => readonly One[],
  words = clause,
): readonly One[] {
  const likely = rank(words)
  if (request === clause || recent.length > 0 || (likely[0]?.share ?? 0) >= TELLING) return likely
  const whole = rank(request)
  return (whole[0]?.share ?? 0) > (likely[0]?.share ?? 0) ? whole : likely
}

export const pathsFor = (role: PathRole, words: string, place: RankingPlace): readonly Likely<string>[] =>
  byClause(place, (clause) => place.opinions.paths({ ...place, clause, role }), words)

export const targetsFor = (
  action: TargetAction,
  from: string,
  place: RankingPlace,
): readonly Likely<string>[] =>
  byClause(place, (clause) =>
    place.opinions.targets({ ...place, clause, action, ...(from !== '' && { from }) }),
  )

export const textsFor = (place: RankingPlace): readonly Likely<string>[] =>
  byClause(place, (clause) => place.opinions.texts({ ...place, clause }))

/** What is to be written, with the signs of the sentence that were cut off behind the part. */
export const contentsFor = (
  file: Omit<ContentAsk, 'clause' | 'goesOn'>,
  place: RankingPlace,
): readonly LikelyContent[] =>
  byClause(
    place,
    (clause) => place.opinions.contents({ ...file, clause, goesOn: goesOnBehind(clause, place.request) }),
    withEnd(place.clause, place.request),
  )

/** Whether another part of the request follows. */
export const goesOnBehind = (clause: string, request: string): boolean => {
  const at = request.indexOf(clause)
  return at >= 0 && /[\p{L}\p{N}]/u.test(request.slice(at + clause.length))
}

/** "Put clay x6 (Digbeth) on the list": a part ends with its own bracket. */
export function withEnd(clause: string, request: string): string {
  const at = request.indexOf(clause)
  const [end = ''] = at < 0 ? [] : (/^[)\]}"'”’`.;!?]+/.exec(request.slice(at + clause.length)) ?? [])
  return clause + end
}

export function commandsFor(place: RankingPlace): readonly Likely<string>[] {
  const typed = typedCommand(place.clause, place.project)
  if (typed !== undefined) return [{ value: typed, share: TYPED }]
  return byClause(place, (clause) => place.opinions.commands({ ...place, clause }))
}

/** How likely a command is meant that is typed out. */
const TYPED = 0.98
