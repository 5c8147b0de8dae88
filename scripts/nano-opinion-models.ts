/** How each of the models that give a second opinion is trained, from the writers that are not held out. */
import { clausesOf } from '../src/nano/request/clauses.ts'
import type { LinearModel } from '../src/nano/opinion/linear.ts'
import type { OpinionModels } from '../src/nano/opinion/load.ts'
import { signsOf } from '../src/nano/opinion/signs.ts'
import { wordsIn } from '../src/nano/opinion/tokens.ts'
import { commandExample, pathExample, targetExample, textExample } from './nano-opinion-arguments.ts'
import { contentExample, contentVariants } from './nano-opinion-contents.ts'
import { trainCuts } from './nano-opinion-cuts.ts'
import { editExamples, trainEdits } from './nano-opinion-edits.ts'
import { trainFurther } from './nano-opinion-further.ts'
import { type AskedStep, stepsOf, type Writer } from './nano-opinion-hands.ts'
import { type RankingExample, type RankingOptions, trainRanking } from './nano-opinion-ranking.ts'
import { type Example, trainLinear } from './nano-opinion-train.ts'
import { trainTrust } from './nano-opinion-trust.ts'
import { type TrainedActions, trainVerdict } from './nano-opinion-verdict.ts'

export type ModelName = Exclude<keyof OpinionModels, 'known'>

/** Those that take longest come first. */
export const TRAINERS: {
  readonly [Name in ModelName]: (writers: readonly Writer[]) => OpinionModels[Name]
} = {
  edits: (writers) =>
    trainEdits(writers.flatMap(({ folder, rows, said }) => editExamples(folder, [...rows, ...said]))),
  further: trainFurther,
  verdict: (writers) => trainVerdict(writers, trainActions),
  paths: (writers) => trainArgument(writers, pathExample),
  texts: (writers) => trainArgument(writers, textExample),
  contents: (writers) =>
    trainArgument(writers, contentExample, { fewest: 3, mostWrong: 200 }, contentVariants),
  commands: (writers) =>
    trainArgument(writers, commandExample, { rounds: 10, fewest: 4, rate: 0.08, decay: 3e-3 }),
  targets: (writers) => trainArgument(writers, targetExample),
  actions: (writers) => trainActions(writers).actions,
  cuts: (writers) => trainCuts(writers, knownWords(writers)),
  trust: trainTrust,
}

export type ArgumentExample = (step: AskedStep) => RankingExample | undefined

/** One example at a time: all of them together need more memory than a process gets. */
function trainArgument(
  writers: readonly Writer[],
  exampleOf: ArgumentExample,
  options?: RankingOptions,
  variantsOf: (step: AskedStep) => readonly AskedStep[] = (step) => [step],
): LinearModel {
  function* examples(): Generator<RankingExample> {
    for (const writer of writers)
      for (const step of stepsOf(writer, [...writer.rows, ...writer.said]).flatMap(variantsOf)) {
        const example = exampleOf(step)
        if (example) yield example
      }
  }
  return trainRanking(examples(), options)
}

function trainActions(writers: readonly Writer[]): TrainedActions {
  const known = knownWords(writers)
  const examples = writers.flatMap((writer) => actionExamples(writer, known))
  return { known, actions: trainLinear(examples, { rounds: 8, rate: 0.3, decay: 1e-5 }) }
}

/** A word that so many writers use is no name of one project. */
const FEWEST_WRITERS = 6

export function knownWords(writers: readonly Writer[]): Set<string> {
  const users = new Map<string, Set<string>>()
  for (const { name, rows, said } of writers)
    for (const word of [...rows, ...said].flatMap(({ request }) => wordsIn(request)))
      users.set(word, (users.get(word) ?? new Set()).add(name))
  return new Set([...users].filter(([, names]) => names.size >= FEWEST_WRITERS).map(([word]) => word))
}

/** A later part tells less of how people begin. */
const LATER_WEIGHT = 0.7

function actionExamples(
  { name: writer, rows, said, project }: Writer,
  known: ReadonlySet<string>,
): Example[] {
  return [...rows, ...said].flatMap(({ request, effect }) => {
    const clauses = clausesOf(request)
    const later = clauses.length === effect.length ? effect.slice(1) : []
    return [
      { writer, signs: signsOf(request, { project, known }), label: effect[0]?.do ?? 'no' },
      ...later.map((step, at) => ({
        writer,
        signs: signsOf(clauses[at + 1] ?? '', { project, known, isLater: true }),
        label: step.do,
        weight: LATER_WEIGHT,
      })),
    ]
  })
}
