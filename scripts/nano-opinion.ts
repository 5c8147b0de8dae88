/** Trains what gives nano a second opinion on a request: `npm run nano:opinion -- [--held a,b] [--write]`. */
import { appendFileSync, writeFileSync, readdirSync, existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { clausesOf } from '../src/embedded/nano/clauses.ts'
import { likelihoods } from '../src/embedded/nano/opinion/linear.ts'
import { signsOf } from '../src/embedded/nano/opinion/signs.ts'
import { type ProjectWords, projectWords, wordsIn } from '../src/embedded/nano/opinion/tokens.ts'
import type { HandRow } from './nano-hands-run.ts'
import { type Example, trainLinear } from './nano-opinion-train.ts'

const HANDS = fileURLToPath(new URL('../nano/hands/', import.meta.url))
const TEST = ['backend', 'frontend', 'researcher', 'student', 'teacher']

const { values } = parseArgs({
  options: {
    write: { type: 'boolean' },
    dump: { type: 'string' },
    held: { type: 'string', default: 'ngo,qa' },
    rate: { type: 'string', default: '0.5' },
    rounds: { type: 'string', default: '12' },
    decay: { type: 'string', default: '1e-5' },
  },
})

type Hand = { name: string; rows: HandRow[]; said: HandRow[]; project: ProjectWords }

const read = (name: string, file: string): string => readFileSync(`${HANDS}${name}/${file}`, 'utf8')
function load(name: string): Hand {
  const folder = JSON.parse(read(name, 'folder.json')) as Record<string, string>
  const rows = read(name, 'requests.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as HandRow)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const said = existsSync(`${HANDS}${name}/said.jsonl`)
    ? read(name, 'said.jsonl')
        .trim()
        .split('\n')
        .flatMap((line) => {
          const { id, request } = JSON.parse(line) as { id: string; request: string }
          const row = byId.get(id)
          return row ? [{ ...row, request }] : []
        })
    : []
  return { name, rows, said, project: projectWords(Object.keys(folder), Object.values(folder)) }
}
const names = readdirSync(HANDS, { withFileTypes: true })
  .filter((e) => e.isDirectory() && existsSync(`${HANDS}${e.name}/folder.json`))
  .map((e) => e.name)
  .filter((n) => !TEST.includes(n))
const held = values.held.split(',')
const hands = names.map(load)
const training = hands.filter(({ name }) => !held.includes(name))
const writers = new Map<string, Set<string>>()
for (const { name, rows, said } of training)
  for (const { request } of [...rows, ...said])
    for (const word of wordsIn(request)) {
      const set = writers.get(word) ?? new Set()
      writers.set(word, set)
      set.add(name)
    }
const known = new Set([...writers].filter(([, set]) => set.size >= 6).map(([word]) => word))
const actionOf = (row: HandRow): string => row.effect[0]?.do ?? 'no'
function examplesOf({ name: writer, rows, said, project }: Hand): (Example & { row: HandRow })[] {
  return [...rows, ...said].flatMap((row) => {
    const whole = { row, writer, signs: signsOf(row.request, { project, known }), label: actionOf(row) }
    const clauses = clausesOf(row.request)
    const later =
      clauses.length === row.effect.length
        ? row.effect
            .slice(1)
            .map((step, i) => ({
              row,
              writer,
              signs: signsOf(clauses[i + 1] ?? '', { project, known, isLater: true }),
              label: step.do,
              weight: 0.7,
            }))
        : []
    return [whole, ...later]
  })
}
const t0 = Date.now()
const model = trainLinear(training.flatMap(examplesOf), {
  rounds: Number(values.rounds),
  rate: Number(values.rate),
  decay: Number(values.decay),
})
console.log(
  'trained',
  training.length,
  'hands',
  known.size,
  'words',
  Date.now() - t0,
  'ms',
  model.rows.size,
  'signs',
)
let right = 0,
  all = 0
for (const hand of hands.filter(({ name }) => held.includes(name))) {
  let r = 0,
    n = 0
  for (const row of hand.rows) {
    const shares = likelihoods(model, signsOf(row.request, { project: hand.project, known }))
    const best = model.labels[shares.indexOf(Math.max(...shares))] ?? ''
    const wanted = [actionOf(row), ...row.also.flatMap((steps) => steps[0]?.do ?? [])]
    if (values.dump)
      appendFileSync(
        values.dump,
        `${JSON.stringify({ id: row.id, shares: Object.fromEntries(model.labels.map((l, i) => [l, Math.round(1000 * (shares[i] ?? 0)) / 1000])) })}\n`,
      )
    n++
    if (wanted.includes(best)) r++
  }
  console.log(hand.name, (r / n).toFixed(3), n)
  right += r
  all += n
}
console.log('all', (right / all).toFixed(4))

if (values.write) {
  const hashes = Buffer.alloc(4 * model.rows.size)
  for (const [hash, row] of model.rows) hashes.writeUInt32LE(hash, 4 * row)
  const stored = {
    labels: model.labels,
    step: model.step,
    words: [...known],
    hashes: hashes.toString('base64'),
    weights: Buffer.from(model.weights.buffer).toString('base64'),
  }
  writeFileSync(
    fileURLToPath(new URL('../models/covey-nano.opinion.json', import.meta.url)),
    JSON.stringify(stored),
  )
}
