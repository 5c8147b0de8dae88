/** Real servers with real weights, asked through the program's own arms; what was seen is written down for the docs. */
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as wait } from 'node:timers/promises'
import {
  findLlamaPython,
  findLlamaServer,
  findOllama,
  freePort,
  llamaArgs,
  type RealServer,
  startServer,
  untilReady,
} from '../../scripts/real/server.ts'
import { realCache, type RealWeights, realWeights } from '../../scripts/real/weights.ts'
import { openServer } from '../../src/app/server-arm.ts'
import type { Capabilities } from '../../src/protocol/arm.ts'
import type { ModelEvent, ModelRequest, Model } from '../../src/protocol/model.ts'

export const llamaServer = findLlamaServer()
export const ollama = findOllama()
export const llamaPython = findLlamaPython()

export const weightsHere = (...kinds: readonly RealWeights['kind'][]): readonly RealWeights[] =>
  realWeights.filter(({ kind, file }) => kinds.includes(kind) && existsSync(pathOf({ file })))

export const pathOf = ({ file }: Pick<RealWeights, 'file'>): string => join(realCache(), file)

export const whyNot = (program: string | undefined, name: string): string =>
  program === undefined
    ? ` (skipped: ${name} is not on the PATH)`
    : weightsHere('chat', 'base', 'embedding').length === 0
      ? ' (skipped: no weights; npm run real:fetch)'
      : ''

export async function startLlama(
  weights: Pick<RealWeights, 'file'>,
  more: readonly string[],
  { port, ready = true }: { readonly port?: number; readonly ready?: boolean } = {},
): Promise<RealServer> {
  const at = port ?? (await freePort())
  const args = llamaArgs(pathOf(weights), at, more)
  const server = startServer({ program: llamaServer ?? '', args, port: at })
  if (ready) await untilReady(server, '/health')
  return server
}

export type RealPython = RealServer & {
  /** As it says itself. */
  readonly version: string
  /** For every prompt that began like the one before it, how much of it was kept: only its log tells. */
  cacheShares(): readonly number[]
}

/** The server of llama-cpp-python: one request at a time, one thread. */
export async function startPython(
  weights: Pick<RealWeights, 'file'>,
  more: readonly string[] = [],
  given?: number,
): Promise<RealPython> {
  const port = given ?? (await freePort())
  const log = join(await mkdtemp(join(tmpdir(), 'covey-real-')), 'server.log')
  const args = [
    '-m',
    'llama_cpp.server',
    '--model',
    pathOf(weights),
    '--host',
    '127.0.0.1',
    '--port',
    `${port}`,
  ]
  const threads = ['--n_threads', '1', '--n_threads_batch', '1']
  const server = startServer({ program: llamaPython ?? '', args: [...args, ...threads, ...more], port, log })
  await untilReady(server, '/v1/models')
  const { info } = (await getJson(`${server.url}/openapi.json`)) as { info: { version: string } }
  const kept = /(\d+) prefix-match hit, remaining (\d+) prompt tokens/g
  return {
    ...server,
    version: info.version,
    cacheShares: () =>
      [...readFileSync(log, 'utf8').matchAll(kept)].map(
        ([, hits, rest]) => Number(hits) / (Number(hits) + Number(rest)),
      ),
  }
}

export type RealOllama = RealServer & {
  /** For every prompt so far, which share of it was in the cache: only its log tells. */
  cacheShares(): readonly number[]
}

/** With every model created from its file, one thread each. */
export async function startOllama(models: readonly RealWeights[], given?: number): Promise<RealOllama> {
  const port = given ?? (await freePort())
  const home = await mkdtemp(join(tmpdir(), 'covey-real-'))
  const env = {
    ...process.env,
    HOME: home,
    OLLAMA_HOST: `127.0.0.1:${port}`,
    OLLAMA_MODELS: join(home, 'models'),
    OLLAMA_DEBUG: '1',
  }
  const log = join(home, 'ollama.log')
  const server = startServer({ program: ollama ?? '', args: ['serve'], port, env, log })
  await untilReady(server, '/api/version')
  for (const weights of models) {
    const file = join(home, `${weights.name}.modelfile`)
    await writeFile(file, `FROM ${pathOf(weights)}\nPARAMETER num_thread 1\n`)
    const create = startServer({
      program: ollama ?? '',
      args: ['create', weights.name, '-f', file],
      port,
      env,
    })
    await new Promise((resolve) => create.process.once('exit', resolve))
  }
  return { ...server, cacheShares: () => sharesIn(readFileSync(log, 'utf8')) }
}

