/**
 * Round after round in which one of two peers is killed, paused or cut off at some moment of a vote. There is an answer each time,
 * one vote is missing at most, and afterwards the machine that asked holds no more than before. `COVEY_ROUNDS` says how many
 * rounds, `COVEY_SEED` which, `COVEY_STALL_S` after how much silence a peer is given up.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../support/wait.ts'
import { type NamespaceMachine, openSite, type Site, whyNoNamespaces } from './namespaces.ts'
import { runs } from '../support/runs.ts'
import { seed } from '../support/seed.ts'

const ROUNDS = Number(process.env['COVEY_ROUNDS'] ?? runs(3, 12))
const SEED = Number(process.env['COVEY_SEED'] ?? seed)
const STALL_S = Number(process.env['COVEY_STALL_S'] ?? 5)
const DEADLINE_MS = 15_000
const CONFIG = `health_s = 0.5
gone_s = 6
stall_s = ${STALL_S}

[swarm]
mode = "always"
workers = 3
most = 3
ahead = 3
rounds = 1
deadline_s = 15
`

const faults = {
  kill: { strike: (machine) => machine.kill(), heal: (machine) => machine.serve() },
  pause: { strike: (machine) => machine.signal('SIGSTOP'), heal: (machine) => machine.signal('SIGCONT') },
  cut: { strike: (machine) => machine.cut(), heal: (machine) => machine.repair() },
} satisfies Record<
  string,
  { strike(machine: NamespaceMachine): unknown; heal(machine: NamespaceMachine): unknown }
>
const names = Object.keys(faults) as (keyof typeof faults)[]
/** An answer takes a second: before it, while it is asked for, in its middle, at its end. */
const delays = [-200, 0, 50, 300, 600, 900] as const

/** Numbers from 0 to 1, the same for the same seed. Mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const missing = whyNoNamespaces()

describe.skipIf(missing !== undefined)(`${ROUNDS} rounds${missing ? ` (${missing})` : ''}`, () => {
  let site: Site
  let one: NamespaceMachine
  let others: readonly NamespaceMachine[]

  beforeAll(async () => {
    site = await openSite(3, CONFIG)
    const [first, ...rest] = site.machines
    one = first as NamespaceMachine
    others = rest
    await Promise.all(site.machines.map((machine) => machine.serve()))
    for (const other of others) {
      const { out } = await one.run(['peers', 'invite'])
      await other.run(['peers', 'join', out.trim()])
    }
    await until(async () => (await one.here()) === 2)
  }, 300_000)

  afterAll(() => site.close())

  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

  /** That it is seen may still be from before the fault; only an answer shows that it is back. */
  const answers = async ({ address }: NamespaceMachine): Promise<boolean> => {
    if ((await one.here()) !== 2) return false
    return (await one.chat(`peer/${address.replaceAll('.', '-')}/m`)).status === 200
  }

  async function round(random: () => number) {
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
    const [fault, delay, victim] = [pick(names), pick(delays), pick(others)]
    const hit = async () => faults[fault].strike(victim)
    if (delay < 0) await hit()
    const started = performance.now()
    const asked = one.chat('covey/swarm')
    if (delay >= 0) await wait(delay).then(hit)
    const { status, text, whys: lost, voted } = await asked
    const tookMs = performance.now() - started
    await faults[fault].heal(victim)
    await until(() => answers(victim))
    return { fault, delay, status, text, lost, voted, tookMs }
  }

  /** What is left once everything that was begun has ended. */
  async function settled() {
    await until(() => one.connections() === 0)
    return one.held()
  }

  test('each has one answer in time and costs one vote at most, and nothing is left over', async () => {
    const random = createRandom(SEED)
    await one.chat('covey/swarm')
    const before = await settled()
    const seen: Record<string, number> = {}

    for (let index = 0; index < ROUNDS; index++) {
      const { fault, delay, status, text, lost, voted, tookMs } = await round(random)
      seen[fault] = (seen[fault] ?? 0) + 1
      const what = `round ${index + 1}: ${fault} after ${delay} ms, took ${Math.round(tookMs)} ms`
      expect([what, status, text]).toEqual([what, 200, 'The answer is 42 .'])
      expect([what, lost.slice(1), voted + lost.length]).toEqual([what, [], 3])
      expect(tookMs).toBeLessThan(DEADLINE_MS + 15_000)
      if ((index + 1) % 10 === 0) console.info(`${index + 1} rounds: ${JSON.stringify(await settled())}`)
    }

    const after = await settled()
    console.info(`${ROUNDS} rounds, seed ${SEED}: ${JSON.stringify({ seen, before, after })}`)
    expect(after.streams).toBe(0)
    expect(after.files).toBeLessThanOrEqual(before.files + 4)
    expect(after.timers).toBeLessThanOrEqual(before.timers + 4)
  }, 3_600_000)
})
