/**
 * The figures of the bundled model, measured through the program itself: `npm run nano:eval -- [file.gguf] [--limit N]
 * [--misses]`. Prints the table by tool, kind and voice, classification, tasks of several steps, harm and speed. The requests of
 * nano/eval are a development set; the figures that count are those of nano-hands.ts.
 */
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { loadEngine } from '../src/embedded/llama.ts'
import { readCall, SURE } from '../src/nano/decide.ts'
import type { NanoReply } from '../src/nano/weights/engine.ts'
import type { NanoCall } from '../src/nano/steps/run.ts'
import { nanoTools } from '../src/nano/weights/tools.ts'
import { createNanoModel, type NanoModel } from '../src/nano/model.ts'
import { createFiles } from '../src/guard/paths/files.ts'
import type { Classification } from '../src/protocol/classification.ts'
import type { ToolSchema } from '../src/protocol/model.ts'
import type { Files } from '../src/protocol/tool.ts'
import { judge, kindOf, median, type Row, type StepRow, Tally } from './nano-judge.ts'
import { isPossible, loadRows, makeFolder, runSteps } from './nano-steps.ts'

const BUNDLED = fileURLToPath(new URL('../models/covey-nano.gguf', import.meta.url))
const NEVER = new AbortController().signal

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { limit: { type: 'string' }, misses: { type: 'boolean' } },
  })
  const limit = Number(values.limit ?? Infinity)
  const bench = createBench(positionals[0] ?? BUNDLED)
  const engineMs = await timed(() => loadEngine())
  const loadMs = await timed(() => bench.model.load())

  const asked = await askAll((await loadRows<Row>('requests.jsonl')).slice(0, limit), bench)
  const steps = await stepAll((await loadRows<StepRow>('three-step.jsonl')).slice(0, limit), bench)
  await bench.model.close()

  const tally = tallyOf(asked)
  if (values.misses) print(missLines(asked), steps.misses)
  print(tally.lines(), thresholdLines(asked))
  const figures = figureRows({ tally, asked, steps, engineMs, loadMs })
  print(figures.map(([name, value]) => `${name}: ${value}`))
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const print = (...blocks: readonly (readonly string[])[]): void =>
  blocks.forEach((lines) => console.log(`${lines.join('\n')}\n`))

/** The model, the folder it looks into, and what it replied. */
type Bench = { readonly model: NanoModel; readonly replies: NanoReply[]; use(root: string): void }

function createBench(path: string): Bench {
  let files: Files | undefined
  const replies: NanoReply[] = []
  const model = createNanoModel({
    path,
    files: {
      list: async (folder) => files?.list(folder) ?? [],
      read: async (file) => files?.read(file) ?? '',
      info: async (file) => files?.info(file),
    },
    onReply: (reply) => replies.push(reply),
  })
  return { model, replies, use: (root) => (files = createFiles({ root })) }
}

/** Every tool nano knows, whether this program has it yet or not. */
const SCHEMAS: readonly ToolSchema[] = Array.from(nanoTools.values(), ({ name, parameters }) => ({
  name,
  parameters: {
    type: 'object',
    properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, { type: 'string' }])),
  },
}))

type Asked = {
  readonly row: Row
  readonly labels: Classification
  readonly classifyMs: number
  readonly reply: NanoReply
  /** What was really called. */
  readonly call?: NanoCall
}

async function askAll(rows: readonly Row[], bench: Bench): Promise<Asked[]> {
  const folders = new Map<string, string>()
  const asked: Asked[] = []
  for (const row of rows) {
    const root = folders.get(row.folder) ?? (await makeFolder(row.folder))
    folders.set(row.folder, root)
    bench.use(root)
    asked.push(await ask(row, bench))
  }
  await Promise.all([...folders.values()].map((root) => rm(root, { recursive: true, force: true })))
  return asked
}

async function ask(row: Row, { model, replies }: Bench): Promise<Asked> {
  const started = performance.now()
  const labels = await model.classify(row.request)
  const classifyMs = performance.now() - started
  const request = {
    runId: row.id,
    sessionId: row.folder,
    turn: 1,
    task: row.request,
    system: '',
    messages: [{ role: 'user', text: row.request }] as const,
    tools: SCHEMAS,
  }
  let call: NanoCall | undefined
  for await (const event of model.stream(request, NEVER))
    if (event.type === 'tool-call')
      call = { name: event.call.name, input: JSON.parse(event.call.input) as NanoCall['input'] }
  const reply = replies.at(-1)
  if (!reply) throw new Error(`no reply to ${row.id}`)
  return { row, labels, classifyMs, reply, ...(call && { call }) }
}

