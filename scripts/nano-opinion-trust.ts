/**
 * How likely a call is meant, learned from calls for a client of the API (nano/hands/guesses.jsonl, written by `npm run nano:hands -- --api --guesses`): for
 * writers that neither the weights nor the rankings of that time knew.
 */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { LinearModel } from '../src/nano/opinion/linear.ts'
import { type Grounds, trustCandidates } from '../src/nano/opinion/trust.ts'
import type { Writer } from './nano-opinion-hands.ts'
import { trainRanking } from './nano-opinion-ranking.ts'

const GUESSES = fileURLToPath(new URL('../nano/hands/guesses.jsonl', import.meta.url))

/** What was known of a call for the request with this id, and whether it was one of its steps. */
export type StoredGuess = { readonly id: string; readonly isRight: boolean } & Grounds

export function trainTrust(writers: readonly Writer[]): LinearModel {
  const ids = new Set(writers.flatMap(({ rows }) => rows.map(({ id }) => id)))
  const guesses = loadGuesses().filter(({ id }) => ids.has(id))
  return trainRanking(guesses.map(toExample), { rounds: 20, rate: 0.05, decay: 3e-3 })
}

const toExample = ({ isRight, ...grounds }: StoredGuess): ReturnType<typeof trustCandidates> =>
  trustCandidates(grounds).map(({ isRight: isCall, signs }) => ({ isRight: isCall === isRight, signs }))

const loadGuesses = (): StoredGuess[] =>
  (existsSync(GUESSES) ? readFileSync(GUESSES, 'utf8').split('\n') : []).flatMap((line) =>
    line === '' ? [] : [JSON.parse(line) as StoredGuess],
  )
