/**
 * What our Model costs over bare node-llama-cpp, on the same file, in the same process, turn by turn: tokens a second of
 * reading and of writing, one conversation against four, loading and memory. Repeat with: npm run bench:embedded [file]
 */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createEmbeddedModel } from '../src/embedded/engine.ts'
import { loadEngine, threadsFor } from '../src/embedded/llama.ts'
import { readGguf } from '../src/lib/gguf.ts'
import type { Usage } from '../src/protocol/model.ts'
import { writeTinyModel } from '../test/embedded/support/tiny-gguf.ts'

const ROUNDS = 9
const WINDOW = 2048
const TEXT = 'Read the file, tell me what it says, and write the corrected lines again. '.repeat(30)
/** Keeps every model from ending early, and costs both sides the same. */
const GRAMMAR = 'root ::= [a-z ]{400}'

/** Tokens a second of the clock, and of processor time: only the second means something on a busy machine. */
type Speed = {
  readonly prefill: number
  readonly decode: number
  readonly cpuPrefill: number
  readonly cpuDecode: number
}

const folder = await mkdtemp(join(tmpdir(), 'covey-bench-'))
const path = process.argv[2] ?? (await defaultModel())
const threads = threadsFor(undefined)
console.log(
  `${path}: ${((await readGguf(path)).parameters / 1e6).toFixed(1)}M parameters, ${threads} thread(s)`,
)

const engineStart = performance.now()
const { llama, library } = await loadEngine(false)
console.log(`engine start  ${since(engineStart)} ms, ${memory()} MB in memory`)
const loadStart = performance.now()
const model = await createEmbeddedModel({
  name: 'bench',
  path,
  window: WINDOW,
  sequences: 4,
  grammarFor: () => GRAMMAR,
})
await model.load()
console.log(`model load    ${since(loadStart)} ms, ${memory()} MB in memory`)

const bareModel = await llama.loadModel({ modelPath: path })
const bareContext = await bareModel.createContext({ contextSize: WINDOW, sequences: 4, threads })
const bareSequence = bareContext.getSequence()
const bareGrammar = await llama.createGrammar({ grammar: GRAMMAR })

const speeds = { ours: [] as Speed[], bare: [] as Speed[] }
for (let round = 0; round < ROUNDS; round++) {
  const text = `${round} ${TEXT}`
  for (const side of round % 2 === 0 ? (['ours', 'bare'] as const) : (['bare', 'ours'] as const))
    speeds[side].push(side === 'ours' ? toSpeed(await askOurs(text, 'one')) : toSpeed(await askBare(text)))
}
report('reading', 'prefill', 'cpuPrefill')
report('writing', 'decode', 'cpuDecode')

const alone = await tokensPerSecond(1)
const together = await tokensPerSecond(4)
const gain = (together / alone).toFixed(2)
console.log(
  `4 at a time   ${together.toFixed(0)} tokens/s in all, 1 alone ${alone.toFixed(0)}, ratio ${gain}`,
)
console.log(`in the end    ${memory()} MB in memory`)
await model.close()
await rm(folder, { recursive: true })
process.exit()

/** The bundled model, or one of its size with random weights. */
async function defaultModel(): Promise<string> {
  const nano = fileURLToPath(new URL('../models/covey-nano.gguf', import.meta.url))
  if (existsSync(nano)) return nano
  const made = join(folder, 'made.gguf')
  await writeTinyModel(made, { layers: 10, width: 448 })
  return made
}

type Moment = { readonly clock: number; readonly cpu: number }
type Asked = {
  readonly started: Moment
  readonly first: Moment
  readonly ended: Moment
  readonly usage: Usage
}

function now(): Moment {
  const { user, system } = process.cpuUsage()
  return { clock: performance.now(), cpu: (user + system) / 1000 }
}

async function askOurs(text: string, sessionId: string): Promise<Asked> {
  const request = { runId: 'run', sessionId, turn: 1, system: '', tools: [], temperature: 0 }
  const messages = [{ role: 'user' as const, text }]
  const started = now()
  let first: Moment | undefined
  let usage: Usage = { prompt: 0, completion: 0 }
  for await (const event of model.stream({ ...request, messages }, new AbortController().signal)) {
    first ??= now()
    if (event.type === 'usage') usage = event.usage
  }
  return { started, first: first ?? started, ended: now(), usage }
}

/** The least a program can do: evaluate the prompt, take tokens, make text of them. */
async function askBare(text: string): Promise<Asked> {
  await bareSequence.clearHistory()
  const started = now()
  const prompt = bareModel.tokenize(`<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`, true)
  const state = new library.LlamaGrammarEvaluationState({ model: bareModel, grammar: bareGrammar })
  let first: Moment | undefined
  let reply = ''
  let completion = 0
  for await (const token of bareSequence.evaluate(prompt, {
    temperature: 0,
    grammarEvaluationState: state,
  })) {
    first ??= now()
    reply += bareModel.detokenize([token], true)
    completion++
  }
  if (reply.length < 400) throw new Error('The grammar did not hold.')
  return { started, first: first ?? started, ended: now(), usage: { prompt: prompt.length, completion } }
}

function toSpeed({ started, first, ended, usage }: Asked): Speed {
  const read = (usage.prompt - (usage.cached ?? 0)) * 1000
  const written = (usage.completion - 1) * 1000
  return {
    prefill: read / (first.clock - started.clock),
    decode: written / (ended.clock - first.clock),
    cpuPrefill: read / (first.cpu - started.cpu),
    cpuDecode: written / (ended.cpu - first.cpu),
  }
}

function report(what: string, clock: keyof Speed, cpu: keyof Speed): void {
  const { ours, bare } = speeds
  const ratio = (which: keyof Speed): string => (median(ours, which) / median(bare, which)).toFixed(3)
  const [own, plain] = [median(ours, clock).toFixed(0), median(bare, clock).toFixed(0)]
  console.log(
    `${what.padEnd(13)} ours ${own} tokens/s, bare ${plain}, ratio ${ratio(clock)} by clock, ${ratio(cpu)} by processor time`,
  )
}

/** All conversations together, from short prompts. */
async function tokensPerSecond(conversations: number): Promise<number> {
  const start = performance.now()
  const sessions = Array.from({ length: conversations }, (_, index) => `session-${index}`)
  const asked = await Promise.all(sessions.map((session) => askOurs(`A question of ${session}.`, session)))
  const written = asked.reduce((sum, { usage }) => sum + usage.completion, 0)
  return (written * 1000) / (performance.now() - start)
}

function median(list: readonly Speed[], which: keyof Speed): number {
  const values = list.map((speed) => speed[which]).toSorted((a, b) => a - b)
  return values[Math.floor(values.length / 2)] ?? 0
}

function since(start: number): string {
  return (performance.now() - start).toFixed(0)
}

function memory(): string {
  return (process.memoryUsage().rss / 1e6).toFixed(0)
}
