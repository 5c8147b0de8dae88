/**
 * Trains what gives nano a second opinion, from the requests by hand: `npm run nano:opinion -- [--held a,b] [--write]`. Which step a request begins with
 * is learned by a linear classifier, which line an edit is about by a ranking. The hands that are held out say how good both are;
 * test hands are never read. `--write` stores them in models/.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { brotliCompressSync } from 'node:zlib'
import { clausesOf } from '../src/embedded/nano/clauses.ts'
import { outcomeOf, rankEdits } from '../src/embedded/opinion/edit-ranking.ts'
import { hashOf, likelihoods, type LinearModel } from '../src/embedded/opinion/linear.ts'
import { type StoredOpinions, toStored } from '../src/embedded/opinion/load.ts'
import { signsOf } from '../src/embedded/opinion/signs.ts'
import { type ProjectWords, projectWords, wordsIn } from '../src/embedded/opinion/tokens.ts'
import type { HandRow } from './nano-hands-run.ts'
import { TEST_HANDS, VALIDATION_HANDS } from './nano-hands-split.ts'
import { type EditExample, editExamples, trainEdits } from './nano-opinion-edits.ts'
import { type Example, trainLinear } from './nano-opinion-train.ts'

const HANDS = fileURLToPath(new URL('../nano/hands/', import.meta.url))
const STORED = fileURLToPath(new URL('../models/covey-nano.opinion.br', import.meta.url))
/** A word that so many writers use is no name of one project. */
const FEWEST_WRITERS = 6

type Hand = {
  readonly name: string
  readonly folder: Readonly<Record<string, string>>
  readonly rows: readonly HandRow[]
  /** The same requests in other people's words. */
  readonly said: readonly HandRow[]
  readonly project: ProjectWords
}

function main(): void {
  const { values } = parseArgs({
    options: { held: { type: 'string', default: VALIDATION_HANDS.join(',') }, write: { type: 'boolean' } },
  })
  const held = values.held.split(',')
  const hands = handNames().map(loadHand)
  const training = hands.filter(({ name }) => !held.includes(name))
  const known = knownWords(training)
  const examples = training.flatMap((hand) => examplesOf(hand, known))
  const actions = trainLinear(examples, { rounds: 8, rate: 0.3, decay: 1e-5 })
  const edits = trainEdits(
    training.flatMap(({ folder, rows, said }) => editExamples(folder, [...rows, ...said])),
  )
  console.log(
    `${training.length} hands, ${examples.length} requests and parts, ${actions.rows.size} and ${edits.rows.size} signs`,
  )
  for (const hand of hands.filter(({ name }) => held.includes(name))) report(hand, { known, actions, edits })
  if (!values.write) return
  const stored: StoredOpinions = { words: [...known], actions: toStored(actions), edits: toStored(edits) }
  writeFileSync(STORED, brotliCompressSync(JSON.stringify(stored)))
}

const handNames = (): string[] =>
  readdirSync(HANDS).filter((name) => existsSync(`${HANDS}${name}/folder.json`) && !TEST_HANDS.has(name))

function loadHand(name: string): Hand {
  const read = (file: string): string => readFileSync(`${HANDS}${name}/${file}`, 'utf8')
  const lines = (file: string): string[] =>
    existsSync(`${HANDS}${name}/${file}`) ? read(file).trim().split('\n') : []
  const folder = JSON.parse(read('folder.json')) as Hand['folder']
  const rows = lines('requests.jsonl').map((line) => JSON.parse(line) as HandRow)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const said = lines('said.jsonl').flatMap((line) => {
    const { id, request } = JSON.parse(line) as Pick<HandRow, 'id' | 'request'>
    const row = byId.get(id)
    return row ? [{ ...row, request }] : []
  })
  return { name, folder, rows, said, project: projectWords(Object.keys(folder), Object.values(folder)) }
}

function knownWords(hands: readonly Hand[]): Set<string> {
  const writers = new Map<string, Set<string>>()
  for (const { name, rows, said } of hands)
    for (const word of [...rows, ...said].flatMap(({ request }) => wordsIn(request)))
      writers.set(word, (writers.get(word) ?? new Set()).add(name))
  return new Set([...writers].filter(([, names]) => names.size >= FEWEST_WRITERS).map(([word]) => word))
}

/** A later part tells less of how people begin. */
const LATER_WEIGHT = 0.7

function examplesOf({ name: writer, rows, said, project }: Hand, known: ReadonlySet<string>): Example[] {
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

type Trained = {
  readonly known: ReadonlySet<string>
  readonly actions: LinearModel
  readonly edits: LinearModel
}

function report({ name, folder, rows, project }: Hand, { known, actions, edits }: Trained): void {
  const isRight = ({ request, effect, also }: HandRow): boolean => {
    const shares = likelihoods(actions, signsOf(request, { project, known }))
    const best = actions.labels[shares.indexOf(Math.max(...shares))]
    return [effect, ...also].some(
      (steps) => (steps[0]?.do ?? 'no') === best && (best !== 'no' || effect.length === 0),
    )
  }
  const weightOf = (sign: string): number =>
    (edits.weights[edits.rows.get(hashOf(sign)) ?? -1] ?? 0) * edits.step
  const isFound = ({ ask, wanted }: EditExample): boolean => {
    const [best] = rankEdits(ask, weightOf)
    return best !== undefined && outcomeOf(best) === wanted
  }
  const changes = editExamples(folder, rows)
  console.log(
    `${name}: action ${rows.filter(isRight).length} of ${rows.length}, edit ${changes.filter(isFound).length} of ${changes.length}`,
  )
}

main()
