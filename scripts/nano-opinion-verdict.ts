/**
 * How far nano and the linear classifier are to be believed, learned from what nano said to requests of writers that its weights do not
 * know (nano/hands/replies.jsonl, written by `npm run nano:hands -- --replies`). The classifier must not know them either: it is trained once for each
 * third of these writers, without it.
 */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { saidBy } from '../src/embedded/nano/ask.ts'
import { actionOpinion } from '../src/embedded/opinion/action.ts'
import type { LinearModel } from '../src/embedded/opinion/linear.ts'
import { signsOf } from '../src/embedded/opinion/signs.ts'
import { verdictCandidates } from '../src/embedded/opinion/verdict.ts'
import type { HandRow } from './nano-hands-run.ts'
import type { Writer } from './nano-opinion-hands.ts'
import { type RankingExample, trainRanking } from './nano-opinion-ranking.ts'

const REPLIES = fileURLToPath(new URL('../nano/hands/replies.jsonl', import.meta.url))
const FOLDS = 3

/** What nano said first to a request, by its id. */
export type StoredReply = { readonly id: string; readonly text: string; readonly sure: number }

export type TrainedActions = { readonly known: ReadonlySet<string>; readonly actions: LinearModel }

export function trainVerdict(
  writers: readonly Writer[],
  trainActions: (writers: readonly Writer[]) => TrainedActions,
): LinearModel {
  const replies = loadReplies()
  const unknown = writers.filter(({ rows }) => rows.some(({ id }) => replies.has(id)))
  const examples = Array.from({ length: FOLDS }, (_, fold) => {
    const held = unknown.filter((__, at) => at % FOLDS === fold)
    const trained = trainActions(writers.filter((writer) => !held.includes(writer)))
    return held.flatMap((writer) => examplesOf(writer, trained, replies))
  })
  return trainRanking(examples.flat(), { rounds: 20, rate: 0.05, decay: 3e-3 })
}

function loadReplies(): ReadonlyMap<string, StoredReply> {
  const lines = existsSync(REPLIES) ? readFileSync(REPLIES, 'utf8').trim().split('\n') : []
  return new Map(
    lines.flatMap((line) => {
      const reply = JSON.parse(line) as StoredReply
      return reply.text ? [[reply.id, reply]] : []
    }),
  )
}

const examplesOf = (
  { rows, project }: Writer,
  { known, actions }: TrainedActions,
  replies: ReadonlyMap<string, StoredReply>,
): RankingExample[] =>
  rows.flatMap((row) => {
    const said = replies.get(row.id)
    if (!said) return []
    const opinion = actionOpinion(actions, signsOf(row.request, { project, known }))
    const right = rightActions(row)
    return [
      verdictCandidates(opinion, saidBy({ text: said.text, confidences: [said.sure] }, row.request)).map(
        ({ action, signs }) => ({ signs, isRight: right.has(action) }),
      ),
    ]
  })

/** Where something is to be done, doing nothing is not right, whatever else may be. */
export function rightActions({ effect, also }: HandRow): Set<string> {
  const first = [effect, ...also].map(([step]) => step?.do ?? 'no')
  return new Set(effect.length === 0 ? first : first.filter((action) => action !== 'no'))
}
