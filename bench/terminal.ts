/**
 * What a person feels at the terminal, on a real pty against a model server on this machine, in one run: how soon the screen
 * is there, how soon the first token is on it, what a fast stream costs, and whether memory grows with the conversation.
 * Repeat with: npm run bench:terminal [-- first-token|stream|memory|paint]
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import pty from '@lydell/node-pty'
import type { RunEvent } from '../src/protocol/event.ts'
import { Face } from '../src/tui/face.ts'

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const PAINTS = 8
const FIRST_TOKENS = 40
const WARM_UP_SECONDS = 4
const STREAM_SECONDS = 8
const TOKENS_A_SECOND = 200
const MESSAGES = 10_000

/** Enough of them, in an order without a period: a model that goes in circles is stopped. */
const WORDS =
  'the a file line test function value returns reads splits counts holds before after when each of them is was not index loop name path error result list map set sum first last empty whole part again only'.split(
    ' ',
  )

const wanted = process.argv[2]
const home = mkdtempSync(join(tmpdir(), 'covey-bench-terminal-'))
try {
  if (isWanted('paint')) await measurePaint()
  if (isWanted('first-token')) await measureFirstToken()
  if (isWanted('stream')) await measureStream()
  if (isWanted('memory')) measureMemory()
} finally {
  rmSync(home, { recursive: true, force: true })
}

function isWanted(name: string): boolean {
  return wanted === undefined || wanted === name
}

async function measurePaint(): Promise<void> {
  const paints: number[] = []
  const echoes: number[] = []
  for (let round = 0; round < PAINTS; round++) {
    const begun = performance.now()
    const screen = openScreen(['--model', 'covey/nano'])
    await screen.shows('covey')
    paints.push(performance.now() - begun)
    screen.type('qz')
    await screen.shows('qz')
    echoes.push(performance.now() - begun)
    screen.kill()
  }
  report('first paint after the start', paints, 400)
  report('a key typed at the first paint shows, after the start', echoes)
}

async function measureFirstToken(): Promise<void> {
  const server = await startServer()
  const screen = openScreen(['--base-url', server.url, '--model', 'm'])
  await screen.shows('/help for help')
  const times: number[] = []
  for (let round = 0; round < FIRST_TOKENS; round++) {
    const word = `Wo${'abcdefghijklmnopqrstuvwxyz'[round % 26]}${'xyz'[Math.floor(round / 26)]}`
    screen.forget()
    screen.type(`Say it, ${round}.\r`)
    const answer = await server.nextQuestion()
    await pause(150 + Math.random() * 100)
    screen.forget()
    const sent = performance.now()
    // Its last letters may be the first of a secret of this machine.
    answer.say(`${word}nder`)
    await screen.shows(word)
    times.push(performance.now() - sent)
    screen.forget()
    answer.end(' end.')
    await screen.shows('end.')
  }
  screen.kill()
  server.close()
  report('first token at the socket to the screen, nothing behind it', times, 50)
}

/** The first seconds hold the work of the compiler; what a stream costs is seen after them. */
async function measureStream(): Promise<void> {
  const server = await startServer()
  const screen = openScreen(['--base-url', server.url, '--model', 'm'])
  await screen.shows('/help for help')
  screen.type('Write a long answer.\r')
  const answer = await server.nextQuestion()
  screen.forget()
  const costs: number[] = []
  for (const seconds of [WARM_UP_SECONDS, STREAM_SECONDS]) {
    const before = processorMs(screen.pid)
    const begun = performance.now()
    await streamFor(seconds, answer, costs.length * WARM_UP_SECONDS * TOKENS_A_SECOND)
    costs.push(((processorMs(screen.pid) - before) / (performance.now() - begun)) * 100)
  }
  const bytes = screen.bytes()
  answer.end()
  screen.kill()
  server.close()
  const [first = 0, then = 0] = costs
  console.log(
    `${TOKENS_A_SECOND} tokens/s at 80x24: ${then.toFixed(1)} % of a core (limit 10 %), ${first.toFixed(1)} % in the first ` +
      `${WARM_UP_SECONDS} s; ${(bytes.length / 1000).toFixed(0)} kB written, ${bytes.match(/\u001B\[[23]J/g)?.length ?? 0} clears`,
  )
}

async function streamFor(seconds: number, answer: Answer, from: number): Promise<void> {
  const begun = performance.now()
  for (let sent = 0; sent < seconds * TOKENS_A_SECOND; sent++) {
    answer.say(tokenAt(from + sent))
    const wait = begun + ((sent + 1) * 1000) / TOKENS_A_SECOND - performance.now()
    if (wait > 0) await pause(wait)
  }
}

