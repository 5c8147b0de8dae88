/**
 * The edit that a clause asks for, where the ranking of all lines of the project knows better than nano which one that is. What it
 * chooses is always asked for, and never where the words are against it. Reads the project.
 */
import type { NanoReply } from '../weights/engine.ts'
import { type Decision, isUndisputed, readCall } from '../decide.ts'
import { twoAlike } from '../steps/copy-said.ts'
import { isDoubtful } from '../intent/doubt.ts'
import { makeUnique } from '../project/listed-lines.ts'
import { moodAgainst } from '../intent/mood.ts'
import { isOrder } from '../intent/order.ts'
import type { EditProject } from '../edits/lines.ts'
import { outcomeOf, type RankedEdit } from '../edits/ranking.ts'
import type { Opinions } from '../opinion/load.ts'
import { createPathIndex } from '../paths/named.ts'
import { type ProjectFiles, textsFor } from '../project/sources.ts'
import { withEnd } from './likeliest.ts'
import { recentPaths } from '../project/recent.ts'
import { hasRemark } from '../intent/remark.ts'
import type { NanoCall, NanoStep } from '../steps/run.ts'
import { renamingIn } from '../steps/symbol.ts'
import { mayBeWanted } from '../intent/wanted.ts'
import { wholeEntry } from './whole-line.ts'

type Place = {
  readonly request: string
  readonly clause: string
  readonly steps: readonly NanoStep[]
  readonly files: ProjectFiles
  readonly reply: NanoReply
  /** A step was made for this clause: what it asks for is in part done. */
  readonly isBegun: boolean
  readonly opinions: Opinions
  /** How likely it is that an edit is asked for at all, after both opinions. */
  readonly agreement?: number
}

const isOneLine = (clause: string): boolean => !SEVERAL.test(clause)

/** "The best before on all three labels": the likeliest change that several files can have, as one; nothing where one file has it. */
function sameInSeveral(ranked: readonly RankedEdit[]): readonly RankedEdit[] {
  const [best] = ranked
  const same = ranked.filter(
    ({ before, after, path }) => before === best?.before && after === best.after && path !== best.path,
  )
  if (!best || same.length === 0) return []
  const share = same.reduce((sum, one) => sum + one.share, best.share)
  return [{ ...best, share }, ...ranked.filter((one) => one !== best && !same.includes(one))]
}

const SEVERAL = /\b(?:every|everywhere|all|each|throughout|wherever|both|same)\b/i

export async function rankedEdit(decision: Decision, place: Place): Promise<Decision> {
  const { request, clause, steps, files, reply, opinions } = place
  // A renaming goes through the files by itself.
  if (!isAboutEdit(decision, reply.text) || place.isBegun || renamingIn(clause)) return decision
  const project = inMeant(await textsFor(clause, files), clause, steps)
  const words = withEnd(clause, request)
  const all = opinions.edits({ clause: words, project, recent: recentFor(clause, steps) })
  const ranked = isOneLine(clause) ? all : sameInSeveral(all)
  const mine = 'call' in decision ? outcomeIn(decision.call, project.texts) : undefined
  const best = firstSaid(ranked)
  if (!best) return decision
  const call = await toCall(best, files)
  const isMine = outcomeOf(best) === mine
  const byBoth = steps.length > 0 ? CERTAIN_LATER : CERTAIN_BY_BOTH
  const isCertain = best.share >= (isMine ? byBoth : CERTAIN) && isPlain(call, place)
  const isLikely = isCertain && !isInSeveralPlaces(reply.text, project.texts)
  if (isMine) return decision.kind === 'guess' && isLikely ? { ...decision, isLikely } : decision
  const own = ranked.find((one) => outcomeOf(one) === mine)?.share ?? 0
  const sure = 'call' in decision && decision.kind !== 'doubt' ? Math.min(1, ...reply.confidences) : 0
  const isSpelled = 'call' in decision && isSaid(decision.call, clause)
  if (!outweighs(best.share, own, sure) || (isSpelled && best.share < CLEAR)) return decision
  const isAgainst = [request, clause].some((words) => isUnwanted(call, words))
  // What the verdict wants asked for may be asked for with another line.
  if (isAgainst && decision.kind !== 'guess') return decision
  const why = 'The built-in model guessed this: it is not certain that this line is meant'
  return { kind: 'guess', call, why, isLikely: isLikely && !isAgainst }
}

/** Behind a copy "in there" is one of two files. */
export function inMeant(project: EditProject, clause: string, steps: readonly NanoStep[]): EditProject {
  const path = twoAlike(clause, steps)?.meant
  const text = path === undefined ? undefined : project.texts.get(path)
  return path === undefined || text === undefined
    ? project
    : { texts: new Map([[path, text]]), index: createPathIndex([path]) }
}

