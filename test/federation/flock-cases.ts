/**
 * Three machines on one network: found, paired, voting, and each way to lose one of them in each phase of an answer.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type NamespaceMachine, openSite, type Site, whyNoNamespaces } from './namespaces.ts'
import { lanFiles } from '../../src/federation/lan/open.ts'
import { until } from '../support/wait.ts'
import { whyNoSlowWire } from './slow-wire.ts'
import { runs } from '../support/runs.ts'
import { seededSlice } from '../support/seed.ts'

const missing = whyNoNamespaces()
const notSlow = whyNoSlowWire()

/** All three have to be heard before anybody wins. */
const SWARM = `
[swarm]
mode = "always"
workers = 3
most = 3
ahead = 3
rounds = 1
`
/** Faster than life, so that every fault can be tried in every phase. */
const FAST = `health_s = 0.5\ngone_s = 4\nstall_s = 3\n${SWARM}deadline_s = 12\n`
const ANSWER = 'The answer is 42 .'
/** How often each fault is tried with the values of life, with one peer and with two in turn. */
const TIMES = Number(process.env['COVEY_TIMES'] ?? runs(1, 2))
/** A busy machine takes its time; who waits for ever takes more. */
const SLACK_MS = 15_000

const settings = {
  fast: { speed: 'faster than life', config: FAST, deadlineMs: 12_000, isReal: false },
  /** As it is without any setting. */
  real: { speed: 'with the values of life', config: SWARM, deadlineMs: 120_000, isReal: true },
} as const
const why = missing ? ` (${missing})` : ''

/** Each setting in a file of its own: most of the time is waiting, and files run side by side. */
export function describeFlock(which: keyof typeof settings): void {
  const setting = settings[which]
  describe.skipIf(missing !== undefined)(`three machines${why}, ${setting.speed}`, () => flock(setting))
}