/** The face alone, with a surface that only counts: the session's own history is on disk and in the model's window. */
function measureMemory(): void {
  setFlagsFromString('--expose_gc')
  const collect = runInNewContext('gc') as () => void
  let written = 0
  const surface = { columns: 80, rows: 24, write: (text: string) => void (written += text.length) }
  const facts = () => ({ arm: 'm', mode: 'ask', confinement: 'none' })
  const face = new Face({ surface, isVerbose: false, facts })
  let id = 0
  const heaps: number[] = []
  for (let message = 0; message < MESSAGES; message += 2) {
    for (const event of exchange(message)) face.take({ ...event, id: ++id })
    face.drawNow()
    if (message % 1000 === 0) {
      collect()
      heaps.push(process.memoryUsage().heapUsed / 1e6)
    }
  }
  face.suspend()
  const [, first = 0] = heaps
  const last = heaps.at(-1) ?? 0
  console.log(
    `${MESSAGES} messages: ${first.toFixed(1)} MB after 1,000, ${last.toFixed(1)} MB after ${MESSAGES} ` +
      `(x${(last / first).toFixed(2)}), ${(written / 1e6).toFixed(1)} MB written`,
  )
}

function* exchange(at: number): Generator<RunEvent> {
  const runId = `run-${at}`
  const text = `Answer ${at} with **some** words.\n\n- one\n- two\n\n\`\`\`ts\nconst a = ${at}\n\`\`\`\n`
  yield { type: 'run-start', runId, prompt: `Question ${at}` }
  yield { type: 'turn-start', turn: 1 }
  yield { type: 'text-delta', text }
  yield { type: 'turn-end', turn: 1, messages: [{ role: 'assistant', text, calls: [] }] }
  const attribution = { model: 1, repair: 0, detector: 0 }
  yield { type: 'run-end', runId, reason: 'answered', turns: 1, changed: [], attribution }
}

/** Prose, with a list, a heading and a block of code now and then. */
function tokenAt(index: number): string {
  if (index % 400 === 150) return '\n\n```ts\nconst total = lines.map((line) => line.length)\n```\n\n'
  if (index % 400 === 250) return '\n\n## What it means\n\n'
  if (index % 60 === 59) return '\n\n'
  return `${WORDS[(index * index * 7 + index * 13 + Math.floor(index / 37)) % WORDS.length]} `
}

function openScreen(flags: readonly string[]) {
  const child = pty.spawn(process.execPath, [MAIN, '--permission', 'ask', ...flags], {
    name: 'xterm-256color',
    cols: 80,
    rows: 24,
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, TERM: 'xterm-256color' },
  })
  let bytes = ''
  let look = (): void => {}
  child.onData((data) => {
    bytes += data
    look()
  })
  return {
    pid: child.pid,
    type: (text: string) => child.write(text),
    kill: () => child.kill('SIGKILL'),
    bytes: () => bytes,
    forget: () => void (bytes = ''),
    shows: (text: string, patience = 30_000) =>
      new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`no "${text}" in ${JSON.stringify(bytes.slice(-300))}`)),
          patience,
        )
        look = () => {
          if (!bytes.includes(text)) return
          clearTimeout(timer)
          look = () => {}
          resolve()
        }
        look()
      }),
  }
}

type Answer = { say(text: string): void; end(last?: string): void }

/** Questions of the conversation wait to be answered; what a probe asks gets one word. */
async function startServer() {
  const waiting: ((answer: Answer) => void)[] = []
  const asked: Answer[] = []
  const server = createServer((request, response) => {
    if (request.method === 'GET') return void sendModels(request.url ?? '', response)
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const answer = answerOn(response)
      if (!body.includes('"stream":true') || !/Say it|Write a long/.test(body)) {
        answer.say('Yes.')
        return answer.end()
      }
      const take = waiting.shift()
      if (take) take(answer)
      else asked.push(answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    nextQuestion: () =>
      new Promise<Answer>((resolve) => {
        const answer = asked.shift()
        if (answer) resolve(answer)
        else waiting.push(resolve)
      }),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function sendModels(url: string, response: ServerResponse): void {
  response.statusCode = url.endsWith('/models') ? 200 : 404
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ object: 'list', data: [{ id: 'm', object: 'model' }] }))
}

function answerOn(response: ServerResponse): Answer {
  response.setHeader('content-type', 'text/event-stream')
  const send = (value: object): void => void response.write(`data: ${JSON.stringify(value)}\n\n`)
  return {
    say: (content) => send({ choices: [{ index: 0, delta: { content } }] }),
    end(last = '') {
      send({ choices: [{ index: 0, delta: { content: last } }] })
      send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
      response.end('data: [DONE]\n\n')
    },
  }
}

/** Time the threads of a process were on a processor. Of /proc/PID/stat only ticks are known, which count short work as long. */
function processorMs(pid: number): number {
  const folder = `/proc/${pid}/task`
  const times = readdirSync(folder).map((thread) => readFileSync(join(folder, thread, 'schedstat'), 'utf8'))
  return times.reduce((sum, text) => sum + Number(text.split(' ', 1)[0]) / 1e6, 0)
}

function report(name: string, times: readonly number[], limit?: number): void {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(0)
  console.log(
    `${name}: median ${at(0.5)} ms, p95 ${at(0.95)} ms, fastest ${at(0)} ms${limit === undefined ? '' : ` (limit ${limit} ms)`}`,
  )
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
