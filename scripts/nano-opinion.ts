/**
 * Trains what gives nano a second opinion, from the requests by hand: `npm run nano:opinion -- [--held a,b] [--write [--to file]]`. Which step a request
 * begins with is learned by a linear classifier; which edit, path, new name or text is meant, and whom to believe, by rankings. The hands that are
 * held out say how good each is; test hands are never read. `--write` stores them in models/, or in another file.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { brotliCompressSync } from 'node:zlib'
import { clausesOf } from '../src/embedded/nano/clauses.ts'
import { outcomeOf, rankEdits } from '../src/embedded/opinion/edit-ranking.ts'
import { likelihoods } from '../src/embedded/opinion/linear.ts'
import { type OpinionModels, type StoredOpinions, toStored } from '../src/embedded/opinion/load.ts'
import { ranked, weigherOf } from '../src/embedded/opinion/ranking.ts'
import { signsOf } from '../src/embedded/opinion/signs.ts'
import { wordsIn } from '../src/embedded/opinion/tokens.ts'
import { VALIDATION_HANDS } from './nano-hands-split.ts'
import { pathExample, targetExample, textExample } from './nano-opinion-arguments.ts'
import { editExamples, trainEdits } from './nano-opinion-edits.ts'
import { type AskedStep, loadWriters, stepsOf, type Writer } from './nano-opinion-hands.ts'
import { type RankingExample, trainRanking } from './nano-opinion-ranking.ts'
import { type Example, trainLinear } from './nano-opinion-train.ts'
import { rightActions, type TrainedActions, trainVerdict } from './nano-opinion-verdict.ts'

const STORED = fileURLToPath(new URL('../models/covey-nano.opinion.br', import.meta.url))
/** A word that so many writers use is no name of one project. */
const FEWEST_WRITERS = 6

function main(): void {
  const { values } = parseArgs({
    options: {
      held: { type: 'string', default: VALIDATION_HANDS.join(',') },
      write: { type: 'boolean' },
      to: { type: 'string', default: STORED },
    },
  })
  const held = values.held.split(',')
  const writers = loadWriters()
  const models = train(writers.filter(({ name }) => !held.includes(name)))
  for (const writer of writers.filter(({ name }) => held.includes(name))) report(writer, models)
  if (!values.write) return
  const { known, ...trained } = models
  const stored: StoredOpinions = {
    words: [...known],
    actions: toStored(trained.actions),
    edits: toStored(trained.edits),
    paths: toStored(trained.paths),
    targets: toStored(trained.targets),
    texts: toStored(trained.texts),
    verdict: toStored(trained.verdict),
  }
  writeFileSync(values.to, brotliCompressSync(JSON.stringify(stored)))
}

function train(writers: readonly Writer[]): OpinionModels {
  const { known, actions } = trainActions(writers)
  const edits = trainEdits(
    writers.flatMap(({ folder, rows, said }) => editExamples(folder, [...rows, ...said])),
  )
  const steps = writers.flatMap((writer) => stepsOf(writer, [...writer.rows, ...writer.said]))
  const learn = (exampleOf: ArgumentExample): OpinionModels['paths'] =>
    trainRanking(steps.flatMap((step) => [exampleOf(step) ?? []]))
  const models = {
    known,
    actions,
    edits,
    paths: learn(pathExample),
    targets: learn(targetExample),
    texts: learn(textExample),
    verdict: trainVerdict(writers, trainActions),
  }
  const sizes = Object.entries(models).flatMap(([name, model]) =>
    'rows' in model ? [`${name} ${model.rows.size}`] : [],
  )
  console.log(`${writers.length} hands, ${steps.length} steps; signs: ${sizes.join(', ')}`)
  return models
}

type ArgumentExample = (step: AskedStep) => RankingExample | undefined

function trainActions(writers: readonly Writer[]): TrainedActions {
  const known = knownWords(writers)
  const examples = writers.flatMap((writer) => actionExamples(writer, known))
  return { known, actions: trainLinear(examples, { rounds: 8, rate: 0.3, decay: 1e-5 }) }
}

function knownWords(writers: readonly Writer[]): Set<string> {
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

function report(writer: Writer, { known, actions, ...rankings }: OpinionModels): void {
  const { name, folder, rows, project } = writer
  const actionOf = (request: string): string => {
    const shares = likelihoods(actions, signsOf(request, { project, known }))
    return actions.labels[shares.indexOf(Math.max(...shares))] ?? ''
  }
  const edits = weigherOf(rankings.edits)
  const changes = editExamples(folder, rows)
  const found = changes.filter(({ ask, wanted }) => {
    const [best] = rankEdits(ask, edits)
    return best !== undefined && outcomeOf(best) === wanted
  })
  const steps = stepsOf(writer, rows)
  const share = (exampleOf: ArgumentExample, ranking: 'paths' | 'targets' | 'texts'): string => {
    const weigh = weigherOf(rankings[ranking])
    const examples = steps.flatMap((step) => [exampleOf(step)]).filter((example) => example !== undefined)
    const right = examples.filter((example) => ranked(example, weigh)[0]?.isRight)
    return `${ranking} ${right.length} of ${examples.length}`
  }
  const right = rows.filter((row) => rightActions(row).has(actionOf(row.request)))
  console.log(
    [
      `${name}: action ${right.length} of ${rows.length}`,
      `edits ${found.length} of ${changes.length}`,
      share(pathExample, 'paths'),
      share(targetExample, 'targets'),
      share(textExample, 'texts'),
    ].join(', '),
  )
}

main()