/** In the words of Ollama's own runners, and of `llama-server`, which newer versions start. */
function sharesIn(log: string): readonly number[] {
  const own = [...log.matchAll(/msg="loading cache slot" id=\d+ cache=\d+ prompt=(\d+) used=(\d+)/g)]
  if (own.length > 0) return own.map(([, prompt, used]) => Number(used) / Number(prompt))
  const told = /task (\d+) \| cached n_tokens = (\d+)|task (\d+) \| prompt eval time = .*?\/ +(\d+) tokens/g
  const cached = new Map<string, number>()
  const shares: number[] = []
  for (const [, began, hits, done, read] of log.matchAll(told)) {
    // A prompt read in several batches says it for each; the first counts.
    if (began !== undefined && !cached.has(began)) cached.set(began, Number(hits))
    const from = cached.get(done ?? '')
    if (from !== undefined) shares.push(from / (from + Number(read)))
  }
  return shares
}

/** Whether a server can be started where programs look for it without being told. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  server.listen(port, '127.0.0.1')
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.once('listening', () => server.close(() => resolve(true)))
  })
}

export type Asked = Awaited<ReturnType<typeof openArm>>

export async function openArm(url: string, model: string, known: Partial<Capabilities> = {}) {
  const opened = await openServer(
    {
      id: 'real',
      kind: 'openai-compatible',
      model,
      baseUrl: `${url}/v1`,
      headers: {},
      local: true,
      known,
    },
    { promptsFolder: PROMPTS },
  )
  const lease = opened.arm.lease('test')
  return { ...opened, model: lease.model, capabilities: lease.arm.capabilities }
}

const PROMPTS = fileURLToPath(new URL('../../prompts', import.meta.url))

export const request = (text: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  runId: 'real',
  sessionId: 'real',
  turn: 1,
  system: 'You are a test.',
  messages: [{ role: 'user', text }],
  tools: [],
  maxTokens: 16,
  temperature: 0,
  ...more,
})

export const NEVER: AbortSignal = new AbortController().signal

export async function reply(
  model: Model,
  asked: ModelRequest,
  signal: AbortSignal = NEVER,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.stream(asked, signal)) events.push(event)
  return events
}

export const textIn = (events: readonly ModelEvent[]): string =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')

export const usageIn = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []))[0]

/** For the table in docs/servers.md. */
export function seen(server: string, check: string, what: string): void {
  mkdirSync(realCache(), { recursive: true })
  appendFileSync(join(realCache(), 'seen.jsonl'), `${JSON.stringify({ server, check, what })}\n`)
}

export async function getJson(url: string): Promise<unknown> {
  return (await fetch(url)).json()
}

/** Until no slot of a llama.cpp server works any more; gives the milliseconds it took. */
export async function untilIdle(url: string): Promise<number> {
  const started = performance.now()
  for (;;) {
    const slots = (await getJson(`${url}/slots`)) as readonly { is_processing: boolean }[]
    if (slots.every((slot) => !slot.is_processing)) return performance.now() - started
    await wait(10)
  }
}

/** For a program that prints events: at the first words of a reply the server is killed, and then started again. */
export function crashInReply(server: () => RealServer, restart: () => Promise<void>) {
  let restarted: Promise<void> | undefined
  return {
    onOut(text: string): void {
      if (restarted !== undefined || !text.includes('"text-delta"')) return
      const { process } = server()
      const gone = once(process, 'exit')
      process.kill('SIGKILL')
      restarted = gone.then(restart)
    },
    over: async (): Promise<void> => restarted,
  }
}
