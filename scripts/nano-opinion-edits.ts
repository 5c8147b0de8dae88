/** What the ranking of edits learns from: the edits of one line among the steps of the hands, each with its candidates. */
import { createPathIndex } from '../src/nano/paths/named.ts'
import {
  type EditAsk,
  type EditCandidate,
  editCandidates,
  type EditChoice,
  outcomeOf,
} from '../src/nano/edits/ranking.ts'
import type { LinearModel } from '../src/nano/opinion/linear.ts'
import type { HandRow, Step } from './nano-hands-run.ts'
import { partsOf } from './nano-opinion-hands.ts'
import { type RankingExample, trainRanking } from './nano-opinion-ranking.ts'

/** Each of `wanted` is right. */
export type EditExample = {
  readonly id: string
  readonly ask: EditAsk
  readonly wanted: ReadonlySet<string>
}

/** The edits of one line that the parts of a hand's requests begin with. */
export function editExamples(
  folder: Readonly<Record<string, string>>,
  rows: readonly HandRow[],
): EditExample[] {
  const texts = new Map(Object.entries(folder))
  const project = { texts, index: createPathIndex([...texts.keys()]) }
  return rows.flatMap((row) =>
    partsOf(row).flatMap(({ clause, steps, from }) => {
      const before = row.effect.slice(0, from)
      const edits = steps[0]?.do === 'edit' ? steps.filter((step) => step.do === 'edit') : []
      const wanted = new Set(edits.flatMap((step) => outcomesIn(texts, step, before)))
      const recent = before
        .flatMap((one) => [one['to'], one['path']])
        .filter((path) => typeof path === 'string')
        .toReversed()
      return wanted.size === 0 ? [] : [{ id: row.id, ask: { clause, project, recent }, wanted }]
    }),
  )
}

/** None where an earlier step changed the file. */
function outcomesIn(texts: ReadonlyMap<string, string>, step: Step, before: readonly Step[]): string[] {
  const isChanged = before.some((one) => one['path'] === step['path'] && one.do !== 'read')
  const edit = isChanged ? undefined : editOf(step, texts)
  return edit ? [outcomeOf(edit)] : []
}

/** The line that an edit changes; nothing where it changes several. */
export function editOf(
  { path, old, new: replacement, all }: Step,
  texts: ReadonlyMap<string, string>,
): EditChoice | undefined {
  const text = texts.get(String(path))
  if (text === undefined || all === true) return undefined
  const before = text.split('\n')
  const after = text.replace(String(old), () => String(replacement)).split('\n')
  const at = before.findIndex((line, index) => line !== after[index])
  if (at < 0) return undefined
  const rest = before.slice(at + 1).join('\n')
  const isSame = after.length === before.length && rest === after.slice(at + 1).join('\n')
  const isRemoved = after.length === before.length - 1 && rest === after.slice(at).join('\n')
  if (!isSame && !isRemoved) return undefined
  const line = { path: String(path), number: at + 1, before: (before[at] ?? '').trim() }
  return { ...line, after: isRemoved ? '' : (after[at] ?? '').trim() }
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
  const isRight = (one: EditCandidate): boolean => wanted.has(outcomeOf(one))
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
    ones.map((one) => ({ signs: [], shared: one.groups, isRight: isRight(one), offset })),
  )
}

/** Every so many-th of them, each for all that were left out. */
function drawOf(ones: readonly EditCandidate[], most: number): { ones: EditCandidate[]; offset: number } {
  const step = Math.max(1, ones.length / most)
  const isDrawn = (at: number): boolean => Math.floor(at / step) !== Math.floor((at - 1) / step)
  return { ones: ones.filter((_, at) => isDrawn(at)), offset: Math.log(step) }
}
