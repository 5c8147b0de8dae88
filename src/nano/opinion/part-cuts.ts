/**
 * Where a request of several steps falls into its parts, in the opinion of a linear classifier that was trained on the chains by hand. The
 * cuts that the rules make (`request/clauses.ts`) are a sign among others: "lint test build, in that order" and "off todo, onto done" have no
 * word that the rules know. Pure.
 */
import { clausesOf, startsOrder } from '../request/clauses.ts'
import { halvesOf } from '../request/backwards.ts'
import { MAX_REQUEST } from '../weights/format.ts'
import { ordersAct } from '../intent/order.ts'
import { lengthOf } from '../request/spans.ts'
import { likelihoods, type LinearModel } from './linear.ts'
import { type ProjectWords, tokensOf } from './tokens.ts'

/** Where a part may end and the next one begin. */
export type PlaceToCut = {
  readonly end: number
  readonly begin: number
  /** What joins them. */
  readonly joint: string
  /** The rules cut here, too. */
  readonly isRule: boolean
  /** What comes behind is to be done first: "flash it after setting the baud". */
  readonly isTurned: boolean
}

export type CutWords = { readonly project: ProjectWords; readonly known: ReadonlySet<string> }

const QUOTED =
  /"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|`[^`]*`|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])‘[^’\n]*’(?![\p{L}\p{N}])/gu

const WORDS = String.raw`(?:and|n|'n'?|&|\+|plus|then|also|but|next|afterwards|after that|so|with|while|ditto)`
const TURNS = String.raw`(?:but\s+)?(?:only\s+|just\s+)?(?:right\s+|straight\s+)?(?:after|once|as soon as|but first|but before that,?)`

/** Signs with words behind them, words by themselves. */
const JOINTS = new RegExp(
  String.raw`(?<turned>,?\s+${TURNS}\s+(?!that\b|this\b|which\b))` +
    String.raw`|(?<plain>[,;:.]?\s+\d{1,2}[.)]\s+|\s*(?:(?<!(?:^|\s)\d)[,;:.!?…)]+(?=\s)|\s[-–—>]+(?=\s)|\n)\s*(?:${WORDS}[\s,]+)*|\s+(?:${WORDS}[\s,]+)+|\s+\()`,
  'gi',
)

const MOST_PLACES = 16

/** None where the request is too long to be read whole. */
export function placesToCut(request: string): PlaceToCut[] {
  if (lengthOf(request) > MAX_REQUEST) return []
  const masked = request.replaceAll(QUOTED, (quoted) => `“${'_'.repeat(quoted.length - 2)}”`)
  const rules = ruleBegins(request)
  const places = Array.from(masked.matchAll(JOINTS), ({ 0: joint, index, groups }) => {
    const after = index + joint.length
    const isTurned = groups?.['turned'] !== undefined
    const word = joint.search(/[\p{L}&+]/u)
    const isRule = !isTurned && rules.some((begin) => begin >= index && begin <= after)
    const begin = isTurned || word < 0 ? after : index + word
    const sign = /^\s*[.!?]+/.exec(joint)?.[0] ?? ''
    return { end: index + sign.length, begin, joint: joint.trim().toLowerCase(), isRule, isTurned }
  })
  return places
    .filter(
      ({ begin, end }) =>
        /[\p{L}\p{N}]/u.test(request.slice(begin)) && /[\p{L}\p{N}]/u.test(request.slice(0, end)),
    )
    .slice(0, MOST_PLACES)
}

/** Where the rules let a part begin. */
function ruleBegins(request: string): number[] {
  let from = 0
  const [, ...later] = clausesOf(request).map((clause) => {
    const begin = request.indexOf(clause, from)
    from = begin + clause.length
    return begin
  })
  return later
}

/** What speaks for a cut at one of the places, and against it. */
export function cutSigns(
  request: string,
  places: readonly PlaceToCut[],
  at: number,
  words: CutWords,
): Set<string> {
  const place = places[at]
  if (!place) return new Set()
  const cut = readCut(request, places, at, words)
  return new Set([
    ...joinSigns(place, cut),
    ...wordSigns(place, cut),
    `at:${Math.min(at, 5)}`,
    `places:${Math.min(places.length, 8)}`,
    `rules:${Math.min(3, places.filter((one) => one.isRule).length)} ${cut.rule}`,
    `colon:${/:\s/.test(cut.head)} ${cut.rule}`,
    `asked:${request.includes('?')} ${cut.rule}`,
    `open:${cut.head.split('(').length > cut.head.split(')').length}`,
  ])
}

/** A place with the words around it: those before and after up to the next places, all behind it, all of the request. */
type Cut = {
  readonly rule: 'rule' | 'turned' | 'none'
  readonly head: string
  readonly left: string
  readonly right: string
  readonly tail: string
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly rest: readonly string[]
  readonly all: readonly string[]
}

