/**
 * What a person waits for before a command does anything: the built program against a Node that does nothing, in turns, in
 * one run. The fastest of many starts counts, since everything else on the machine only adds to it; ratios count, not the
 * numbers of one machine. Repeat with: npm run build && npx tsx bench/start.ts [FOLDER]
 * FOLDER holds other programs to compare with: npm install --prefix FOLDER @mariozechner/pi-coding-agent@0.73.1 opencode-ai
 * @openai/codex
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { peersIn, startModelServer } from './first-request.ts'

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const ROUNDS = 10

const starts: Readonly<Record<string, readonly string[]>> = {
  'node, nothing': ['-e', '0'],
  'covey --version': [MAIN, '--version'],
  'covey --help': [MAIN, '--help'],
  'covey help run': [MAIN, 'help', 'run'],
  'covey token': [MAIN, 'token'],
  'covey config explain': [MAIN, 'config', 'explain', 'offline'],
  'covey sessions': [MAIN, 'sessions'],
  'covey memory': [MAIN, 'memory'],
  'covey run, a script answers': [MAIN, 'run', '-m', 'scripted:play.jsonl', 'Go.'],
  'covey run, the model in the box': [MAIN, 'run', '-m', 'covey/nano', 'List the files in this folder.'],
}

const folder = mkdtempSync(join(tmpdir(), 'covey-bench-start-'))
try {
  writeFileSync(join(folder, 'play.jsonl'), JSON.stringify({ text: 'Done.' }))
  report(measure(folder))
  await compareFirstRequests(folder, process.argv[2])
} finally {
  rmSync(folder, { recursive: true, force: true })
}

type Times = ReadonlyMap<string, readonly number[]>

/** In turns, so that a busy moment of the machine falls on all of them. */
function measure(cwd: string): Times {
  const times = new Map(Object.keys(starts).map((name) => [name, [] as number[]]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, args] of Object.entries(starts)) times.get(name)?.push(timeOf(args, cwd))
  }
  return times
}

function timeOf(args: readonly string[], cwd: string): number {
  const env = { PATH: process.env['PATH'], HOME: cwd }
  const started = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const taken = performance.now() - started
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr.toString()}`)
  return taken
}

function report(times: Times): void {
  const fastest = (name: string): number => Math.min(...(times.get(name) ?? []))
  const bare = fastest('node, nothing')
  console.log(
    `${'the fastest of'.padEnd(34)}${`${ROUNDS} starts`.padStart(10)}${'over node'.padStart(12)}${'ratio'.padStart(8)}`,
  )
  for (const name of times.keys()) {
    const taken = fastest(name)
    const cells = [
      `${taken.toFixed(0)} ms`.padStart(10),
      `${(taken - bare).toFixed(0)} ms`.padStart(12),
      (taken / bare).toFixed(2).padStart(8),
    ]
    console.log(`${name.padEnd(34)}${cells.join('')}`)
  }
}

async function compareFirstRequests(home: string, peers: string | undefined): Promise<void> {
  const server = await startModelServer()
  const covey = [process.execPath, MAIN, '--base-url', server.url, '--model', 'm', 'hi']
  const all = { 'covey hi': { argv: covey }, ...(peers && peersIn(peers, home, server.url)) }
  const times = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, start] of Object.entries(all)) {
      const taken = await server.timeOf(start, home).catch((error: unknown) => {
        console.error(String(error))
        return Number.POSITIVE_INFINITY
      })
      times.set(name, Math.min(taken, times.get(name) ?? Number.POSITIVE_INFINITY))
    }
  }
  server.close()
  const own = times.get('covey hi') ?? Number.NaN
  console.log(`\n${'start to first request'.padEnd(34)}${'fastest'.padStart(10)}${'ratio'.padStart(8)}`)
  for (const [name, taken] of times)
    console.log(
      `${name.padEnd(34)}${`${taken.toFixed(0)} ms`.padStart(10)}${(taken / own).toFixed(2).padStart(8)}`,
    )
}
