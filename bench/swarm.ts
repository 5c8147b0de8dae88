/**
 * What a vote is worth and what it costs: a simulated model against the calculation, covey-nano on its held-out requests
 * in real folders (sampled: by itself it is greedy), and memory and time of workers that share one engine.
 * Repeat with: npx tsx bench/swarm.ts [--limit N] [--temperature T] [--bold] [--only simulated|nano|cost]
 */
import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createEmbeddedModel } from '../src/embedded/engine.ts'
import { createFiles } from '../src/guard/paths/files.ts'
import type { Model, ModelEvent, ModelRequest } from '../src/protocol/model.ts'
import type { Tool } from '../src/protocol/tool.ts'
import { createDryRun, type DryRun } from '../src/swarm/dry-run.ts'
import { createSwarmModel, type SwarmPolicy } from '../src/swarm/swarm.ts'
import { toVotingTools } from '../src/swarm/voting-tools.ts'
import { builtinTools } from '../src/tools/all.ts'
import { judge, type Row } from '../scripts/nano-judge.ts'
import { loadRows, makeFolder } from '../scripts/nano-steps.ts'
import { calculated, measured } from '../test/swarm/simulated.ts'
import { createSampledNano, nanoRequest } from './sampled-nano.ts'

const NANO = fileURLToPath(new URL('../models/covey-nano.gguf', import.meta.url))
const NEVER = new AbortController().signal
const KS = [1, 3, 5, 7]

/** A prompt of about 2,000 tokens and a reply as long as a call. */
const LONG = 'Read the file, tell me what it says, and write the corrected lines again. '.repeat(95)
const WINDOW = 2048
const OPTIONS = { name: 'bench', path: NANO, window: WINDOW, grammarFor: () => 'root ::= [a-z ]{40}' }

const { values } = parseArgs({
  options: {
    limit: { type: 'string' },
    temperature: { type: 'string' },
    bold: { type: 'boolean' },
    only: { type: 'string' },
    memory: { type: 'string' },
  },
})

if (values.memory !== undefined) await printMemory(values.memory)
else {
  if (isWanted('simulated')) await simulated()
  if (isWanted('nano')) await onNano()
  if (isWanted('cost')) await cost()
}
process.exit()

function isWanted(part: string): boolean {
  return values.only === undefined || values.only === part
}

async function simulated(): Promise<void> {
  const simulation = { error: 0.4, kinds: 2, found: 0.5 }
  console.log(
    '\nsimulated: wrong in 40 %, half of that visible to a dry run; elected right / elected wrong, %',
  )
  for (const dryRun of [false, true]) {
    for (const k of KS) {
      const wanted = calculated(simulation, k, dryRun)
      const got = await measured(simulation, { k, dryRun, runs: 4_000 })
      const show = ({ right, wrong }: typeof got) => `${percent(right)} / ${percent(wrong)}`
      console.log(
        `k=${k} ${dryRun ? 'with   ' : 'without'} dry run: ${show(got)}, calculated ${show(wanted)}`,
      )
    }
  }
}

/** One answer as it was given, to be given again in every kind of vote. */
type Recorded = { readonly events: readonly ModelEvent[]; readonly ms: number; readonly right: boolean }
type Asked = {
  readonly row: Row
  readonly root: string
  readonly request: ModelRequest
  readonly recorded: readonly Recorded[]
}

async function onNano(): Promise<void> {
  const temperature = Number(values.temperature ?? 1)
  const rows = (await loadRows<Row>('requests.jsonl')).slice(0, Number(values.limit ?? Infinity))
  const nano = await createSampledNano(NANO, values.bold ?? false)
  const folders = new Map<string, string>()
  const asked: Asked[] = []
  for (const row of rows) {
    const root = folders.get(row.folder) ?? (await makeFolder(row.folder))
    folders.set(row.folder, root)
    nano.use(createFiles({ root }))
    asked.push(await record(row, root, { model: nano, temperature }))
  }
  await nano.close()
  console.log(
    `\ncovey-nano, ${rows.length} held-out requests in real folders, temperature ${temperature}${values.bold ? ', acting in doubt' : ''}`,
  )
  console.log(`greedy alone: ${percent(share(asked, ({ recorded }) => recorded[0]!.right))} right`)
  const sampled = asked.flatMap(({ recorded }) => recorded.slice(1))
  console.log(`sampled alone: ${percent(sampled.filter(({ right }) => right).length / sampled.length)} right`)
  for (const k of KS) {
    const ceiling = share(asked, ({ recorded }) => recorded.slice(0, k).some(({ right }) => right))
    const plain = await voteAll(asked, { when: 'always', most: k }, false)
    const checked = await voteAll(asked, { when: 'always', most: k }, true)
    console.log(`k=${k}: error ${plain}; with dry run ${checked}; oracle's error ${percent(1 - ceiling)} %`)
  }
  console.log(`auto, at most 5: error ${await voteAll(asked, { when: 'auto', most: 5 }, true)}`)
  await Promise.all([...folders.values()].map((root) => rm(root, { recursive: true, force: true })))
}

type Recording = { readonly model: Model; readonly temperature: number }

/** The first answers greedily, as in the swarm. */
async function record(row: Row, root: string, { model, temperature }: Recording): Promise<Asked> {
  const request = nanoRequest(row)
  const recorded: Recorded[] = []
  for (let index = 0; index < Math.max(...KS); index++) {
    const started = performance.now()
    const events: ModelEvent[] = []
    const sampling = { temperature: index === 0 ? 0 : temperature, seed: 1_000 + index }
    for await (const event of model.stream({ ...request, ...sampling }, NEVER)) events.push(event)
    recorded.push({ events, ms: performance.now() - started, right: isRight(row, events) })
  }
  return { row, root, request, recorded }
}

