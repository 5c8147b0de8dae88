/**
 * What the loop itself costs per turn, with a model that answers at once and a tool that touches no file: the same turns with
 * the session in memory and with its log on disk. Repeat with: npm run bench:loop
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../src/app/open.ts'
import { calls, createScriptedModel, says } from '../src/provider/scripted.ts'

const TURNS = 40
const RUNS = 25

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0

for (const incognito of [true, false]) {
  const perTurn: number[] = []
  for (let run = 0; run < RUNS; run++) perTurn.push(...(await timeRun(incognito)))
  const [p50, p99] = [percentile(perTurn, 0.5), percentile(perTurn, 0.99)]
  const place = incognito ? 'in memory' : 'log on disk'
  console.log(
    `${place.padEnd(12)} ${perTurn.length} turns: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms per turn`,
  )
}

/** Milliseconds of each turn, from its start to its end. */
async function timeRun(incognito: boolean): Promise<number[]> {
  const home = await mkdtemp(join(tmpdir(), 'covey-bench-'))
  const cwd = await mkdtemp(join(tmpdir(), 'covey-bench-'))
  const pages = Array.from({ length: TURNS }, (_, turn) => [
    calls('read_result', { id: 'r1', from: 1990 - turn }),
  ])
  const model = createScriptedModel([
    [calls('run_command', { command: 'seq 1 2000' })],
    ...pages,
    [says('Done.')],
  ])
  const env = { PATH: process.env['PATH'], HOME: home }
  const flags = { 'engine.max_turns': 100 }
  const app = await createApp({ env, cwd, model, permission: 'bypass', incognito, window: 131_072, flags })
  const session = await app.openSession({ resume: 'new', canAsk: false })
  const stop = new AbortController()
  const events = session.events({ signal: stop.signal })
  await session.prompt('Go.')
  const times: number[] = []
  let started = 0
  for await (const event of events) {
    if (event.type === 'turn-start') started = performance.now()
    if (event.type === 'turn-end') times.push(performance.now() - started)
    if (event.type === 'run-end') break
  }
  stop.abort()
  await session.close()
  await app.close()
  await rm(home, { recursive: true })
  await rm(cwd, { recursive: true })
  return times.slice(1, -1)
}
