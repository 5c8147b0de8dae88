/**
 * What our Model costs over bare node-llama-cpp, on the same file, in the same process, turn by turn: tokens a second of
 * reading and of writing, one conversation against four, loading and memory. Repeat with: npm run bench:embedded [file]
 */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LlamaContextSequence, LlamaModel } from 'node-llama-cpp'
import { createEmbeddedModel, type EmbeddedModel } from '../src/embedded/engine.ts'
import { loadEngine, threadsFor } from '../src/embedded/llama.ts'
import { readGguf } from '../src/lib/gguf.ts'
import { writeTinyModel } from '../test/embedded/support/tiny-gguf.ts'

const ROUNDS = 7
const WRITTEN = 200
const WINDOW = 2048
const TEXT = 'Read the file, tell me what it says, and write the corrected lines again. '.repeat(40)

const folder = await mkdtemp(join(tmpdir(), 'covey-bench-'))
const path = process.argv[2] ?? (await defaultModel())
const { parameters } = await readGguf(path)
console.log(`${path}: ${(parameters / 1e6).toFixed(1)}M parameters, ${threadsFor(undefined)} thread(s)`)

const engineStart = performance.now()
const { llama } = await loadEngine(false)
console.log(`engine start  ${since(engineStart)} ms, ${memory()} MB in memory`)
const loadStart = performance.now()
const model = await createEmbeddedModel({ name: 'bench', path, window: WINDOW, sequences: 4 })
await model.load()
console.log(`model load    ${since(loadStart)} ms, ${memory()} MB in memory`)

const bareModel = await llama.loadModel({ modelPath: path })
const bareContext = await bareModel.createContext({ contextSize: WINDOW, threads: threadsFor(undefined) })
const sequence = bareContext.getSequence()

const ours: Speed[] = []
const bare: Speed[] = []
for (let round = 0; round < ROUNDS; round++) {
  const text = `${round} ${TEXT}`
  const order = round % 2 === 0 ? [ours, bare] : [bare, ours]
  for (const list of order)
    list.push(list === ours ? await askOurs(text, 'one') : await askBare(bareModel, sequence, text))
}
report('reading', 'prefill')
report('writing', 'decode')

const alone = await tokensPerSecond(1)
const together = await tokensPerSecond(4)
console.log(
  `4 at a time   ${together.toFixed(0)} tokens/s in all, 1 alone ${alone.toFixed(0)}, ratio ${(together / alone).toFixed(2)}`,
)
console.log(`in the end    ${memory()} MB in memory`)
await model.close()
await rm(folder, { recursive: true })
process.exit()

type Speed = { readonly prefill: number; readonly decode: number }

/** The bundled model, or one of its size with random weights. */
async function defaultModel(): Promise<string> {
  const nano = fileURLToPath(new URL('../models/covey-nano.gguf', import.meta.url))
  if (existsSync(nano)) return nano
  const made = join(folder, 'made.gguf')
  await writeTinyModel(made, { layers: 10, width: 448 })
  return made
}

async function askOurs(text: string, sessionId: string): Promise<Speed> {
  const request = {
    runId: 'run',
    sessionId,
    turn: 1,
    system: '',
    messages: [{ role: 'user' as const, text }],
    tools: [],
    temperature: 0,
    maxTokens: WRITTEN,
  }
  return measure(countUsage(model, request))
}

/** One item when the first token is there, then the totals. */
async function* countUsage(
  asked: EmbeddedModel,
  request: Parameters<EmbeddedModel['stream']>[0],
): AsyncGenerator<{ read?: number; written?: number }> {
  let isFirst = true
  for await (const event of asked.stream(request, new AbortController().signal)) {
    if (isFirst) yield {}
    isFirst = false
    if (event.type !== 'usage') continue
    yield { read: event.usage.prompt - (event.usage.cached ?? 0), written: event.usage.completion }
  }
}

/** The least a program can do: evaluate the prompt, take tokens, make text of them. */
async function askBare(model: LlamaModel, sequence: LlamaContextSequence, text: string): Promise<Speed> {
  await sequence.clearHistory()
  const prompt = model.tokenize(`<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`, true)
  return measure(
    (async function* () {
      let written = 0
      let reply = ''
      for await (const token of sequence.evaluate(prompt, { temperature: 0 })) {
        reply += model.detokenize([token], true)
        if (++written === 1) yield {}
        if (written === WRITTEN) break
      }
      yield { read: prompt.length, written: reply === '' ? 0 : written }
    })(),
  )
}

async function measure(steps: AsyncIterable<{ read?: number; written?: number }>): Promise<Speed> {
  const start = performance.now()
  let first = 0
  for await (const { read, written } of steps) {
    first ||= performance.now()
    if (read === undefined || written === undefined) continue
    return {
      prefill: (read * 1000) / (first - start),
      decode: ((written - 1) * 1000) / (performance.now() - first),
    }
  }
  throw new Error('The model said nothing.')
}

/** All conversations together, from short prompts. */
async function tokensPerSecond(conversations: number): Promise<number> {
  const start = performance.now()
  const sessions = Array.from({ length: conversations }, (_, index) => `session-${index}`)
  await Promise.all(sessions.map((session) => askOurs(`A short question of ${session}.`, session)))
  return (conversations * WRITTEN * 1000) / (performance.now() - start)
}

function report(what: string, which: keyof Speed): void {
  const [own, plain] = [ours, bare].map((list) => median(list.map((speed) => speed[which])))
  console.log(
    `${what.padEnd(13)} ours ${own!.toFixed(0)} tokens/s, bare ${plain!.toFixed(0)}, ratio ${(own! / plain!).toFixed(3)}`,
  )
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function since(start: number): string {
  return (performance.now() - start).toFixed(0)
}

function memory(): string {
  return (process.memoryUsage().rss / 1e6).toFixed(0)
}