function isRight(row: Row, events: readonly ModelEvent[]): boolean {
  const call = events.find((event) => event.type === 'tool-call')?.call
  return judge(row, call && { name: call.name, input: JSON.parse(call.input) as Record<string, unknown> })
    .right
}

async function voteAll(
  asked: readonly Asked[],
  policy: Partial<SwarmPolicy>,
  isChecked: boolean,
): Promise<string> {
  let [right, candidates, ms] = [0, 0, 0]
  for (const one of asked) {
    const tools: readonly Tool[] = builtinTools({ list: () => tools })
    const dryRun = createDryRun({ tools: () => tools, files: createFiles({ root: one.root }) })
    const { events, used } = await voteOnce(one, policy, { tools, ...(isChecked && { dryRun }) })
    right += Number(isRight(one.row, events))
    candidates += used
    ms += one.recorded.slice(0, used).reduce((sum, answer) => sum + answer.ms, 0)
  }
  const each = (sum: number, digits: number): string => (sum / asked.length).toFixed(digits)
  return `${percent(1 - right / asked.length)} % (${each(candidates, 1)} candidates, ${each(ms, 0)} ms)`
}

type Checked = { readonly tools: readonly Tool[]; readonly dryRun?: DryRun }

async function voteOnce(
  { request, recorded }: Asked,
  policy: Partial<SwarmPolicy>,
  { tools, dryRun }: Checked,
): Promise<{ readonly events: readonly ModelEvent[]; readonly used: number }> {
  let used = 0
  const model: Model = {
    name: 'recorded',
    async *stream() {
      yield* recorded[used++]!.events
    },
  }
  const swarm = createSwarmModel({
    name: 'swarm',
    workers: [{ name: 'wren', model, lane: 'one' }],
    tools: () => toVotingTools(tools),
    policy: { ...policy, rounds: 1, quorum: 1 },
    ...(dryRun && { dryRun }),
  })
  const events: ModelEvent[] = []
  for await (const event of swarm.stream(request, NEVER)) events.push(event)
  return { events, used }
}

async function cost(): Promise<void> {
  console.log('\none engine, several workers')
  const memory = (workers: number, sequences: number): number =>
    Number(
      execFileSync(process.execPath, [
        ...process.execArgv,
        process.argv[1]!,
        '--memory',
        `${workers} ${sequences}`,
      ]),
    )
  const one = memory(1, 1)
  for (const [workers, sequences] of [
    [4, 1],
    [4, 4],
  ] as const) {
    const several = memory(workers, sequences)
    console.log(
      `memory of the process: 1 worker ${one} MB, ${workers} workers on ${sequences} sequence(s) ${several} MB, ` +
        `ratio ${(several / one).toFixed(2)}`,
    )
  }
  for (const sequences of [1, 5]) {
    const model = await createEmbeddedModel({ ...OPTIONS, sequences })
    await model.load()
    const { tokens, ms: alone } = await timed(model, 1, `${sequences} alone`)
    const { ms: inTurn } = await timed(model, 5, `${sequences} in turn`)
    const { ms: together } = await timed(model, 5, `${sequences} together`, sequences)
    console.log(
      `${sequences} sequence(s), prompt of ${tokens} tokens: k=1 ${alone.toFixed(0)} ms; k=5 in turn ` +
        `${inTurn.toFixed(0)} ms (${(inTurn / alone).toFixed(2)} x), together ${together.toFixed(0)} ms ` +
        `(${(together / alone).toFixed(2)} x)`,
    )
    await model.close()
  }
}

/** `start` makes every prompt new from its first token. */
async function timed(model: Model, k: number, start: string, together = 1) {
  const started = performance.now()
  let tokens = 0
  for (let from = 0; from < k; from += together) {
    const asks = Array.from({ length: Math.min(together, k - from) }, (_, index) =>
      askLong(model, `${start} ${LONG}`, from + index),
    )
    tokens = (await Promise.all(asks))[0] ?? 0
  }
  return { tokens, ms: performance.now() - started }
}

async function askLong(model: Model, text: string, seed: number): Promise<number> {
  const request = {
    runId: 'run',
    sessionId: 'one',
    turn: 1,
    system: '',
    messages: [{ role: 'user' as const, text }],
    tools: [],
    temperature: seed === 0 ? 0 : 0.7,
    seed,
  }
  for await (const event of model.stream(request, NEVER))
    if (event.type === 'usage') return event.usage.prompt
  return 0
}

/** In a process of its own: what is freed is not given back. */
async function printMemory(given: string): Promise<void> {
  const [workers = 1, sequences = 1] = given.split(' ').map(Number)
  const model = await createEmbeddedModel({ ...OPTIONS, sequences })
  await model.load()
  const start = (index: number): string => (sequences === 1 ? 'one' : `${index}`)
  await Promise.all(
    Array.from({ length: workers }, (_, index) => askLong(model, `${start(index)} ${LONG}`, index)),
  )
  process.stdout.write((process.memoryUsage.rss() / 2 ** 20).toFixed(0))
}

function share(asked: readonly Asked[], holds: (one: Asked) => boolean): number {
  return asked.filter(holds).length / asked.length
}

function percent(value: number): string {
  return (100 * value).toFixed(1)
}
