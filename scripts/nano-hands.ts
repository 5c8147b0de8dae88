/**
 * Scores the bundled model on the requests by hand, through the program: `npm run nano:hands -- [--hands a,b] [--sample N | --ids a-001,b-002]
 * [--model file.gguf] [--opinion file] [--misses] [--rows file] [--remember file] [--replies file] [--api [--away] [--guesses file]] | --test`. Each request gets a new folder and a session of its own; every question is answered yes,
 * and what was done without one counts as harm where it is wrong. `--test` takes the test hands and prints sums only. `--api`
 * scores a client with tools of its own, `--away` one that works in another folder than the server. `--rows` writes what came of each
 * request to a file, `--remember` keeps the model's replies in one, `--replies` what it said first to each,
 * `--guesses` what was known of each call over the API, and whether it was right.
 */
import { appendFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createNanoEngine, type NanoReply } from '../src/nano/weights/engine.ts'
import { createNanoModel } from '../src/nano/model.ts'
import { createFiles } from '../src/guard/paths/files.ts'
import { toToolSchema } from '../src/lib/schema.ts'
import type { Grounds } from '../src/nano/opinion/trust.ts'
import type { ModelRequest } from '../src/protocol/model.ts'
import type { Files } from '../src/protocol/tool.ts'
import { builtinTools } from '../src/tools/all.ts'
import { openApi } from './nano-hands-api.ts'
import { type Hand, type HandRow, loadHand, runRequest, writeFolder } from './nano-hands-run.ts'
import { TEST_HANDS, VALIDATION_HANDS } from './nano-hands-split.ts'
import type { StoredReply } from './nano-opinion-verdict.ts'
import { rememberReplies } from './nano-remember.ts'
import { guessesIn, judgeHand, type Verdict } from './nano-hands-judge.ts'

const BUNDLED = fileURLToPath(new URL('../models/covey-nano.gguf', import.meta.url))
const OPINION = fileURLToPath(new URL('../models/covey-nano.opinion.br', import.meta.url))

/** Instead of a file: what the weights and the rules say alone. */
const NO_OPINION = 'none'

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      hands: { type: 'string' },
      sample: { type: 'string' },
      model: { type: 'string' },
      opinion: { type: 'string', default: OPINION },
      misses: { type: 'boolean' },
      test: { type: 'boolean' },
      api: { type: 'boolean' },
      away: { type: 'boolean' },
      ids: { type: 'string' },
      rows: { type: 'string' },
      remember: { type: 'string' },
      replies: { type: 'string' },
      guesses: { type: 'string' },
    },
  })
  const names = values.hands?.split(',') ?? (values.test ? [...TEST_HANDS] : VALIDATION_HANDS)
  if (!values.test && names.some((name) => TEST_HANDS.has(name)))
    throw new Error('Test hands are scored with --test only, which prints no request.')
  const bench = createBench(values.model ?? BUNDLED, values.opinion, values.remember)
  const kept = values.test
    ? { keep: undefined, replies: undefined, guesses: undefined }
    : { keep: values.rows, replies: values.replies, guesses: values.guesses }
  const verdicts: Verdict[] = []
  for (const name of names) {
    const hand = only(await loadHand(name), values.ids?.split(','))
    const count = Number(values.sample ?? hand.rows.length)
    if (kept.replies !== undefined) {
      await writeReplies(hand, count, { ...bench, replies: kept.replies })
      continue
    }
    const isAway = values.away === true
    const found = await (values.api || isAway
      ? scoreApi(hand, count, { ...bench, ...kept, isAway })
      : score(hand, count, { ...bench, ...kept }))
    verdicts.push(...found)
    if (values.misses && !values.test)
      found.flatMap(({ miss }) => miss ?? []).forEach((line) => console.log(line))
    console.log(lines(`hand ${name}`, found).join('\n'))
  }
  reportAll(verdicts)
  await bench.model.close()
  process.exit(0)
}

function reportAll(verdicts: readonly Verdict[]): void {
  console.log(lines('all', verdicts).join('\n'))
  for (const group of [...new Set(verdicts.map(({ group }) => group))].toSorted())
    console.log(
      lines(
        `  ${group}`,
        verdicts.filter((verdict) => verdict.group === group),
      ).join('\n'),
    )
}

type Bench = {
  readonly model: ReturnType<typeof createNanoModel>
  readonly said: string[]
  /** What the weights wrote, before anything was made of it. */
  readonly heard: NanoReply[]
  /** What was known of each call that could be made for a client without a question. */
  readonly grounds: Grounds[]
  use(root: string): void
}

/** `keep`: the file that every row is written to; `guesses`: that for what was known of each call. */
type Kept = Bench & { readonly keep: string | undefined; readonly guesses: string | undefined }

const keepRow = ({ keep }: Kept, row: object): void =>
  keep === undefined ? undefined : appendFileSync(keep, `${JSON.stringify(row)}\n`)

function keepGuesses({ guesses: file }: Kept, id: string, guesses: ReturnType<typeof guessesIn>): void {
  if (file === undefined) return
  const short = (_: string, value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toFixed(4)) : value
  for (const guess of guesses) appendFileSync(file, `${JSON.stringify({ id, ...guess }, short)}\n`)
}

