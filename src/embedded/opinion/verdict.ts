/**
 * Which action is taken, after both have spoken: the linear classifier and nano. Nano's own confidence says little about requests of
 * writers it does not know, so how far each is to be believed is learned from such requests. Pure.
 */
import type { Reason } from '../nano/format.ts'
import { type Action, ACTIONS, type Opinion } from './action.ts'

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

export type VerdictCandidate = { readonly action: Action; readonly signs: readonly string[] }

export const verdictCandidates = (opinion: Opinion, said: NanoSaid): VerdictCandidate[] => {
  const best = Math.max(...opinion.values())
  return ACTIONS.map((action) => ({ action, signs: signsOf(action, { opinion, said, best }) }))
}

type Heard = { readonly opinion: Opinion; readonly said: NanoSaid; readonly best: number }

function signsOf(action: Action, { opinion, said, best }: Heard): string[] {
  const share = opinion.get(action) ?? 0
  const kind = kindOf(action)
  const likely = `share:${level(share)}`
  const nano = saidOf(action, said)
  return [
    likely,
    `${kind} ${likely}`,
    ...(share === best ? [`best`, `${kind} best`] : []),
    nano,
    `${nano} sure:${level(said.sure)}`,
    `${kind} ${nano} ${likely}`,
    ...(action === said.action ? [`is ${action} sure:${level(said.sure)}`] : []),
    ...said.moods.flatMap((mood) => [
      `${kind} ${mood}`,
      `${nano} ${mood}`,
      `${kind} ${likely} ${mood}`,
      `${nano} sure:${level(said.sure)} ${mood}`,
    ]),
    ...said.places.flatMap((place) => [`${kind} ${place}`, `${nano} ${place}`]),
    ...(said.action === 'no' ? [`${kind} reason:${said.reason ?? ''} sure:${level(said.sure)}`] : []),
  ]
}

function saidOf(action: Action, { action: nano }: NanoSaid): string {
  if (nano === undefined) return `${kindOf(action)} said:other`
  return nano === action ? `${kindOf(action)} said` : `${kindOf(action)} said:${kindOf(nano)}`
}

const LOOKS: ReadonlySet<string> = new Set(['find', 'list', 'read', 'search'])

const kindOf = (action: Action): string => (action === 'no' ? 'no' : LOOKS.has(action) ? 'look' : 'act')

const LEVELS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97, 0.99]

const level = (share: number): number => LEVELS.filter((least) => share >= least).length
