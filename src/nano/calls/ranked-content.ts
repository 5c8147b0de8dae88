/**
 * What a call writes, where the ranking of texts knows better than nano which words are meant and in which form the file has them. What it
 * chooses is always asked for. Reads the file.
 */
import type { Decision } from '../decide.ts'
import { readCall } from '../decide.ts'
import type { NanoReply } from '../weights/engine.ts'
import type { ProjectFiles } from '../project/sources.ts'
import { contentsFor, type RankingPlace } from './likeliest.ts'

type Called = Extract<Decision, { readonly kind: 'call' | 'guess' }>

type Place = RankingPlace & {
  readonly files: ProjectFiles
  readonly reply: NanoReply
  /** A step was made for this clause: what it asks for is in part done. */
  readonly isBegun: boolean
}

export async function rankedContent(decision: Decision, place: Place): Promise<Decision> {
  if ((decision.kind !== 'call' && decision.kind !== 'guess') || place.isBegun) return decision
  const { path, content, append } = decision.call.input
  if (decision.call.name !== 'write_file' || typeof path !== 'string' || typeof content !== 'string')
    return decision
  const action = append === true ? 'append' : 'write'
  const text = append === true ? await place.files.read(path).catch(() => '') : ''
  const own = content.trimEnd()
  // A list that is cut at its number: nano has read on.
  const isBeyond = !place.clause.includes(own) && place.request.includes(own)
  const clause = isBeyond ? place.request : place.clause
  const likely = contentsFor({ action, path, text }, { ...place, clause })
  const [best] = likely
  const mine = likely.find(({ value }) => value === own)?.share ?? 0
  // Of a call that nano did not write it was not sure of the text, either.
  const isOwn = readCall(place.reply.text)?.name === 'write_file'
  const sure = isOwn ? Math.min(SUREST, ...place.reply.confidences) : EVEN
  if (!best || best.value === own || best.share < LEAST) return decision
  if (best.share / (mine + FLOOR) <= sure / (1 - sure))
    return best.share > mine && isPartOf(own, best.said) ? doubted(decision) : decision
  const call = { ...decision.call, input: { ...decision.call.input, content: best.value } }
  return { kind: 'guess', call, why: WHY, isLikely: false }
}

/** The text seems to go on, or to end before: it is nano's, but not done without a question. */
const doubted = (decision: Called): Decision =>
  decision.kind === 'call' ? { kind: 'guess', call: decision.call, why: WHY, isLikely: false } : decision

const isPartOf = (one: string, other: string): boolean =>
  one !== other && (one.includes(other) || other.includes(one))

const WHY = 'The built-in model guessed this: it is not certain where the text begins and ends'

const LEAST = 0.3
const FLOOR = 0.05
/** How far nano is believed at most of where a text begins and ends. */
const SUREST = 0.95
const EVEN = 0.5