function tallyOf(asked: readonly Asked[]): Tally {
  const tally = new Tally()
  for (const { row, labels, call } of asked) {
    const { tool, right } = judge(row, call)
    const isCall = row.expect.length > 0
    const marks = isCall ? { tool, exact: right } : { refused: right }
    tally.add(isCall ? 'all with a tool' : 'all without a tool', marks)
    tally.add(`tool ${row.expect[0]?.tool ?? '-'}`, marks)
    tally.add(`kind ${kindOf(row)}`, marks)
    tally.add(`voice ${row.voice}`, { right })
    tally.add('label task', { right: row.tasks.includes(labels.type) })
    tally.add('label category', { right: row.categories.includes(labels.category) })
  }
  return tally
}

const missLines = (asked: readonly Asked[]): string[] =>
  asked.flatMap(({ row, labels, call, reply }) => {
    if (judge(row, call).right) return []
    const [first] = row.expect
    const wanted = first ? `${first.tool} ${JSON.stringify(first.arguments)}` : 'no call'
    const least = Math.min(...reply.confidences).toFixed(2)
    const got = `${reply.text.replaceAll('\n', ' ')} (${labels.category}, least ${least}${call ? '' : ', not called'})`
    return [`MISS ${row.id} ${JSON.stringify(row.request)}`, `  wanted ${wanted}`, `  got    ${got}`]
  })

/** What other thresholds alone would do, without the rules about arguments: where to set `SURE`. */
function thresholdLines(asked: readonly Asked[]): string[] {
  const lines = [0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9].map((least) => {
    const verdicts = asked.map(({ row, reply: { text, confidences } }) => {
      const call = readCall(text)
      const verdict = judge(row, call)
      const isHeld = call && judge({ ...row, expect: [] }, call).harmful && Math.min(...confidences) < least
      return isHeld ? judge(row, undefined) : verdict
    })
    const right = verdicts.filter((verdict) => verdict.right).length
    const harmful = verdicts.filter((verdict) => verdict.harmful).length
    return `  ${least.toFixed(1)}  right ${right}  harmful ${harmful}  of ${asked.length}${least === SURE ? '  <- in use' : ''}`
  })
  return ['least confidence of a call that acts:', ...lines]
}

type Steps = {
  readonly right: number
  readonly all: number
  readonly left: number
  readonly misses: string[]
}

async function stepAll(rows: readonly StepRow[], bench: Bench): Promise<Steps> {
  const possible = rows.filter(isPossible)
  const misses: string[] = []
  let right = 0
  for (const row of possible) {
    const result = await runSteps(row, bench.model, bench)
    if (result.right) right++
    else
      misses.push(
        `STEPS ${row.id} ${JSON.stringify(row.request)}`,
        ...result.trail.map((text) => `  ${text.replaceAll('\n', ' ')}`),
      )
  }
  return { right, all: possible.length, left: rows.length - possible.length, misses }
}

type Measured = {
  readonly tally: Tally
  readonly asked: readonly Asked[]
  readonly steps: Steps
  readonly engineMs: number
  readonly loadMs: number
}

function figureRows({ tally, asked, steps, engineMs, loadMs }: Measured): [string, string][] {
  const harmful = asked.filter(({ row, call }) => judge(row, call).harmful).length
  const replies = asked.map(({ reply }) => reply)
  const warm = replies.filter(({ usage }) => (usage.cached ?? 0) > 0)
  const tokens = replies.reduce((sum, { usage }) => sum + usage.completion - 1, 0)
  const decodeMs = replies.reduce((sum, { times }) => sum + times.decodeMs, 0)
  return [
    ['right tool', tally.share('all with a tool', 'tool')],
    ['right tool and exact arguments', tally.share('all with a tool', 'exact')],
    ['refused where no tool fits', tally.share('all without a tool', 'refused')],
    ['task type', tally.share('label task', 'right')],
    ['category', tally.share('label category', 'right')],
    [
      'tasks of several steps',
      `${((100 * steps.right) / steps.all).toFixed(1)} % (${steps.right} of ${steps.all}; ${steps.left} need a tool that is not there)`,
    ],
    ['harmful calls', `${((100 * harmful) / asked.length).toFixed(1)} % (${harmful} of ${asked.length})`],
    ['load', `${loadMs.toFixed(0)} ms, after ${engineMs.toFixed(0)} ms for the engine`],
    [
      'first token, part of the prompt cached',
      `${median(warm.map(({ times }) => times.firstTokenMs)).toFixed(0)} ms (median)`,
    ],
    ['tokens per second', (tokens / (decodeMs / 1000)).toFixed(0)],
    ['classification', `${median(asked.map(({ classifyMs }) => classifyMs)).toFixed(0)} ms (median)`],
  ]
}

await main()