/** Whether nano wrote an edit, whatever has become of it. */
const isAboutEdit = (decision: Decision, written: string): boolean =>
  ('call' in decision ? decision.call.name === 'edit_file' : decision.kind === 'refuse') &&
  /"name": "(?:edit_file|change_line)"/.test(written)

/** The text that nano wants replaced occurs more than once in its file, and the request does not say which is meant. */
function isInSeveralPlaces(written: string, texts: ReadonlyMap<string, string>): boolean {
  const { name, input } = readCall(written) ?? {}
  const text = texts.get(String(input?.['path'])) ?? ''
  const old = input?.['old']
  return (
    name === 'edit_file' &&
    typeof old === 'string' &&
    old !== '' &&
    text.indexOf(old) !== text.lastIndexOf(old)
  )
}

/** What an earlier step was about may be meant; behind a copy "the original" is what was copied. */
export function recentFor(clause: string, steps: readonly NanoStep[]): readonly string[] {
  const from = steps.at(-1)?.call.input['from']
  return typeof from === 'string' && /\boriginal\b/i.test(clause) ? [from] : recentPaths(steps)
}

/** The request spells what goes and what comes: nano only copied it. */
const isSaid = ({ input: { old, new: replacement } }: NanoCall, clause: string): boolean =>
  [old, replacement].every((text) => typeof text === 'string' && text.length > 1 && clause.includes(text))

const isUnwanted = (call: NanoCall, words: string): boolean =>
  moodAgainst(call, words) !== undefined && !mayBeWanted(call, words)

/** What is no plain order is not likely, however clear the line. */
const isPlain = (call: NanoCall, { request, clause, agreement = 0 }: Place): boolean =>
  isUndisputed(call, request, agreement) ||
  (!isDoubtful(call, request) &&
    !hasRemark(call, request) &&
    (isOrder(call, request) || isOrder(call, clause)))

/** Of several that are as likely, the one whose new text is said first: the others may come after it. */
function firstSaid([best, ...others]: readonly RankedEdit[]): RankedEdit | undefined {
  if (best?.at === undefined) return best
  const rivals = others.filter(
    ({ share, at, number, path }) =>
      share >= best.share / 3 && at !== undefined && (number !== best.number || path !== best.path),
  )
  return rivals.reduce((first, one) => ((one.at ?? 0) < (first.at ?? 0) ? one : first), best)
}

/** Less is no opinion. */
const LEAST = 0.2
/** From 0.9 on 306 of 315 were right, of eighteen writers it was not trained on. */
const CERTAIN = 0.95
/** Where nano wrote the same edit, as the first step or a later one. */
const CERTAIN_BY_BOTH = 0.65
const CERTAIN_LATER = 0.8
/** Enough against an edit whose texts are both spelled. */
const CLEAR = 0.6

/**
 * Whether the likeliest edit of the ranking is to be preferred to nano's own: what the ranking gives both, and how sure nano was. Learned from nano's first
 * replies to 471 edits of twenty-eight writers that neither knows: nano is right in 318, the ranking in 407, this in 416.
 */
const outweighs = (share: number, own: number, sure: number): boolean =>
  share >= LEAST && 0.7 * oddsOf(share) > 0.45 + 0.42 * oddsOf(own) + 0.58 * oddsOf(sure)

/** As a logarithm; nothing is certain. */
const oddsOf = (share: number): number => Math.log((share + NEVER) / (1 - share + NEVER))
const NEVER = 0.001

/** What an edit leaves of the line it changes; nothing where it changes none. */
export function outcomeIn({ input }: NanoCall, texts: ReadonlyMap<string, string>): string | undefined {
  const path = String(input['path'])
  const text = texts.get(path)
  const { old, new: replacement } = input
  if (text === undefined || typeof old !== 'string' || typeof replacement !== 'string') return undefined
  const before = text.split('\n')
  const after = text.replace(old, () => replacement).split('\n')
  const at = before.findIndex((line, index) => line !== after[index])
  if (at < 0) return undefined
  const isRemoved = after.length < before.length
  return outcomeOf({ path, number: at + 1, before: '', after: isRemoved ? '' : (after[at] ?? '').trim() })
}

export async function toCall(
  { path, number, before, after }: RankedEdit,
  files: ProjectFiles,
): Promise<NanoCall> {
  const call = { name: 'edit_file', input: { path, old: before, new: after } }
  return wholeEntry(await makeUnique(call, [{ path, number, text: before }], files), files)
}
