/** A stretch of a text, what it is made of, and what stands beside it. Pure. */
import { shapeOf } from './shape.ts'
import { wordsIn } from './tokens.ts'

export type Part = {
  readonly start: number
  readonly end: number
  readonly text: string
  /** What the ranking judges it by. */
  readonly signs: readonly string[]
}

export const wordBefore = (text: string, at: number): string =>
  /(\S+)[\s"'“‘`(]*$/
    .exec(text.slice(Math.max(0, at - 40), at))?.[1]
    ?.toLowerCase()
    .slice(0, 14)
    .replace(/^["'“‘(]+/, '') ?? '^'

export const wordAfter = (text: string, at: number): string =>
  /^["'”’`).]*[\s]*(\S+)/
    .exec(text.slice(at, at + 40))?.[1]
    ?.toLowerCase()
    .slice(0, 14)
    .replace(/["'”’).,;!?]+$/, '') ?? '$'

/** Whether it is torn out of a number, a date or a name: `34` of `+45 20 11 87 34`. */
export const isCut = (text: string, start: number, end: number): boolean =>
  (/\d/.test(text[start] ?? '') &&
    /\d[ .:/-]?$|[A-Za-z_]$/.test(text.slice(Math.max(0, start - 3), start))) ||
  (/\d/.test(text[end - 1] ?? '') && /^[ .:/-]?\d|^[A-Za-z_]/.test(text.slice(end, end + 2)))

/** What is asked of a part again and again. */
export type Look = {
  readonly lower: string
  readonly shape: string
  /** How many. */
  readonly words: number
  readonly first: string
  /** The signs it begins and ends with: `:debug` is replaced by `:info`, a sentence by a sentence. */
  readonly edges: string
  readonly number: number | undefined
}

export function lookOf(text: string): Look {
  const words = wordsIn(text)
  const edges = (/^[^\p{L}\p{N}\s]+/u.exec(text)?.[0] ?? '') + (/[^\p{L}\p{N}\s)]+$/u.exec(text)?.[0] ?? '')
  return {
    lower: text.toLowerCase(),
    shape: shapeOf(text),
    words: words.length,
    first: words[0] ?? '',
    edges,
    number: numberIn(text),
  }
}

function numberIn(text: string): number | undefined {
  const [, digits] = /^[£$€¥~]?\s?(\d[\d.,]*)\s?[\p{L}%°]{0,3}$/u.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits.replace(/,(?=\d{3})/, '').replace(',', '.'))
}