function flock({ config, deadlineMs, isReal }: (typeof settings)[keyof typeof settings]): void {
  let site: Site
  let one: NamespaceMachine
  let others: readonly NamespaceMachine[]

  beforeAll(async () => {
    site = await openSite(3, config)
    const [first, ...rest] = site.machines
    one = first as NamespaceMachine
    others = rest
    await Promise.all(site.machines.map((machine) => machine.serve()))
    for (const other of others) {
      const { out } = await one.run(['peers', 'invite'])
      const joined = await other.run(['peers', 'join', out.trim()])
      expect(joined).toMatchObject({ code: 0, out: expect.stringContaining('Paired with 10-79-0-1') })
    }
    await until(async () => (await one.here()) === 2)
  }, 300_000)

  afterAll(() => site.close())

  test('answer a request together, and vote', async () => {
    const chat = await one.chat('covey/swarm')

    expect(chat).toMatchObject({ status: 200, text: ANSWER, missing: [], voted: 3 })
  })

  test('the API listens on loopback only, the peers on the address that was given', async () => {
    const bound = one.listeners().filter((address) => /:1761[57]$/.test(address))

    expect(bound.toSorted()).toEqual(['10.79.0.1:17617', '127.0.0.1:17615', '[::1]:17615'])
  })

  test('a machine with an unknown address is found', async () => {
    const [two] = others as [NamespaceMachine]
    await Promise.all([one.kill(), two.kill()])
    await Promise.all([one, two].map(forgetAddresses))
    await one.serve()

    const { id: wanted } = await lanFiles(join(two.folder, 'data', 'covey')).identity()
    await two.serve()
    const started = performance.now()
    const isTwoHere = async () => {
      const { peers } = await one.health()
      return peers.some(({ id, state }) => state === 'here' && id === wanted)
    }
    await until(isTwoHere)

    // On a machine of its own; beside other tests it may take longer.
    expect(performance.now() - started).toBeLessThan(runs(30_000, 2_000))
    await until(async () => (await one.here()) === 2)
  })

  type Fault = {
    readonly strike: (machine: NamespaceMachine) => unknown
    readonly heal: (machine: NamespaceMachine) => unknown
  }

  const faults: Readonly<Record<string, Fault>> = {
    kill: { strike: (machine) => machine.kill(), heal: (machine) => machine.serve() },
    pause: { strike: (machine) => machine.signal('SIGSTOP'), heal: (machine) => machine.signal('SIGCONT') },
    partition: { strike: (machine) => machine.cut(), heal: (machine) => machine.repair() },
    latency: { strike: (machine) => machine.slow(10_000), heal: (machine) => machine.quick() },
  }
  /** An answer takes a second: before it, while it is asked for, in its middle. */
  const phases = { before: -300, asking: 20, answering: 600 } as const

  const everyCase = Object.keys(faults).flatMap((fault) => {
    const all = Object.keys(phases).flatMap((phase) => [1, 2].map((count) => [fault, phase, count] as const))
    return seededSlice(all, runs(1, all.length), `flock ${fault}`)
  })
  const fiveTimes = Object.keys(faults).flatMap((fault) =>
    Array.from({ length: TIMES }, (_, time) => [fault, 'answering', (time % 2) + 1] as const),
  )
  const cases = isReal ? fiveTimes : everyCase

  const striking = async (name: string, phase: string, count: number) => {
    const { strike, heal } = faults[name] as Fault
    const victims = others.slice(0, count)
    const delayMs = phases[phase as keyof typeof phases]
    const hit = () => Promise.all(victims.map((machine) => strike(machine)))

    if (delayMs < 0) await hit()
    const started = performance.now()
    const asked = one.chat('covey/swarm')
    if (delayMs >= 0) {
      await new Promise((resolve) => setTimeout(resolve, delayMs))
      await hit()
    }
    const chat = await asked
    const tookMs = performance.now() - started
    await Promise.all(victims.map((machine) => heal(machine)))
    await until(async () => (await one.here()) === 2)
    const after = await one.chat('covey/swarm')

    expect(chat).toMatchObject({ status: 200, text: ANSWER })
    expect(chat.voted + chat.missing.length).toBe(3)
    expect(chat.missing.length).toBeLessThanOrEqual(count)
    expect(tookMs).toBeLessThan(deadlineMs + SLACK_MS)
    expect(after).toMatchObject({ status: 200, text: ANSWER, missing: [], voted: 3 })
  }

  test.skipIf(isReal).each([
    ['asking', phases.asking],
    ['answering', phases.answering],
  ])('a machine that is paused itself while it is %s loses no peer by it', async (_, delayMs) => {
    const asked = one.chat('covey/swarm')
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    one.signal('SIGSTOP')
    await new Promise((resolve) => setTimeout(resolve, 6_000))
    one.signal('SIGCONT')
    const after = one.chat('covey/swarm')

    // Longer than a peer may be silent, and longer than it may be unheard of.
    expect(await asked).toMatchObject({ status: 200, text: ANSWER, missing: [], voted: 3 })
    expect(await after).toMatchObject({ status: 200, text: ANSWER, missing: [], voted: 3 })
  })

  const isLatency = ([fault]: (typeof cases)[number]) => fault === 'latency'
  const title = '%s, %s, of %i peers: an answer in time, and recovery'

  test.each(cases.filter((each) => !isLatency(each)))(title, striking)

  describe.skipIf(notSlow !== undefined)(`on a slow wire${notSlow ? ` (${notSlow})` : ''}`, () => {
    test.each(cases.filter(isLatency))(title, striking)

    test.runIf(isReal)('who takes half a second longer still votes', async () => {
      await Promise.all(others.map((machine) => machine.slow(250)))

      const chat = await one.chat('covey/swarm')

      await Promise.all(others.map((machine) => machine.quick()))
      expect(chat).toMatchObject({ status: 200, text: ANSWER, missing: [], voted: 3 })
    })

    test.runIf(isReal)('an answer outlives a wire that is slow for a moment', async () => {
      const asked = one.chat('covey/swarm')
      await new Promise((resolve) => setTimeout(resolve, phases.answering))
      await Promise.all(others.map((machine) => machine.slow(10_000)))
      await Promise.all(others.map((machine) => machine.quick()))

      expect(await asked).toMatchObject({ status: 200, text: ANSWER, missing: [], voted: 3 })
    })

    test.skipIf(isReal)('who stays slow is gone, is not waited for, and comes back', async () => {
      const [two] = others as [NamespaceMachine]
      await two.slow(10_000)
      await until(async () => (await one.here()) === 1)

      const chat = await one.chat('covey/swarm')

      await two.quick()
      await until(async () => (await one.here()) === 2)
      const after = await one.chat('covey/swarm')
      expect(chat).toMatchObject({ status: 200, text: ANSWER, missing: [], voted: 3 })
      expect(after).toMatchObject({ status: 200, text: ANSWER, missing: [], voted: 3 })
    })
  })
}

async function forgetAddresses({ folder }: NamespaceMachine): Promise<void> {
  const path = join(folder, 'data', 'covey', 'peers.json')
  const book = JSON.parse(await readFile(path, 'utf8')) as { peers: { addresses: string[] }[] }
  await writeFile(
    path,
    JSON.stringify({ ...book, peers: book.peers.map((peer) => ({ ...peer, addresses: [] })) }),
  )
}
