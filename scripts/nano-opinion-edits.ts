/** What the ranking of edits learns from: the edits of one line among the steps of the hands, each with its candidates. */
import { clausesOf } from '../src/embedded/nano/clauses.ts'
import { createPathIndex } from '../src/embedded/nano/paths.ts'
import {
  type EditAsk,
  type EditCandidate,
  editCandidates,
  outcomeOf,
} from '../src/embedded/opinion/edit-ranking.ts'
import type { LinearModel } from '../src/embedded/opinion/linear.ts'
import type { HandRow, Step } from './nano-hands-run.ts'
import { type RankingExample, trainRanking } from './nano-opinion-ranking.ts'

export type EditExample = { readonly id: string; readonly ask: EditAsk; readonly wanted: string }

/** The edits of one line among the steps of a hand, with the clause that asks for each. */
export function editExamples(
  folder: Readonly<Record<string, string>>,
  rows: readonly HandRow[],
): EditExample[] {
  const texts = new Map(Object.entries(folder))
  const project = { texts, index: createPathIndex([...texts.keys()]) }
  return rows.flatMap(({ id, request, effect }) => {
    const clauses = clausesOf(request)
    if (effect.length !== 1 && clauses.length !== effect.length) return []
    return effect.flatMap((step, at) => {
      const before = effect.slice(0, at)
      const wanted = step.do === 'edit' ? outcomeIn(texts, step, before) : undefined
      const clause = effect.length === 1 ? request : (clauses[at] ?? '')
      const recent = before
        .flatMap((one) => [one['to'], one['path']])
        .filter((path) => typeof path === 'string')
        .toReversed()
      return wanted === undefined ? [] : [{ id, ask: { clause, project, recent }, wanted }]
    })
  })
}

/** Nothing where more than one line changes, or an earlier step changed the file. */
function outcomeIn(
  texts: ReadonlyMap<string, string>,
  step: Step,
  before: readonly Step[],
): string | undefined {
  const path = String(step['path'])
  const text = texts.get(path)
  if (
    text === undefined ||
    step['all'] === true ||
    before.some((one) => one['path'] === path && one.do !== 'read')
  )
    return undefined
  const old = text.split('\n')
  const now = text.replace(String(step['old']), () => String(step['new'])).split('\n')
  const at = old.findIndex((line, index) => line !== now[index])
  if (at < 0) return undefined
  const isSame = now.length === old.length && old.slice(at + 1).join('\n') === now.slice(at + 1).join('\n')
  const isRemoved = now.length === old.length - 1 && old.slice(at + 1).join('\n') === now.slice(at).join('\n')
  if (!isSame && !isRemoved) return undefined
  return outcomeOf({ path, number: at + 1, before: '', after: isRemoved ? '' : (now[at] ?? '').trim() })
}

/** There are thousands of candidates for each; so many of the wrong ones are enough. Those of the right line are the hardest. */
const MOST_BESIDE = 300
const MOST_ELSEWHERE = 400
const FEWEST_EDITS = 3

export function trainEdits(examples: readonly EditExample[]): LinearModel {
  let reached = 0
  function* drawn(): Generator<RankingExample> {
    for (const example of examples) {
      const candidates = drawnCandidates(example)
      reached += Number(candidates.length > 0)
      yield candidates
    }
  }
  const model = trainRanking(drawn(), { mostWrong: Infinity, fewest: FEWEST_EDITS })
  console.log(`${reached} of ${examples.length} edits are within reach`)
  return model
}

/** None where the right one is not among the candidates. */
function drawnCandidates({ ask, wanted }: EditExample): RankingExample {
  const candidates = editCandidates(ask)
  const isRight = (one: EditCandidate): boolean => outcomeOf(one) === wanted
  const right = candidates.filter(isRight)
  if (right.length === 0) return []
  const isBeside = ({ path, number }: EditCandidate): boolean =>
    right.some((one) => one.path === path && one.number === number)
  const wrong = candidates.filter((one) => !isRight(one))
  const drawn = [
    { ones: right, offset: 0 },
    drawOf(wrong.filter(isBeside), MOST_BESIDE),
    drawOf(
      wrong.filter((one) => !isBeside(one)),
      MOST_ELSEWHERE,
    ),
  ]
  return drawn.flatMap(({ ones, offset }) =>
    ones.map((one) => ({ signs: one.groups.flat(), isRight: isRight(one), offset })),
  )
}

/** Every so many-th of them, each for all that were left out. */
function drawOf(ones: readonly EditCandidate[], most: number): { ones: EditCandidate[]; offset: number } {
  const step = Math.max(1, ones.length / most)
  const isDrawn = (at: number): boolean => Math.floor(at / step) !== Math.floor((at - 1) / step)
  return { ones: ones.filter((_, at) => isDrawn(at)), offset: Math.log(step) }
}
