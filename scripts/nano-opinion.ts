/**
 * Trains what gives nano a second opinion, from the requests by hand: `npm run nano:opinion -- [--held a,b] [--only paths,texts] [--write [--to file]]`. Which step a request
 * begins with is learned by a linear classifier; which edit, path, new name, text or command is meant, and whom to believe, by rankings. The hands that are
 * held out say how good each is; test hands are never read. `--only` trains some and takes the others from models/, `--write` stores them there, or in another file. Each model has a process of its own.
 */
import { fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { brotliCompressSync } from 'node:zlib'
import { outcomeOf, rankEdits } from '../src/nano/edits/ranking.ts'
import { likelihoods } from '../src/nano/opinion/linear.ts'
import { loadModels, type OpinionModels, type StoredOpinions, toStored } from '../src/nano/opinion/load.ts'
import { ranked, weigherOf } from '../src/nano/opinion/ranking.ts'
import { signsOf } from '../src/nano/opinion/signs.ts'
import { VALIDATION_HANDS } from './nano-hands-split.ts'
import { commandExample, pathExample, targetExample, textExample } from './nano-opinion-arguments.ts'
import { contentExample } from './nano-opinion-contents.ts'
import { cutScore } from './nano-opinion-cuts.ts'
import { editExamples } from './nano-opinion-edits.ts'
import { furtherScore } from './nano-opinion-further.ts'
import { loadWriters, stepsOf, type Writer } from './nano-opinion-hands.ts'
import { type ArgumentExample, knownWords, type ModelName, TRAINERS } from './nano-opinion-models.ts'
import { rightActions } from './nano-opinion-verdict.ts'

const STORED = fileURLToPath(new URL('../models/covey-nano.opinion.br', import.meta.url))
const WORKER = fileURLToPath(new URL('nano-opinion-worker.ts', import.meta.url))
/** The edits of a hundred writers take 6 GB. */
const MOST_MEGABYTES = 12_000

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      held: { type: 'string', default: VALIDATION_HANDS.join(',') },
      only: { type: 'string' },
      write: { type: 'boolean' },
      to: { type: 'string', default: STORED },
    },
  })
  const held = values.held.split(',')
  const writers = loadWriters()
  const names = Object.keys(TRAINERS) as ModelName[]
  const only = values.only?.split(',')
  const learning = names.filter((name) => !only || only.includes(name))
  const before = only && (await loadModels(STORED))
  const learned = await trainAll(learning, held)
  // The classifier goes by the words that many writers use: both are made together.
  const known =
    before && !learning.includes('actions')
      ? before.known
      : knownWords(writers.filter(({ name }) => !held.includes(name)))
  const { known: _, ...others } = before ?? { known }
  const trained = { ...others, ...learned }
  if (values.write) {
    const { verdict, ...linear } = trained
    const opinions: StoredOpinions = { words: [...known], verdict, ...mapValues(linear, toStored) }
    writeFileSync(values.to, brotliCompressSync(JSON.stringify(opinions)))
  }
  for (const writer of writers.filter(({ name }) => held.includes(name)))
    report(writer, { ...trained, known })
}

type Trained = Omit<OpinionModels, 'known'>

const mapValues = <Key extends string, From, To>(
  record: Readonly<Record<Key, From>>,
  change: (value: From) => To,
): Record<Key, To> =>
  Object.fromEntries(Object.entries<From>(record).map(([key, value]) => [key, change(value)])) as Record<
    Key,
    To
  >

/** As many at a time as there are cores. */
async function trainAll(names: readonly ModelName[], held: readonly string[]): Promise<Trained> {
  const left = [...names]
  const models = new Map<ModelName, Trained[ModelName]>()
  const work = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const model = await trainBeside(name, held)
      console.log(
        'trees' in model ? `${name}: ${model.trees.length} trees` : `${name}: ${model.rows.size} signs`,
      )
      models.set(name, model)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return Object.fromEntries(models) as unknown as Trained
}

const trainBeside = (name: ModelName, held: readonly string[]): Promise<Trained[ModelName]> =>
  new Promise((resolve, reject) => {
    const worker = fork(WORKER, [name, ...held], {
      execArgv: [...process.execArgv, `--max-old-space-size=${MOST_MEGABYTES}`],
      serialization: 'advanced',
    })
    worker.once('message', (model) => resolve(model as Trained[ModelName])).once('error', reject)
    worker.once('exit', (code) => reject(new Error(`The training of ${name} ended with ${code}.`)))
  })

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
    return best !== undefined && wanted.has(outcomeOf(best))
  })
  const steps = stepsOf(writer, rows)
  const share = (
    exampleOf: ArgumentExample,
    ranking: 'paths' | 'targets' | 'texts' | 'contents' | 'commands',
  ): string => {
    const weigh = weigherOf(rankings[ranking])
    const examples = steps.flatMap((step) => [exampleOf(step)]).filter((example) => example !== undefined)
    const right = examples.filter((example) => ranked(example, weigh)[0]?.isRight)
    return `${ranking} ${right.length} of ${examples.length}`
  }
  const next = furtherScore(writer, rankings)
  const parts = cutScore(writer, { cuts: rankings.cuts, known })
  const right = rows.filter((row) => rightActions(row).has(actionOf(row.request)))
  console.log(
    [
      `${name}: action ${right.length} of ${rows.length}`,
      `edits ${found.length} of ${changes.length}`,
      share(pathExample, 'paths'),
      share(targetExample, 'targets'),
      share(textExample, 'texts'),
      share(contentExample, 'contents'),
      share(commandExample, 'commands'),
      `parts ${parts.right} of ${parts.all}, by the rules ${parts.byRules}`,
      `further ${next.right} of ${next.all}, repeated ${next.repeated} of ${next.repeats}`,
    ].join(', '),
  )
}

await main()
