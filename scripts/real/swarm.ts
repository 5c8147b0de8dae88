/**
 * A vote of real models that differ: SmolLM2, Gemma and the bundled model, on requests by hand in real folders.
 * `npx tsx scripts/real/swarm.ts [COUNT] [HANDS]`. Every worker is asked what the program would ask it, with a call
 * required (tiny models hardly ever call by themselves); its answers are recorded once and given to every kind of vote.
 * Nothing is carried out.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createApp } from '../../src/app/open.ts'
import { createEmbeddedModel } from '../../src/embedded/engine.ts'
import { createNanoModel } from '../../src/nano/model.ts'
import { CALL_TOOL, innerCall } from '../../src/lib/inner-call.ts'
import { isObject, readJson } from '../../src/lib/json.ts'
import { createFiles } from '../../src/guard/paths/files.ts'
import type { Model, ModelEvent, ModelRequest } from '../../src/protocol/model.ts'
import type { Files, Tool } from '../../src/protocol/tool.ts'
import { createDryRun } from '../../src/swarm/dry-run.ts'
import { createSwarmModel } from '../../src/swarm/swarm.ts'
import { toVotingTools } from '../../src/swarm/voting-tools.ts'
import { builtinTools } from '../../src/tools/all.ts'
import { judgeHand } from '../nano-hands-judge.ts'
import { type Hand, type HandRow, loadHand } from '../nano-hands-run.ts'
import { requireOpen } from './hands.ts'
import { realCache, realWeights } from './weights.ts'

const NEVER = new AbortController().signal
const NANO = fileURLToPath(new URL('../../models/covey-nano.gguf', import.meta.url))
const WINDOW = 8_192
/** The first answer greedily, as alone; the others drawn. */
const ANSWERS = 2
const ANSWER_TOKENS = 160

const [count = '40', given = 'ngo,bookkeeper,sysadmin,engineer,nurse'] = process.argv.slice(2)
const hands = requireOpen(given.split(','))

type Recorded = { readonly events: readonly ModelEvent[]; readonly right: boolean; readonly ms: number }
type Asked = {
  readonly row: HandRow
  readonly hand: Hand
  readonly root: string
  readonly request: ModelRequest
  readonly answers: Map<string, readonly Recorded[]>
}

const asked = await prepare()
await ask('nano', 1, await nanoModel())
for (const { name, file } of realWeights.filter(({ kind }) => kind !== 'embedding')) {
  const options = { name, path: join(realCache(), file), window: WINDOW, sequences: 1, threads: 1 }
  const model = await createEmbeddedModel(options)
  await ask(name, ANSWERS, { model, use: () => {}, close: () => model.close() })
}
await report()
await Promise.all([...new Set(asked.map(({ root }) => root))].map((root) => rm(root, { recursive: true })))
process.exit()

/** Every n-th look and act of every hand, and what the program would ask a model for it. */
async function prepare(): Promise<readonly Asked[]> {
  const list: Asked[] = []
  for (const name of hands) {
    const hand = await loadHand(name)
    const root = await mkdtemp(join(tmpdir(), 'covey-swarm-'))
    for (const [path, text] of Object.entries(hand.folder)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    }
    const rows = hand.rows.filter(({ kind }) => kind === 'look' || kind === 'act')
    const most = Math.ceil(Number(count) / hands.length)
    const step = rows.length / most
    for (let at = 0; at < most && list.length < Number(count); at++) {
      const row = rows[Math.floor(at * step)]
      if (row) list.push({ row, hand, root, request: await requestFor(row, root), answers: new Map() })
    }
  }
  return list
}

/** The first request of a run, caught on its way to the model. */
async function requestFor(row: HandRow, root: string): Promise<ModelRequest> {
  const home = await mkdtemp(join(tmpdir(), 'covey-home-'))
  let caught: ModelRequest | undefined
  const tap = {
    name: 'tap',
    capabilities: {
      window: WINDOW,
      windowFrom: 'configured',
      tools: 'raw',
      emission: { base: 'tool-role' },
      reasoning: 'drop',
      editForm: 'search-replace',
      requiredChoice: true,
      prefill: true,
      vision: false,
      grammar: true,
    },
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      caught ??= request
      yield { type: 'text-delta', text: 'Nothing is done here; the request was only looked at.' }
      yield { type: 'finish', reason: 'stop' }
    },
  }
  const env = { PATH: process.env['PATH'], HOME: home }
  const app = await createApp({
    env,
    cwd: root,
    model: tap,
    window: WINDOW,
    permission: 'bypass',
    incognito: true,
    probe: false,
  })
  const session = await app.openSession({ resume: 'new', canAsk: false })
  const stop = new AbortController()
  const events = session.events({ signal: stop.signal })
  await session.prompt(row.request)
  for await (const event of events) if (event.type === 'run-end') break
  stop.abort()
  await session.close()
  await app.close()
  await rm(home, { recursive: true, force: true })
  if (!caught) throw new Error(`${row.id}: the model was not asked`)
  return { ...caught, toolChoice: 'required', maxTokens: ANSWER_TOKENS }
}

type Source = { readonly model: Model; use(root: string): void; close(): Promise<void> }