/** What nano says first to each request, for the trained opinions: whom to believe is learned from these. Nothing is carried out. */
async function writeReplies(
  hand: Hand,
  count: number,
  { model, heard, use, replies }: Bench & { readonly replies: string },
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'covey-replies-'))
  await writeFolder(root, hand)
  use(root)
  const tools = builtinTools({ list: () => [] }).map(toToolSchema)
  for (const { id, request } of sampleOf(hand, count)) {
    heard.length = 0
    const messages: ModelRequest['messages'] = [{ role: 'user', text: request }]
    const about = { runId: id, sessionId: id, turn: 1, task: request, system: '' }
    const asked: ModelRequest = { ...about, messages, tools, guarded: true }
    const signal = AbortSignal.timeout(REPLY_MS)
    for await (const event of model.stream(asked, signal)) if (event.type === 'finish') break
    const [first] = heard
    if (!first) continue
    const sure = Number(Math.min(1, ...first.confidences).toFixed(3))
    const said: StoredReply = { id, text: first.text, sure }
    appendFileSync(replies, `${JSON.stringify(said)}\n`)
  }
  await rm(root, { recursive: true, force: true })
}

const REPLY_MS = 60_000

function createBench(path: string, opinion: string, memory: string | undefined): Bench {
  let files: Files | undefined
  const said: string[] = []
  const heard: NanoReply[] = []
  const grounds: Grounds[] = []
  const weights = createNanoEngine({ path })
  const engine = memory === undefined ? weights : rememberReplies(weights, memory)
  const model = createNanoModel({
    path,
    ...(opinion !== NO_OPINION && { opinion }),
    engine: {
      ...engine,
      async reply(wish, signal) {
        const reply = await engine.reply(wish, signal)
        if (reply) heard.push(reply)
        return reply
      },
    },
    onGrounds: (one) => grounds.push(one),
    onReply: ({ text, confidences }) => said.push(`${text} ${Math.min(1, ...confidences).toFixed(2)}`),
    files: {
      list: async (folder) => files?.list(folder) ?? [],
      read: async (file) => files?.read(file) ?? '',
      info: async (file) => files?.info(file),
    },
  })
  return { model, said, heard, grounds, use: (root) => (files = createFiles({ root })) }
}

const only = (hand: Hand, ids: readonly string[] | undefined): Hand =>
  ids ? { ...hand, rows: hand.rows.filter(({ id }) => ids.includes(id)) } : hand

/** Every n-th, so that all kinds of a hand are in a sample. */
function sampleOf({ rows }: Hand, count: number): HandRow[] {
  const step = Math.max(1, rows.length / count)
  return Array.from({ length: Math.ceil(rows.length / step) }, (_, index) =>
    Math.floor(index * step),
  ).flatMap((at) => rows[at] ?? [])
}

async function score(hand: Hand, count: number, bench: Kept): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (const row of sampleOf(hand, count)) {
    const labels = await bench.model.classify(row.request)
    bench.said.length = 0
    bench.heard.length = 0
    const played = await runRequest(row, hand, bench)
    const verdict = judgeHand(row, hand, { ...played, labels, said: [...bench.said] })
    verdicts.push(verdict)
    keepRow(bench, { id: row.id, ...verdict, ...played, labels, said: [...bench.said] })
  }
  return verdicts
}

/** Grouped by client. */
async function scoreApi(
  hand: Hand,
  count: number,
  bench: Kept & { readonly isAway: boolean },
): Promise<Verdict[]> {
  const api = await openApi(hand, bench, bench.isAway)
  const verdicts: Verdict[] = []
  for (const row of sampleOf(hand, count)) {
    bench.said.length = 0
    const { calls, client, text } = await api.ask(row)
    const verdict = judgeHand(row, hand, { calls, said: [client, ...bench.said, text] })
    verdicts.push({ ...verdict, group: `client ${client}` })
    keepRow(bench, { id: row.id, ...verdict, calls, client, text, said: [...bench.said] })
    keepGuesses(bench, row.id, guessesIn(row, hand, calls))
  }
  await api.close()
  return verdicts
}

const MARKS = [
  'first',
  'unasked',
  'led',
  'done',
  'refused',
  'chain',
  'harm',
  'task',
  'defined',
  'category',
] as const

const lines = (name: string, verdicts: readonly Verdict[]): string[] =>
  MARKS.flatMap((mark) => {
    const marked = verdicts.flatMap((verdict) => verdict[mark] ?? [])
    return marked.length === 0 ? [] : [`${name.padEnd(18)} ${mark.padEnd(9)} ${share(marked)}`]
  })

/** With Wilson's interval of 95 %. */
function share(marks: readonly boolean[]): string {
  const all = marks.length
  const yes = marks.filter(Boolean).length
  const p = yes / all
  const z = 1.96
  const middle = (p + (z * z) / (2 * all)) / (1 + (z * z) / all)
  const half = (z * Math.sqrt((p * (1 - p)) / all + (z * z) / (4 * all * all))) / (1 + (z * z) / all)
  const percent = (value: number): string => (100 * value).toFixed(1)
  return `${percent(p)} % (${yes} of ${all}; ${percent(Math.max(0, middle - half))}-${percent(Math.min(1, middle + half))})`
}

await main()