function readCut(
  request: string,
  places: readonly PlaceToCut[],
  at: number,
  { project, known }: CutWords,
): Cut {
  const { begin, end, isRule, isTurned } = places[at] ?? NOWHERE
  const left = request.slice(places[at - 1]?.begin ?? 0, end)
  const right = request.slice(begin, places[at + 1]?.end ?? request.length)
  const tail = request.slice(begin)
  const tokens = (text: string): readonly string[] => tokensOf(text, project, known).plain
  return {
    rule: isRule ? 'rule' : isTurned ? 'turned' : 'none',
    head: request.slice(0, end),
    left,
    right,
    tail,
    before: tokens(left),
    after: tokens(right),
    rest: tokens(tail),
    all: tokens(request),
  }
}

const NOWHERE: PlaceToCut = { begin: 0, end: 0, joint: '', isRule: false, isTurned: false }

/** How the two sides are joined, and whether each orders something. */
function joinSigns({ joint }: PlaceToCut, { rule, left, right, tail, before, after }: Cut): string[] {
  const orders = `${startsOrder(left) ? 'o' : '-'}${startsOrder(tail) ? 'o' : '-'}`
  const acts = `${ordersAct(left) ? 'a' : '-'}${ordersAct(right) ? 'a' : '-'}`
  const sides = `${shapeOf(before)}|${shapeOf(after)}`
  const length = (words: readonly string[]): number => Math.min(5, Math.floor(words.length / 3))
  return [
    `rule:${rule}`,
    `joint:${joint}`,
    `joint:${joint} ${rule}`,
    `orders:${orders}`,
    `orders:${orders} ${rule}`,
    `orders:${orders} joint:${joint}`,
    `acts:${acts}`,
    `acts:${acts} joint:${joint}`,
    `sides:${sides}`,
    `sides:${sides} ${rule}`,
    `sides:${sides} joint:${joint}`,
    `length:${length(after)}|${length(before)}`,
  ]
}

/** The words at the cut, and all of both sides. */
function wordSigns({ joint }: PlaceToCut, { rule, before, after, rest, all }: Cut): string[] {
  const firstOf = (words: readonly string[]): string => words.find((word) => !LINKS.has(word)) ?? ''
  const first = firstOf(rest)
  const last = before.at(-1) ?? ''
  return [
    `first:${first}`,
    `first:${first} joint:${joint}`,
    `first:${first} ${rule}`,
    `last:${last}`,
    `last:${last} first:${first}`,
    `last:${last} joint:${joint}`,
    `two:${rest.slice(0, 2).join(' ')}`,
    `three:${rest.slice(0, 3).join(' ')}`,
    `end:${before.slice(-2).join(' ')}`,
    `shape:${shapeOf(after)} first:${first}`,
    `begins:${all[0]} first:${first}`,
    `begins:${firstOf(before)} first:${first}`,
    ...before.map((word) => `l:${word}`),
    ...after.flatMap((word) => [`r:${word}`, `r:${word} ${rule}`]),
    ...after.slice(1).map((word, at) => `r2:${after[at]} ${word}`),
  ]
}

const LINKS = new Set(
  'and n & + plus then also but next please pls so , . ; : ( - – — > ! ? just now <line> )'.split(' '),
)

/** Which kinds of words stand in it. */
const shapeOf = (words: readonly string[]): string =>
  ['<file>', '<name>', '<number>', '<quote>', '<text>']
    .map((kind) => Math.min(2, words.filter((word) => word === kind).length))
    .join('')

/** How likely a cut must be that the rules do not make, and one that they make. */
const MADE = 0.4
const KEPT = 0.25

export const likelyCuts = (places: readonly PlaceToCut[], likely: readonly number[]): PlaceToCut[] =>
  places.filter(({ isRule }, at) => (likely[at] ?? 0) >= (isRule ? KEPT : MADE))

/** How likely a cut is at each of the places. */
export function cutShares(
  model: LinearModel,
  request: string,
  places: readonly PlaceToCut[],
  words: CutWords,
): number[] {
  const label = model.labels.indexOf('cut')
  return places.map((_, at) => likelihoods(model, cutSigns(request, places, at, words))[label] ?? 0)
}

/** The parts in the order in which they are to be done. `likely`: how likely a cut at each of the places is. */
export function partsAt(request: string, places: readonly PlaceToCut[], likely: readonly number[]): string[] {
  // "Before you build, set x to 5": the rules have turned it.
  if (halvesOf(request)) return clausesOf(request)
  const cuts = likelyCuts(places, likely)
  const parts = [undefined, ...cuts].map((cut, at) => ({
    text: request.slice(cut?.begin ?? 0, cuts[at]?.end ?? request.length).trim(),
    isTurned: cut?.isTurned === true,
  }))
  const order: string[] = []
  for (const { text, isTurned } of parts)
    if (isTurned) order.splice(-1, 0, text)
    else order.push(text)
  return order
}
