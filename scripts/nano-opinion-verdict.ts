/**
 * How far nano and the linear classifier are to be believed, learned from what nano said to requests of writers that its weights do not
 * know (nano/hands/replies.jsonl, written by `npm run nano:hands -- --replies`). The classifier must not know them either: it is trained once for each
 * third of these writers, without it.
 */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { saidBy } from '../src/nano/ask.ts'
import { actionOpinion, type Opinion } from '../src/nano/opinion/action.ts'
import type { LinearModel } from '../src/nano/opinion/linear.ts'
import type { TreeModel } from '../src/nano/opinion/trees.ts'
import { signsOf } from '../src/nano/opinion/signs.ts'
import { type NanoSaid, namesOf, verdictFeatures } from '../src/nano/opinion/verdict.ts'
import type { HandRow } from './nano-hands-run.ts'
import type { Writer } from './nano-opinion-hands.ts'
import { trainTrees } from './nano-opinion-trees.ts'

const REPLIES = fileURLToPath(new URL('../nano/hands/replies.jsonl', import.meta.url))
const FOLDS = 3

/** What nano said first to a request, by its id. */
export type StoredReply = { readonly id: string; readonly text: string; readonly sure: number }

export type TrainedActions = { readonly known: ReadonlySet<string>; readonly actions: LinearModel }

export function trainVerdict(
  writers: readonly Writer[],
  trainActions: (writers: readonly Writer[]) => TrainedActions,
): TreeModel {
  const replies = loadReplies()
  const unknown = writers.filter(({ rows }) => rows.some(({ id }) => replies.has(id)))
  const all = Array.from({ length: FOLDS }, (_, fold) => {
    const held = unknown.filter((__, at) => at % FOLDS === fold)
    const trained = trainActions(writers.filter((writer) => !held.includes(writer)))
    return held.flatMap((writer) => heardOf(writer, trained, replies))
  }).flat()
  const names = usualNames(all.map(({ said }) => said))
  const examples = all.flatMap(({ opinion, said, right }) =>
    verdictFeatures(opinion, said, names).map(({ action, features }) => ({
      features,
      isRight: right.has(action),
    })),
  )
  return { names, ...trainTrees(examples) }
}

/** What fewer requests have is an accident. */
const FEWEST = 40

function usualNames(all: readonly NanoSaid[]): string[] {
  const counts = new Map<string, number>()
  for (const name of all.flatMap(namesOf)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].flatMap(([name, count]) => (count >= FEWEST ? [name] : [])).toSorted()
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

type Heard = { readonly opinion: Opinion; readonly said: NanoSaid; readonly right: ReadonlySet<string> }

const heardOf = (
  { rows, project }: Writer,
  { known, actions }: TrainedActions,
  replies: ReadonlyMap<string, StoredReply>,
): Heard[] =>
  rows.flatMap((row) => {
    const reply = replies.get(row.id)
    if (!reply) return []
    const opinion = actionOpinion(actions, signsOf(row.request, { project, known }))
    const said = saidBy({ text: reply.text, confidences: [reply.sure] }, row.request)
    return [{ opinion, said, right: firstActions(row) }]
  })

/** Without those that only lead there: to read a file before it is changed is right, but no other reading of the request. */
function firstActions(row: HandRow): Set<string> {
  return rightActions({ ...row, also: row.also.filter(({ length }) => length <= row.effect.length) })
}

/** Where something is to be done, doing nothing is not right, whatever else may be. */
export function rightActions({ effect, also }: HandRow): Set<string> {
  const first = [effect, ...also].map(([step]) => step?.do ?? 'no')
  return new Set(effect.length === 0 ? first : first.filter((action) => action !== 'no'))
}
