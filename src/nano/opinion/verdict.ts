/**
 * Which action is taken, after both have spoken: the linear classifier and nano. Nano's own confidence says little about requests of
 * writers it does not know, so how far each is to be believed is learned from such requests, by trees (decision 0026). Pure.
 */
import type { Reason } from '../weights/format.ts'
import { type Action, ACTIONS, isLook, type Opinion } from './action.ts'
import { chanceOf, type TreeModel } from './trees.ts'

/** What nano said to a request. */
export type NanoSaid = {
  /** Nothing for a call the requests by hand have no word for. */
  readonly action: Action | undefined
  /** Why it refuses. */
  readonly reason?: Reason
  /** Of its choices, the least certain. */
  readonly sure: number
  /** What the words have of questions, prohibitions, later times and conditions. */
  readonly moods: readonly string[]
  /** Where they stand, and how the request orders something. */
  readonly places: readonly string[]
}

/** How likely each action is right, the likeliest first. Several may be: what is in a folder can be listed or found. */
export const verdictShares = (
  model: TreeModel,
  opinion: Opinion,
  said: NanoSaid,
): { readonly action: Action; readonly share: number }[] =>
  verdictFeatures(opinion, said, model.names)
    .map(({ action, features }) => ({ action, share: chanceOf(model, features) }))
    .toSorted((a, b) => b.share - a.share)

/** What the words and nano's refusal have, by names. */
export const namesOf = ({ moods, places, reason }: NanoSaid): string[] => [
  ...moods,
  ...places,
  ...(reason === undefined ? [] : [`reason:${reason}`]),
]

/** For each action what both say of all of them, then what they say of this one. */
export function verdictFeatures(
  opinion: Opinion,
  said: NanoSaid,
  names: readonly string[],
): { readonly action: Action; readonly features: readonly number[] }[] {
  const shares = ACTIONS.map((action) => opinion.get(action) ?? 0)
  const ranked = shares.toSorted((a, b) => b - a)
  const there = new Set(namesOf(said))
  const all = [
    ...shares.map(logit),
    ...ACTIONS.map((action) => Number(said.action === action)),
    Number(said.action === undefined),
    logit(said.sure),
    ...names.map((name) => Number(there.has(name))),
  ]
  return ACTIONS.map((action, at) => {
    const share = shares[at] ?? 0
    const kind = kindOf(action)
    const own = [
      logit(share),
      ranked.indexOf(share),
      Number(said.action === action),
      ...KINDS.map((one) => Number(one === kind)),
      at,
    ]
    return { action, features: [...all, ...own] }
  })
}

const KINDS = ['no', 'look', 'act'] as const

const kindOf = (action: Action): (typeof KINDS)[number] =>
  action === 'no' ? 'no' : isLook(action) ? 'look' : 'act'

const LEAST = 1e-6

function logit(share: number): number {
  const inside = Math.min(1 - LEAST, Math.max(LEAST, share))
  return Math.log(inside / (1 - inside))
}
