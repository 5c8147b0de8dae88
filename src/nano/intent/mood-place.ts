/**
 * Where the signs of mood stand, as to what is ordered: in the same clause, before or behind it, in another sentence. "The photos come
 * tomorrow, make a folder" orders something now, "make a folder tomorrow" does not. Evidence for the trained verdict, no judgement. Pure.
 */
import { around, type MoodMatch, moodMatches } from './mood.ts'
import { isImperative, ordersAct } from './order.ts'
import type { NanoCall } from '../steps/run.ts'

/** Each sign with its place, and how the request orders or wishes something. */
export function moodPlaces(call: NanoCall, request: string): string[] {
  const words = around(call, request)
  const clauses = clausesIn(words)
  const found = moodMatches(words, call).map((match) => `${match.mood} ${placeOf(match, clauses)}`)
  return [...new Set([...found, ...orderSigns(words, clauses)])]
}

type Clause = {
  readonly from: number
  readonly to: number
  readonly sentence: number
  readonly orders: boolean
}

const BREAK = /(?<full>[.!?;]+(?=\s|$)|\n+)|,(?=\s)|\s[-–—]+\s|:\s|\s(?:so|but|and|then)(?=\s)/gu

function clausesIn(words: string): Clause[] {
  const breaks = [...words.matchAll(BREAK), undefined]
  let from = 0
  let sentence = 0
  return breaks.map((found) => {
    const to = found ? found.index + found[0].length : words.length
    const part = words.slice(from, to)
    const clause = { from, to, sentence, orders: ordersAct(part) || isImperative(part) }
    from = to
    if (found?.groups?.['full'] !== undefined) sentence++
    return clause
  })
}

/** As to the next order: to the one behind it where there is one on both sides. */
function placeOf({ at }: MoodMatch, clauses: readonly Clause[]): string {
  const own = clauses.findIndex(({ to }) => at < to)
  const here = clauses[own]
  if (!here) return 'nowhere'
  if (here.orders) return 'within'
  const next = clauses.slice(own + 1).find(({ orders }) => orders)
  const last = clauses.slice(0, own).findLast(({ orders }) => orders)
  if (!next && !last) return 'unordered'
  const isNear = (clause: Clause | undefined): boolean => clause?.sentence === here.sentence
  if (isNear(next)) return 'before'
  if (isNear(last)) return 'behind'
  return next ? 'sentence before' : 'sentence behind'
}

const WISHED =
  /\b(?:should|must|needs? (?:to|a)|has to|have to|ought to|supposed to|i(?:'d| would) like|i (?:want|need)|we (?:want|need)|pls|plz|please|kindly|make sure|let's|lets)\b/u

/** How it opens, where an order stands, and how it ends. */
function orderSigns(words: string, clauses: readonly Clause[]): string[] {
  const first = clauses.findIndex(({ orders }) => orders)
  const place = first < 0 ? 'none' : first === 0 ? 'opens' : 'later'
  const isWished = WISHED.test(words)
  const end = /\?\W*$/u.test(words) ? 'asks' : 'tells'
  return [
    `order ${place}`,
    `order ${place} ${end}`,
    `order ${place} ${end} ${isWished ? 'wished' : 'plain'}`,
    `sentences ${Math.min(3, (clauses.at(-1)?.sentence ?? 0) + 1)} ${place}`,
  ]
}
