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
import { readGguf } from '../src/lib/gguf/header.ts'
import { writeTinyModel } from '../test/embedded/support/tiny-gguf.ts'

const ROUNDS = 15
const WINDOW = 2048
const LONG = 'Read the file, tell me what it says, and write the corrected lines again. '.repeat(30)

/** Grammars keep every model from ending early, and cost both sides the same. */
const READING: Task = { grammar: 'root ::= [a-z]', prompt: (round) => `${round} ${LONG}`, counts: 'read' }
const WRITING: Task = {
  grammar: 'root ::= [a-z ]{400}',
  prompt: (round) => `Question ${round}`,
  counts: 'written',
}

type Task = {
  readonly grammar: string
  readonly prompt: (round: number) => string
  readonly counts: 'read' | 'written'
}

const folder = await mkdtemp(join(tmpdir(), 'covey-bench-'))
const path = process.argv[2] ?? (await defaultModel())
const threads = threadsFor(undefined)
console.log(
  `${path}: ${((await readGguf(path)).parameters / 1e6).toFixed(1)}M parameters, ${threads} thread(s)`,
)

const engineStart = performance.now()
const { llama, library } = await loadEngine()
console.log(`engine start  ${since(engineStart)} ms, ${memory()} MB in memory`)
const loadStart = performance.now()
const options = { name: 'bench', path, window: WINDOW, sequences: 4 }
const model = await createEmbeddedModel({ ...options, grammarFor: ({ task }) => task })
await model.load()
console.log(`model load    ${since(loadStart)} ms, ${memory()} MB in memory`)

const bareModel = await llama.loadModel({ modelPath: path })
const bareContext = await bareModel.createContext({ contextSize: WINDOW, sequences: 4, threads })
const bareSequence = bareContext.getSequence()

await compare('reading', READING)
await compare('writing', WRITING)

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

/** By the clock, and by processor time: only the second means something on a busy machine. */
async function compare(what: string, task: Task): Promise<void> {
  const speeds = { ours: [] as Speed[], bare: [] as Speed[] }
  for (let round = 0; round < ROUNDS; round++) {
    const prompt = task.prompt(round)
    for (const side of round % 2 === 0 ? (['ours', 'bare'] as const) : (['bare', 'ours'] as const)) {
      const ask = side === 'ours' ? askOurs : askBare
      speeds[side].push(await measure(async () => (await ask(prompt, task.grammar))[task.counts]))
    }
  }
  const [ours, bare] = [best(speeds.ours), best(speeds.bare)]
  const [byClock, byCpu] = [ours.clock / bare.clock, ours.cpu / bare.cpu].map((ratio) => ratio.toFixed(3))
  console.log(
    `${what.padEnd(13)} ours ${ours.clock.toFixed(0)} tokens/s, bare ${bare.clock.toFixed(0)}: ` +
      `ratio ${byClock} by the clock, ${byCpu} by processor time`,
  )
}

/** Tokens a second. */
type Speed = { readonly clock: number; readonly cpu: number }

async function measure(work: () => Promise<number>): Promise<Speed> {
  const start = performance.now()
  const used = process.cpuUsage()
  const tokens = await work()
  const { user, system } = process.cpuUsage(used)
  return { clock: (tokens * 1e3) / (performance.now() - start), cpu: (tokens * 1e6) / (user + system) }
}

type Tokens = { readonly read: number; readonly written: number }

async function askOurs(text: string, task: string, sessionId = 'one'): Promise<Tokens> {
  const messages = [{ role: 'user' as const, text }]
  const request = { runId: 'run', sessionId, turn: 1, task, system: '', messages, tools: [], temperature: 0 }
  for await (const event of model.stream(request, new AbortController().signal)) {
    if (event.type !== 'usage') continue
    const { prompt, cached = 0, completion } = event.usage
    return { read: prompt - cached, written: completion }
  }
  throw new Error('The reply was cut off.')
}

/** The least a program can do: evaluate the prompt, take tokens, make text of them. */
async function askBare(text: string, gbnf: string): Promise<Tokens> {
  await bareSequence.clearHistory()
  const prompt = bareModel.tokenize(`<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`, true)
  const grammar = await llama.createGrammar({ grammar: gbnf })
  const grammarEvaluationState = new library.LlamaGrammarEvaluationState({ model: bareModel, grammar })
  let reply = ''
  let written = 0
  for await (const token of bareSequence.evaluate(prompt, { temperature: 0, grammarEvaluationState })) {
    reply += bareModel.detokenize([token], true)
    written++
  }
  if (reply === '') throw new Error('The grammar did not hold.')
  return { read: prompt.length, written }
}

/** All conversations together. */
async function tokensPerSecond(conversations: number): Promise<number> {
  const sessions = Array.from({ length: conversations }, (_, index) => `session ${index} of ${conversations}`)
  const { clock } = await measure(async () => {
    const tokens = await Promise.all(sessions.map((session) => askOurs(session, WRITING.grammar, session)))
    return tokens.reduce((sum, { written }) => sum + written, 0)
  })
  return clock
}

/** The best round of each: whatever else runs on the machine only ever makes one slower. */
function best(list: readonly Speed[]): Speed {
  return {
    clock: Math.max(...list.map(({ clock }) => clock)),
    cpu: Math.max(...list.map(({ cpu }) => cpu)),
  }
}

function since(start: number): string {
  return (performance.now() - start).toFixed(0)
}

function memory(): string {
  return (process.memoryUsage().rss / 1e6).toFixed(0)
}
