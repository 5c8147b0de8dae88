/**
 * Where a request of several steps falls into its parts, in the opinion of a linear classifier that was trained on the chains by hand. The
 * cuts that the rules make (`nano/clauses.ts`) are a sign among others: "lint test build, in that order" and "off todo, onto done" have no
 * word that the rules know. Pure.
 */
import { clausesOf, startsOrder } from '../nano/clauses.ts'
import { halvesOf } from '../nano/backwards.ts'
import { ordersAct } from '../nano/order.ts'
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

export function placesToCut(request: string): PlaceToCut[] {
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
  { project, known }: CutWords,
): Set<string> {
  const place = places[at]
  if (!place) return new Set()
  const { joint, isRule, isTurned } = place
  const left = request.slice(places[at - 1]?.begin ?? 0, place.end)
  const right = request.slice(place.begin, places[at + 1]?.end ?? request.length)
  const tokens = (text: string): string[] => [...tokensOf(text, project, known).plain]
  const before = tokens(left)
  const after = tokens(right)
  const rest = tokens(request.slice(place.begin))
  const all = tokens(request)
  const rule = isRule ? 'rule' : isTurned ? 'turned' : 'none'
  const isOrder = startsOrder(request.slice(place.begin))
  const wasOrder = startsOrder(left)
  const orders = `${wasOrder ? 'o' : '-'}${isOrder ? 'o' : '-'}`
  const acts = `${ordersAct(left) ? 'a' : '-'}${ordersAct(right) ? 'a' : '-'}`
  const first = rest.find((word) => !LINKS.has(word)) ?? ''
  const last = before.at(-1) ?? ''
  const sides = `${shapeOf(before)}|${shapeOf(after)}`
  const signs = new Set([
    `rule:${rule}`,
    `joint:${joint}`,
    `joint:${joint} ${rule}`,
    `orders:${orders}`,
    `orders:${orders} ${rule}`,
    `orders:${orders} joint:${joint}`,
    `acts:${acts}`,
    `acts:${acts} joint:${joint}`,
    `first:${first}`,
    `first:${first} joint:${joint}`,
    `first:${first} ${rule}`,
    `last:${last}`,
    `last:${last} first:${first}`,
    `last:${last} joint:${joint}`,
    `two:${rest.slice(0, 2).join(' ')}`,
    `three:${rest.slice(0, 3).join(' ')}`,
    `end:${before.slice(-2).join(' ')}`,
    `sides:${sides}`,
    `sides:${sides} ${rule}`,
    `sides:${sides} joint:${joint}`,
    `shape:${shapeOf(after)} first:${first}`,
    `begins:${all[0]} first:${first}`,
    `begins:${before.find((word) => !LINKS.has(word)) ?? ''} first:${first}`,
    `at:${Math.min(at, 5)}`,
    `places:${Math.min(places.length, 8)}`,
    `rules:${Math.min(3, places.filter((one) => one.isRule).length)} ${rule}`,
    `colon:${/:\s/.test(request.slice(0, place.end))} ${rule}`,
    `asked:${request.includes('?')} ${rule}`,
    `length:${Math.min(5, Math.floor(after.length / 3))}|${Math.min(5, Math.floor(before.length / 3))}`,
    `open:${request.slice(0, place.end).split('(').length > request.slice(0, place.end).split(')').length}`,
  ])
  for (const word of new Set(before)) signs.add(`l:${word}`)
  for (const word of new Set(after)) signs.add(`r:${word}`)
  for (const word of new Set(after)) signs.add(`r:${word} ${rule}`)
  for (let from = 0; from + 1 < after.length; from++) signs.add(`r2:${after[from]} ${after[from + 1]}`)
  return signs
}

const LINKS = new Set([
  ...'and n & + plus then also but next please pls so , . ; : ( - – — > ! ? just now <line> )'.split(' '),
])

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
