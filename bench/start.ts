/**
 * What a person waits for before a command does anything: the built program against a Node that does nothing, in turns, in
 * one run. The fastest of many starts counts, since everything else on the machine only adds to it; ratios count, not the
 * numbers of one machine. Repeat with: npm run build && npx tsx bench/start.ts
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

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
