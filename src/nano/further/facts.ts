/** What of a clause and of what was made for it the signs of a next step go by. Pure. */
import { type Said, saidIn } from '../paths/fit.ts'
import type { FurtherAsk, FurtherCandidate, MadeStep } from './ask.ts'

export type Facts = {
  readonly clause: string
  readonly said: Said
  readonly action: MadeStep['do']
  readonly made: number
  /** How many are spoken of, and whether that many are done. */
  readonly need: string
  /** Words that join what is spoken of, without those behind what was done. */
  readonly joins: number
  readonly verbs: number
  readonly isLast: boolean
  readonly done: readonly string[]
}

export function factsOf({ clause, made, isLast }: FurtherAsk): Facts {
  const plain = clause.replaceAll(QUOTED, ' … ')
  return {
    clause,
    said: saidIn(clause.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')),
    action: made.at(-1)?.do ?? 'other',
    made: Math.min(4, made.length),
    need: needOf(plain, made.length),
    joins: Math.min(3, plain.match(JOINS)?.length ?? 0),
    verbs: Math.min(3, plain.match(VERBS)?.length ?? 0),
    isLast,
    done: made.flatMap((step) =>
      step.do === 'other' ? [] : [step.do === 'edit' ? step.edit.path : step.path],
    ),
  }
}

const QUOTED = /"[^"\n]*"|“[^”\n]*”|`[^`\n]*`|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])/gu
const JOINS = /,(?=\s)|;|\n|\s(?:and|&|\+|plus|n)\s|\b(?:as well as|as well|also|too)\b/gi
const VERBS =
  /\b(?:add|append|put|write|note|create|make|copy|duplicate|move|rename|delete|remove|bin|drop|change|replace|swap|set|turn|raise|lower|bump|mark|tick|run|build|test|lint|show|list|open|read|see|look|find|search|check|fix|correct|take|goes?|gets?|becomes?|should|must)\b/gi

const COUNTS: readonly (readonly [RegExp, number])[] = [
  [/\b(?:both|two|2)\b/i, 2],
  [/\b(?:three|3)\b/i, 3],
  [/\b(?:four|4)\b/i, 4],
  [/\b(?:five|5)\b/i, 5],
]
export const ALL = /\b(?:all|every|each|everywhere|them|these|those|whole|rest|others?)\b/i

function needOf(clause: string, made: number): string {
  const count = COUNTS.find(([word]) => word.test(clause))?.[1]
  if (count !== undefined) return made < count ? 'short' : 'met'
  return ALL.test(clause) ? 'all' : 'none'
}

export type Scored = FurtherCandidate & {
  /** How well it fits the words, compared with what was done. */
  readonly worth: number
  /** Words name it that name nothing that was done. */
  readonly isFresh: boolean
}

/** As good as what was done is 0. */
export const GAPS = [-3, -2, -1.2, -0.7, -0.3, -0.01, 0.3, 0.8]

/** How many of what is spoken of are open. */
export const openOf = ({ joins, made }: Facts): number => Math.min(3, joins - made + 1)

/** Each sign by itself, for this action, and beside what is open. */
export const withAction = (signs: readonly string[], facts: Facts): string[] =>
  signs.flatMap((sign) => [
    sign,
    `${facts.action} ${sign}`,
    `${sign} need:${facts.need}`,
    `${sign} open:${openOf(facts)}`,
  ])

export const bucket = (value: number, edges: readonly number[]): number =>
  edges.filter((edge) => value >= edge).length
