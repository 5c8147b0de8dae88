/** A stretch of a text, and what stands beside it. Pure. */

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