async function nanoModel(): Promise<Source> {
  let files: Files | undefined
  const model = createNanoModel({
    path: NANO,
    files: {
      list: async (folder) => files?.list(folder) ?? [],
      read: async (file) => files?.read(file) ?? '',
      info: async (file) => files?.info(file),
    },
  })
  return { model, use: (root) => (files = createFiles({ root })), close: () => model.close() }
}

async function ask(name: string, times: number, { model, use, close }: Source): Promise<void> {
  for (const one of asked) {
    use(one.root)
    const recorded: Recorded[] = []
    for (let index = 0; index < times; index++) {
      const started = performance.now()
      const events: ModelEvent[] = []
      const sampling = { temperature: index === 0 ? 0 : 0.7, seed: 1_000 + index }
      for await (const event of model.stream({ ...one.request, ...sampling }, NEVER)) events.push(event)
      recorded.push({ events, right: outcome(one, events) === 'right', ms: performance.now() - started })
    }
    one.answers.set(name, recorded)
    const shown = recorded.map(({ right, events }) => `${right ? '+' : '-'}${callIn(events)?.name ?? 'none'}`)
    console.log(`${name} ${one.row.id} ${shown.join(' ')} (${Math.round(recorded[0]?.ms ?? 0)} ms)`)
  }
  await close()
}

function callIn(events: readonly ModelEvent[]) {
  return events.find((event) => event.type === 'tool-call')?.call
}

/** `harm`: wrong, and it would have changed or run something. */
type Outcome = 'right' | 'wrong' | 'harm' | 'none'

function outcome({ row, hand }: Pick<Asked, 'row' | 'hand'>, events: readonly ModelEvent[]): Outcome {
  const outer = callIn(events)
  if (!outer) return 'none'
  const call = innerCall(outer)
  if (call.name === 'more_tools' || call.name === CALL_TOOL) return 'wrong'
  const reading = readJson(call.input)
  if (!reading.ok || !isObject(reading.value)) return 'wrong'
  const input = reading.value
  const calls = [{ name: call.name, input, asked: false, ok: true }]
  const labels = { type: 'explain', category: 'read' } as const
  const { first, harm } = judgeHand(row, hand, { calls, labels: labels as never })
  return first ? 'right' : harm ? 'harm' : 'wrong'
}

async function report(): Promise<void> {
  const names = [...(asked[0]?.answers.keys() ?? [])]
  console.log(
    `\n${asked.length} requests of ${hands.join(', ')}; right / wrong / would change or run something wrong / none`,
  )
  for (const name of names) {
    const greedy = asked.map((one) => outcome(one, one.answers.get(name)?.[0]?.events ?? []))
    console.log(`${name} alone: ${tally(greedy)}`)
  }
  const mixed = names
  const pair = names.filter((name) => name !== 'nano')
  for (const [workers, most] of [
    [mixed, 3],
    [mixed, 6],
    [pair, 2],
    [pair, 4],
  ] as const) {
    const plain = await voteAll(workers, most, false)
    const checked = await voteAll(workers, most, true)
    const best = asked.filter((one) => candidates(one, workers, most).some(({ right }) => right)).length
    console.log(
      `${workers.join(' + ')}, ${most} candidates: ${tally(plain)}; with dry run ${tally(checked)}; ceiling ${best}`,
    )
  }
}

/** In the order in which the swarm asks them. */
function candidates({ answers }: Asked, workers: readonly string[], most: number): readonly Recorded[] {
  return Array.from({ length: most }, (_, index) => {
    const recorded = answers.get(workers[index % workers.length] ?? '') ?? []
    return recorded[Math.min(Math.floor(index / workers.length), recorded.length - 1)]
  }).flatMap((one) => one ?? [])
}

async function voteAll(workers: readonly string[], most: number, isChecked: boolean): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const one of asked) outcomes.push(outcome(one, await vote(one, { workers, most, isChecked })))
  return outcomes
}

type Vote = { readonly workers: readonly string[]; readonly most: number; readonly isChecked: boolean }

async function vote(one: Asked, { workers, most, isChecked }: Vote): Promise<readonly ModelEvent[]> {
  const tools: readonly Tool[] = builtinTools({ list: () => tools })
  const dryRun = createDryRun({ tools: () => tools, files: createFiles({ root: one.root }) })
  const swarm = createSwarmModel({
    name: 'swarm',
    workers: workers.map((name) => ({ name, model: replaying(one.answers.get(name) ?? []) })),
    tools: () => toVotingTools(tools),
    policy: { when: 'always', most, rounds: 1 },
    ...(isChecked && { dryRun }),
  })
  const events: ModelEvent[] = []
  for await (const event of swarm.stream(one.request, NEVER)) events.push(event)
  return events
}

function replaying(recorded: readonly Recorded[]): Model {
  let next = 0
  return {
    name: 'recorded',
    async *stream() {
      yield* recorded[Math.min(next++, recorded.length - 1)]?.events ?? []
    },
  }
}

function tally(outcomes: readonly Outcome[]): string {
  return (['right', 'wrong', 'harm', 'none'] as const)
    .map((kind) => outcomes.filter((one) => one === kind).length)
    .join(' / ')
}
