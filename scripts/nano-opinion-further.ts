/**
 * What the ranking of what follows learns from: chains with what was made so far for a part of them, and the step that comes next. The
 * changes of lines are ranked by a model that does not know their writer.
 */
import { createPathIndex } from '../src/nano/paths/named.ts'
import type { EditProject } from '../src/nano/edits/lines.ts'
import { outcomeOf, rankEdits } from '../src/nano/edits/ranking.ts'
import type { Further, FurtherAsk, MadeStep, RepeatedAction } from '../src/nano/further/ask.ts'
import { furtherCandidates } from '../src/nano/further/ranking.ts'
import type { LinearModel } from '../src/nano/opinion/linear.ts'
import { ranked, weigherOf } from '../src/nano/opinion/ranking.ts'
import type { Step } from './nano-hands-run.ts'
import { editExamples, editOf, trainEdits } from './nano-opinion-edits.ts'
import { type Part, partsOf, type Writer } from './nano-opinion-hands.ts'
import { type RankingExample, trainRanking } from './nano-opinion-ranking.ts'

const FOLDS = 2
/** Most single changes end a request; so many of them are enough. */
const EVERY_SINGLE = 3

export function trainFurther(writers: readonly Writer[]): LinearModel {
  function* examples(): Generator<RankingExample> {
    for (let fold = 0; fold < FOLDS; fold++) {
      const own = writers.filter((_, at) => at % FOLDS === fold)
      const others = writers.filter((_, at) => at % FOLDS !== fold)
      const edits = weigherOf(trainEdits(others.flatMap(({ folder, rows }) => editExamples(folder, rows))))
      for (const writer of own)
        for (const { ask, wanted } of furtherExamples(writer, edits))
          yield furtherCandidates(ask).map(({ next, signs }) => ({ signs, isRight: wanted(next) }))
    }
  }
  return trainRanking(examples(), { rounds: 10, rate: 0.1, decay: 1e-3, fewest: 3 })
}

type FurtherExample = {
  readonly ask: FurtherAsk
  readonly wanted: (next: Further) => boolean
}

/** How often what is found first is right, for a writer that nothing was learned from. */
export function furtherScore(
  writer: Writer,
  { edits, further }: { readonly edits: LinearModel; readonly further: LinearModel },
): { readonly right: number; readonly all: number; readonly repeats: number; readonly repeated: number } {
  const weigh = weigherOf(further)
  const examples = [...furtherExamples(writer, weigherOf(edits))]
  const found = examples.map(({ ask, wanted }) => {
    const [best] = ranked(furtherCandidates(ask), weigh)
    const isRepeat = furtherCandidates(ask).some(
      ({ next }) => next.kind !== 'stop' && next.kind !== 'ask' && wanted(next),
    )
    return { isRight: best !== undefined && wanted(best.next), isRepeat }
  })
  return {
    right: found.filter(({ isRight }) => isRight).length,
    all: found.length,
    repeated: found.filter(({ isRight, isRepeat }) => isRight && isRepeat).length,
    repeats: found.filter(({ isRepeat }) => isRepeat).length,
  }
}

type Weigh = (sign: string) => number

function* furtherExamples(writer: Writer, edits: Weigh): Generator<FurtherExample> {
  const texts = new Map(Object.entries(writer.folder))
  const known = { edits, project: { texts, index: createPathIndex([...texts.keys()]) } }
  for (const [at, row] of [...writer.rows, ...writer.said].entries()) {
    if (row.effect.length === 1 && at % EVERY_SINGLE !== 0) continue
    for (const part of partsOf(row)) {
      const recent = row.effect.slice(0, part.from).flatMap(pathsOf).toReversed()
      yield* examplesOf(part, writer, { ...known, recent })
    }
  }
}

type Known = { readonly edits: Weigh; readonly project: EditProject; readonly recent: readonly string[] }

/** One after each step that may be repeated. */
function examplesOf({ clause, steps, isLast }: Part, { project }: Writer, known: Known): FurtherExample[] {
  const made = steps.map((step) => madeOf(step, known.project.texts))
  const isEdit = made.some((step) => step.do === 'edit')
  const ranking = isEdit ? rankEdits({ clause, ...known }, known.edits).slice(0, MOST_EDITS) : []
  return made.flatMap((step, at) => {
    const ask = { clause, made: made.slice(0, at + 1), project, edits: ranking, isLast }
    return step.do === 'other' ? [] : [{ ask, wanted: wantedAfter(steps, made, at + 1) }]
  })
}

/** More are not looked at when a request is read, either. */
const MOST_EDITS = 24

const pathsOf = (step: Step): string[] =>
  [step['path'], step['to']].filter((path) => typeof path === 'string')

const REPEATED: ReadonlySet<string> = new Set('read list append delete copy move'.split(' '))

function madeOf(step: Step, texts: ReadonlyMap<string, string>): MadeStep {
  const path = step['from'] ?? step['path']
  if (REPEATED.has(step.do) && typeof path === 'string') return { do: step.do as RepeatedAction, path }
  const edit = step.do === 'edit' ? editOf(step, texts) : undefined
  return edit ? { do: 'edit', edit } : { do: 'other' }
}

function wantedAfter(
  steps: readonly Step[],
  made: readonly MadeStep[],
  done: number,
): (next: Further) => boolean {
  const next = steps[done]
  const last = steps[done - 1]
  const own = made[done]
  if (!next || !last || !own) return ({ kind }) => kind === 'stop'
  // The order in which several are made does not matter.
  const later = made.slice(done).filter((step, at) => isRepeat(steps[done + at], last) && step.do === own.do)
  const paths = later.flatMap((step) => (step.do === 'other' || step.do === 'edit' ? [] : [step.path]))
  const outcomes = new Set(later.flatMap((step) => (step.do === 'edit' ? [outcomeOf(step.edit)] : [])))
  if (!isRepeat(next, last) || own.do === 'other') return ({ kind }) => kind === 'ask'
  return (one) =>
    (one.kind === 'path' && paths.some((path) => plain(path) === plain(one.path))) ||
    (one.kind === 'edit' && outcomes.has(outcomeOf(one.edit)))
}

const plain = (path: string): string => path.toLowerCase().replace(/\/+$/, '')
const folderOf = (path: unknown): string => String(path).replace(/\/?[^/]*$/, '')

/** The same with another object: a copy or a move into the same folder, the same line at the end of another file. */
function isRepeat(step: Step | undefined, last: Step): boolean {
  if (!step || step.do !== last.do) return false
  if (step.do === 'append') return step['content'] === last['content']
  if (step.do === 'copy' || step.do === 'move')
    return folderOf(step['to']) === folderOf(last['to']) && isOwnName(step) && isOwnName(last)
  return true
}

const isOwnName = ({ from, to }: Step): boolean =>
  String(from).split('/').at(-1) === String(to).split('/').at(-1)
