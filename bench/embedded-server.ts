/**
 * The embedded engine, in its own process as the program runs it, beside a real `llama-server` with the same file, threads
 * and window, and beside node-llama-cpp alone: tokens a second of reading and of writing in rounds by turns, and memory.
 * Needs `npm run real:fetch` and
 * `llama-server` on the PATH or in COVEY_REAL_LLAMA_SERVER. Repeat with: npx tsx bench/embedded-server.ts [file] [rounds]
 */
import { fork } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createChildModel } from '../src/embedded/child.ts'
import { createChannel } from '../src/lib/channel.ts'
import type { Model, ModelEvent } from '../src/protocol/model.ts'
import { createProviderModel } from '../src/provider/create.ts'
import { findLlamaServer, freePort, llamaArgs, startServer, untilReady } from '../scripts/real/server.ts'
import { realCache, realWeights } from '../scripts/real/weights.ts'
import type { AloneAnswer } from './library-alone.ts'

const WINDOW = 4_096
const NEVER = new AbortController().signal
/** About 1,000 tokens, new from the first one on in every round. */
const LONG = 'Read the file, tell me what it says, and write the corrected lines again. '.repeat(60)
const WRITTEN = 128

const [file = join(realCache(), realWeights[0]?.file ?? ''), rounds = '9'] = process.argv.slice(2)
const program = findLlamaServer()
if (program === undefined || !existsSync(file)) {
  console.error('llama-server or the weights are missing: npm run real:fetch, COVEY_REAL_LLAMA_SERVER.')
  process.exit(1)
}

type Side = { readonly name: string; readonly model: Model; pid(): number | undefined }
type Speed = { readonly clock: number; readonly cpu: number }

const port = await freePort()
const args = llamaArgs(file, port, ['--ctx-size', String(WINDOW), '--parallel', '1'])
const server = startServer({ program, args, port })
await untilReady(server, '/health')
const child = await createChildModel({
  name: 'ours',
  path: file,
  window: WINDOW,
  sequences: 1,
  threads: 1,
  execArgv: process.execArgv,
})
await child.load()
const alone = await startAlone()
const sides: readonly Side[] = [
  { name: 'embedded', model: child, pid: child.pid },
  { name: 'node-llama-cpp', model: alone.model, pid: () => alone.process.pid },
  { name: 'llama-server', model: serverModel(server.url), pid: () => server.process.pid },
]
try {
  for (const side of sides) await ask(side, 'Hello', 4)
  await compare('reading', (round) => [`${round} ${LONG}`, 1])
  await compare('writing', (round) => [`Tell a long story about bird ${round}.`, WRITTEN])
  for (const side of sides) console.log(`${side.name.padEnd(14)} ${memoryOf(side)} MB in memory at the most`)
} finally {
  await child.close()
  alone.process.kill()
  await server.stop()
}
process.exit()

function serverModel(url: string): Model {
  return createProviderModel({
    name: 'server',
    kind: 'openai-compatible',
    model: 'any',
    baseUrl: `${url}/v1`,
    headers: {},
    local: true,
    emission: { base: 'tool-role' },
    reasoning: 'drop',
    vision: false,
  })
}

async function startAlone() {
  const program = fileURLToPath(new URL('library-alone.ts', import.meta.url))
  const engine = fork(program, [file, String(WINDOW)], { execArgv: process.execArgv })
  const answers = createChannel<AloneAnswer>()
  engine.on('message', (answer: AloneAnswer) => answers.push(answer))
  const iterator = answers[Symbol.asyncIterator]()
  await iterator.next()
  async function* stream(...[request]: Parameters<Model['stream']>): AsyncGenerator<ModelEvent> {
    engine.send({ text: request.messages[0]?.text, most: request.maxTokens })
    for (;;) {
      const { value } = await iterator.next()
      if (value?.type === 'text') yield { type: 'text-delta', text: value.text }
      if (value?.type !== 'end') continue
      const { prompt, completion } = value
      yield { type: 'usage', usage: { prompt, completion } }
      return
    }
  }
  return { process: engine, model: { name: 'alone', stream } }
}

async function compare(
  what: 'reading' | 'writing',
  task: (round: number) => [string, number],
): Promise<void> {
  const speeds = new Map<string, Speed[]>(sides.map(({ name }) => [name, []]))
  for (let round = 0; round < Number(rounds); round++) {
    const [prompt, most] = task(round)
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      speeds.get(side.name)?.push(await measure(side, what, [prompt, most]))
    }
  }
  const theirs = speeds.get('llama-server') ?? []
  for (const { name } of sides.slice(0, -1)) {
    const ours = speeds.get(name) ?? []
    const ratio = (key: keyof Speed, of: (list: readonly number[]) => number): string =>
      (of(ours.map((one) => one[key])) / of(theirs.map((one) => one[key]))).toFixed(3)
    const [own, other] = [ours, theirs].map((list) => median(list.map(({ clock }) => clock)).toFixed(0))
    console.log(
      `${what.padEnd(7)} ${name} ${own}, llama-server ${other} tokens/s; ratio of medians ${ratio('clock', median)} by ` +
        `the clock, ${ratio('cpu', median)} by processor time; of the best ${ratio('clock', best)} and ${ratio('cpu', best)}`,
    )
  }
}

/** Reading: the prompt by the time until its first token. Writing: the tokens after the first by the time they took. */
async function measure(
  side: Side,
  what: 'reading' | 'writing',
  [prompt, most]: [string, number],
): Promise<Speed> {
  const { used, clock, tokens } = await ask(side, prompt, most)
  const count = what === 'reading' ? tokens.read : tokens.written - 1
  const ms = what === 'reading' ? clock.first : clock.last - clock.first
  const cpu = what === 'reading' ? used.first : used.last - used.first
  return { clock: (count * 1e3) / ms, cpu: (count * 1e3) / cpu }
}

async function ask(side: Side, text: string, maxTokens: number) {
  const messages = [{ role: 'user' as const, text }]
  const request = { runId: 'run', sessionId: 'one', turn: 1, system: '', messages, tools: [], temperature: 0 }
  const [started, before] = [performance.now(), cpuOf(side)]
  const at = { clock: { first: 0, last: 0 }, used: { first: 0, last: 0 }, tokens: { read: 0, written: 0 } }
  for await (const event of side.model.stream({ ...request, maxTokens }, NEVER)) {
    if (event.type === 'text-delta' && at.clock.first === 0) {
      at.clock.first = performance.now() - started
      at.used.first = cpuOf(side) - before
    }
    if (event.type !== 'usage') continue
    const { prompt, cached = 0, completion } = event.usage
    at.tokens = { read: prompt - cached, written: completion }
  }
  at.clock.last = performance.now() - started
  at.used.last = cpuOf(side) - before
  return at
}

/** Milliseconds of processor time so far, of all threads. */
function cpuOf({ pid }: Side): number {
  const nanoseconds = readdirSync(`/proc/${pid()}/task`).map((task) =>
    Number(readFileSync(`/proc/${pid()}/task/${task}/schedstat`, 'utf8').split(' ')[0]),
  )
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6
}

function memoryOf({ pid }: Side): string {
  const [, kb = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid()}/status`, 'utf8')) ?? []
  return (Number(kb) / 1024).toFixed(0)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

function best(values: readonly number[]): number {
  return Math.max(...values)
}
