/**
 * What the server adds to an upstream it passes on: the same requests, in the same run, straight to a server that answers
 * at once, through one that hands bytes on and does nothing else (the most any program on Node can reach), through Covey
 * with a real arm, and to a model inside Covey's process, which shows what the server takes by itself; then a thousand
 * streams held open. Ratios count, not the numbers of one machine. Covey runs as it was built: tsx names every function
 * anew each time one is made, which costs a fifth of the time and memory. Repeat with: npm run bench:server
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { mkdtemp } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import type * as Arms from '../src/app/arms.ts'
import type * as Count from '../src/context/count.ts'
import type * as FitClient from '../src/context/fit-client.ts'
import type * as GuardFiles from '../src/guard/paths/files.ts'
import type { Model } from '../src/protocol/model.ts'
import type * as ApiRoutes from '../src/server/api/routes.ts'
import type * as Metrics from '../src/server/admin/metrics.ts'
import type * as Server from '../src/server/server.ts'
import type * as Tokens from '../src/server/http/tokens.ts'

const CHUNKS = 32
const SECONDS = 3
const STREAMS = 1000
const CLIENTS = 16
const SLOW_MS = 25

async function measure(): Promise<void> {
  const upstream = await start('upstream')
  const bare = await start('bare', upstream.url)
  const covey = await start('covey', upstream.url)
  console.log(
    `${'connections'.padEnd(12)}${'stream'.padEnd(8)}${HEADS.map((head) => head.padStart(13)).join('')}`,
  )
  for (const stream of [false, true]) {
    // Code that is still being compiled would be the first number.
    await load(covey, { connections: 16, stream, model: 'bench', seconds: SECONDS })
    for (const connections of [1, 16, 64]) {
      const how = { connections, stream, seconds: SECONDS }
      const direct = await load(upstream, { ...how, model: 'bench' })
      const passed = await load(bare, { ...how, model: 'bench' })
      const through = await load(covey, { ...how, model: 'bench' })
      const inside = await load(covey, { ...how, model: 'inside' })
      const added = through.p50 - direct.p50
      const cells = [
        `${direct.p50.toFixed(2)} ms`,
        `${through.p50.toFixed(2)} ms`,
        `${added.toFixed(2)} ms`,
        `${direct.rate.toFixed(0)}/s`,
        `${passed.rate.toFixed(0)}/s`,
        `${through.rate.toFixed(0)}/s`,
        (through.rate / direct.rate).toFixed(2),
        (through.rate / passed.rate).toFixed(2),
        `${inside.p50.toFixed(2)} ms`,
        `${inside.rate.toFixed(0)}/s`,
      ]
      const label = `${String(connections).padEnd(12)}${String(stream).padEnd(8)}`
      console.log(label + cells.map((cell) => cell.padStart(13)).join(''))
    }
  }
  await besideGateway(upstream, covey)
  await waitInLine(covey)
  await holdStreams(covey, 'inside')
  await holdStreams(covey, 'bench')
  for (const { child } of [covey, bare, upstream]) child.kill()
}

const HEADS = [
  'direct p50',
  'covey p50',
  'added',
  'direct rate',
  'bare rate',
  'covey rate',
  'of direct',
  'of bare',
  'inside p50',
  'inside rate',
]

type Place = {
  readonly url: string
  readonly keys: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}
type Started = Place & { readonly child: ChildProcess }

async function start(name: string, ...rest: readonly string[]): Promise<Started> {
  const child = fork(fileURLToPath(import.meta.url), [name, ...rest], {
    execArgv: [...process.execArgv, '--expose-gc'],
  })
  const [place] = (await once(child, 'message')) as [Place]
  return { ...place, child }
}

const body = (model: string, stream: boolean, content = 'Say thirty-two words.') =>
  JSON.stringify({
    model,
    messages: [{ role: 'user', content }],
    stream,
    stream_options: { include_usage: true },
  })

type Load = {
  readonly connections: number
  readonly stream: boolean
  readonly model: string
  readonly seconds: number
}

async function load(place: Place, { connections, stream, model, seconds }: Load) {
  const dispatcher = new Agent({ connections })
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  const work = async (_: unknown, index: number): Promise<void> => {
    while (performance.now() < end) {
      const started = performance.now()
      const response = await post(place, index, body(model, stream), dispatcher)
      const text = await response.body.text()
      if (response.statusCode !== 200 || (stream && !text.includes('[DONE]')))
        throw new Error(text.slice(0, 300))
      times.push(performance.now() - started)
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
  await dispatcher.close()
  times.sort((a, b) => a - b)
  const share = (fraction: number) => times[Math.floor(times.length * fraction)] ?? 0
  return { p50: share(0.5), p95: share(0.95), rate: times.length / seconds }
}

const post = ({ url, keys, headers }: Place, index: number, text: string, dispatcher: Agent) =>
  request(`${url}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${keys[index % keys.length]}`,
      ...headers,
    },
    body: text,
    dispatcher,
  })

const CLIENTS_FOLDER = fileURLToPath(new URL('../test/clients/node_modules', import.meta.url))
const GATEWAY = join(CLIENTS_FOLDER, '@portkey-ai', 'gateway', 'build', 'start-server.js')
const GATEWAY_PORT = 18_787

/** The same upstream behind a gateway that only passes on; whole answers, because it fails on streams with Node 20. */
async function besideGateway(upstream: Place, covey: Place): Promise<void> {
  if (!existsSync(GATEWAY))
    return console.log('the Portkey gateway is not installed (npm install in test/clients)')
  const child = spawn(process.execPath, [GATEWAY, `--port=${GATEWAY_PORT}`, '--headless'], {
    stdio: 'ignore',
    env: { ...process.env, TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
  })
  const url = `http://127.0.0.1:${GATEWAY_PORT}`
  while (!(await fetch(url).then(Boolean, () => false))) await delay(100)
  const headers = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': upstream.url }
  for (const connections of [1, 16, 64]) {
    const how = { connections, stream: false, model: 'bench', seconds: SECONDS }
    await load({ url: `${url}/v1`, keys: ['x'], headers }, { ...how, seconds: 1 })
    const gateway = await load({ url: `${url}/v1`, keys: ['x'], headers }, how)
    const own = await load(covey, how)
    console.log(
      `${connections} connections: the Portkey gateway p50 ${gateway.p50.toFixed(2)} ms, ${gateway.rate.toFixed(0)}/s; ` +
        `covey p50 ${own.p50.toFixed(2)} ms, ${own.rate.toFixed(0)}/s`,
    )
  }
  child.kill()
}

/** One more than all before: what a client would wait if the model were never idle and the line perfectly fair. */
async function waitInLine(covey: Started): Promise<void> {
  const alone = await load(covey, { connections: 1, stream: false, model: 'slow', seconds: 2 })
  const together = await load(covey, { connections: CLIENTS, stream: false, model: 'slow', seconds: 8 })
  const ratio = together.p95 / (alone.p50 * CLIENTS)
  console.log(
    `${CLIENTS} clients on one model with one slot: p95 ${together.p95.toFixed(0)} ms, ` +
      `${ratio.toFixed(2)} times what is ideal`,
  )
}

async function holdStreams(covey: Started, model: string): Promise<void> {
  const dispatcher = new Agent({ connections: STREAMS })
  await Promise.all(
    Array.from({ length: 50 }, async () => (await post(covey, 0, body(model, true), dispatcher)).body.text()),
  )
  const before = await memoryOf(covey.child)
  const held = await Promise.all(
    Array.from({ length: STREAMS }, async (_, index) => {
      const response = await post(covey, index, body(model, true, 'hold'), dispatcher)
      const iterator = response.body[Symbol.asyncIterator]()
      await iterator.next()
      return response
    }),
  )
  await delay(500)
  const after = await memoryOf(covey.child)
  const each = (now: number, then: number) => `${((now - then) / STREAMS / 1000).toFixed(1)} kB`
  console.log(
    `${held.length} streams held (${model}): ${each(after.heapUsed + after.external, before.heapUsed + before.external)} of heap, ` +
      `${each(after.rss, before.rss)} of resident memory each`,
  )
  await dispatcher.destroy()
}

async function memoryOf(child: ChildProcess): Promise<NodeJS.MemoryUsage> {
  child.send('memory')
  const [usage] = (await once(child, 'message')) as [NodeJS.MemoryUsage]
  return usage
}

/** Answers at once; a request that says `hold` gets its first word and no end. */
async function serveUpstream(): Promise<void> {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  const words = Array.from({ length: CHUNKS }, (_, index) => `word${index} `)
  const usage = { prompt_tokens: 10, completion_tokens: CHUNKS, total_tokens: 10 + CHUNKS }
  const message = { role: 'assistant', content: words.join('') }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  const whole = JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'bench',
    choices,
    usage,
  })
  const server = createHttpServer((incoming, response) => {
    let text = ''
    incoming.on('data', (piece) => (text += String(piece)))
    incoming.on('end', () => {
      if (!text.includes('"stream":true')) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(whole)
        return
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk({ role: 'assistant', content: '' }))
      for (const word of words) response.write(chunk({ content: word }))
      if (text.includes('"hold"')) return
      response.write(chunk({}, 'stop'))
      response.end(
        `data: ${JSON.stringify({ ...JSON.parse(whole), object: 'chat.completion.chunk', choices: [] })}\n\ndata: [DONE]\n\n`,
      )
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  process.send?.({ url, keys: ['none'] })
}

/** Hands on what comes, unread, in both directions. */
async function serveBare(baseUrl: string): Promise<void> {
  const { origin, pathname } = new URL(`${baseUrl}/chat/completions`)
  const dispatcher = new Agent()
  const headers = { 'content-type': 'application/json' }
  const server = createHttpServer((incoming, response) => {
    const pieces: Buffer[] = []
    incoming.on('data', (piece: Buffer) => pieces.push(piece))
    incoming.on('end', async () => {
      const asked = { origin, path: pathname, method: 'POST', headers, body: Buffer.concat(pieces) } as const
      const answer = await dispatcher.request(asked)
      response.writeHead(answer.statusCode, { 'content-type': String(answer.headers['content-type']) })
      answer.body.pipe(response)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  process.send?.({ url, keys: ['none'] })
}

type Program = typeof Arms &
  typeof Count &
  typeof FitClient &
  typeof GuardFiles &
  typeof ApiRoutes &
  typeof Metrics &
  typeof Server &
  typeof Tokens

const PARTS = [
  'arms',
  'context/count',
  'context/fit-client',
  'guard/files',
  'server/api-routes',
  'server/metrics',
  'server/server',
  'server/tokens',
]

async function loadProgram(): Promise<Program> {
  const load = (part: string) => import(new URL(`../src/${part}.ts`, import.meta.url).href) as Promise<object>
  return Object.assign({}, ...(await Promise.all(PARTS.map(load)))) as Program
}

async function serveCovey(baseUrl: string): Promise<void> {
  const program = await loadProgram()
  const cwd = await mkdtemp(join(tmpdir(), 'covey-bench-'))
  const settings = {
    id: 'bench',
    kind: 'openai-compatible',
    model: 'bench',
    baseUrl,
    headers: {},
    local: true,
    known: { window: 8192 },
  } as const
  const files = program.createFiles({ root: cwd })
  const parts = { cwd, files, promptsFolder: cwd, probe: false }
  const { arm } = await program.openArm({ kind: 'arm', settings, why: 'bench' }, parts)
  const { capabilities } = arm.profile()
  const tokens = program.openTokens(join(cwd, 'tokens'))
  const keys: string[] = []
  for (let client = 0; client < CLIENTS; client++) keys.push(await tokens.add(`client-${client}`, ['chat']))
  const server = await program.createServer({
    tokens,
    audit: () => {},
    metrics: program.createMetrics('bench'),
    isAuthOff: false,
    hosts: [],
    routes: program.apiRoutes({
      models: {
        list: () => [{ id: 'bench', ownedBy: 'bench', created: 1, capabilities, embeddings: false }],
        async reserve(model) {
          const lease = arm.lease('bench')
          const own = [insideModel, slowModel].find(({ name }) => name === model)
          return own ? { ...lease, arm: { ...lease.arm, id: own.name }, model: own } : lease
        },
        fit: (asked, lease) =>
          program.fitClient(asked, { window: 8192, count: (text) => lease.countTokens(text) }),
        count: ({ system, tools, messages }, { countTokens: count }) =>
          program.fixedTokens(system, tools, count) + program.messagesTokens(messages, { count }),
        slots: (model) => (model === 'slow' ? 1 : STREAMS),
      },
      agents: { profiles: [], open: () => Promise.reject(new Error('no agents here')) },
      fit: 'auto',
      now: Date.now,
    }),
  })
  const [address] = await server.listen({ port: 0 })
  process.on('message', async () => {
    // Signals and buffers of what is over leave in steps: once a finalizer has run, the rest is garbage too.
    for (let round = 0; round < 3; round++) {
      globalThis.gc?.()
      await delay(50)
    }
    process.send?.(process.memoryUsage())
  })
  process.send?.({ url: `http://127.0.0.1:${address?.port}/v1`, keys })
}

const insideModel: Model = {
  name: 'inside',
  async *stream({ messages }, signal) {
    for (let word = 0; word < CHUNKS; word++) yield { type: 'text-delta', text: `word${word} ` }
    if (messages[0]?.text === 'hold')
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    yield { type: 'usage', usage: { prompt: 10, completion: CHUNKS } }
    yield { type: 'finish', reason: 'stop' }
  },
}

const slowModel: Model = {
  name: 'slow',
  async *stream() {
    await delay(SLOW_MS)
    yield { type: 'text-delta', text: 'word' }
    yield { type: 'finish', reason: 'stop' }
  },
}

const [role, upstreamUrl = ''] = process.argv.slice(2)
// No server outlives the run that started it.
process.once('disconnect', () => process.exit())
if (role === 'upstream') await serveUpstream()
else if (role === 'bare') await serveBare(upstreamUrl)
else if (role === 'covey') await serveCovey(upstreamUrl)
else await measure()
