/**
 * Three machines that reach nothing but a NATS server vote, and each way to lose one of them or the server meanwhile.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/wait.ts'
import { whyNoNamespaces } from '../namespaces.ts'
import { missing as noServer } from './server.ts'
import { ip, type NatsMachine, type NatsSite, openNatsSite, readPage } from './site.ts'
import { runs } from '../../support/runs.ts'
import { seededSlice } from '../../support/seed.ts'

const missing = noServer ?? whyNoNamespaces()
const why = missing === undefined ? '' : ` (skipped: ${missing})`

/** Faster than life, and all three have to be heard before anybody wins. */
const SETTINGS = `
gone_s = 4
refresh_s = 1
ack_wait_s = 4

[swarm]
mode = "always"
workers = 3
most = 3
ahead = 3
rounds = 1
deadline_s = 12
`
const DEADLINE_MS = 12_000
/** Until everybody is heard again. */
const PASSWORD = 'read -rs NATS_PASSWORD && export NATS_PASSWORD'
const ANSWER = 'The answer is 42 .'
/** An answer takes a second: while it is asked for, in its middle. */
const phases = { asking: 20, answering: 600 } as const

test('the page says in seven commands what is done here', async () => {
  const { commands } = await readPage()

  expect(commands).toEqual([
    'covey peers ls',
    'covey peers ls',
    'nats-server -c nats.conf',
    PASSWORD,
    'covey serve',
    PASSWORD,
    'covey serve',
  ])
})

describe.skipIf(missing !== undefined)(`three machines behind a NATS server${why}`, () => {
  let site: NatsSite
  let laptop: NatsMachine
  let others: readonly NatsMachine[]

  const all = async () => (await laptop.inside.here()) === 2
  const vote = async () => {
    const started = performance.now()
    const chat = await laptop.inside.chat('covey/swarm')
    return { ...chat, isInTime: performance.now() - started < DEADLINE_MS + 15_000 }
  }
  const everybody = { status: 200, text: ANSWER, missing: [], voted: 3 }

  beforeAll(async () => {
    site = await openNatsSite(['laptop', 'tower', 'attic'], SETTINGS)
    const [first, ...rest] = site.machines
    laptop = first as NatsMachine
    others = rest
    await until(all)
  })

  afterAll(() => site.close())

  test('answer a request together, and vote', async () => {
    expect(await vote()).toMatchObject(everybody)
  })

  test('listen on nothing but loopback, and none can be reached by another', () => {
    const heard = site.machines.flatMap(({ inside }) => inside.listeners())
    const reached = site.machines.flatMap((from) =>
      site.machines.filter((to) => to !== from && canReach(from, to)).map((to) => [from.name, to.name]),
    )

    expect(heard.filter((address) => !/^(?:127\.|\[::1\])/.test(address))).toEqual([])
    expect(heard).toHaveLength(9)
    expect(reached).toEqual([])
  })

  test('`--nats URL` says the same as the configuration', async () => {
    const [tower] = others as [NatsMachine]
    await tower.kill()

    await tower.serve(`${PASSWORD}\ncovey serve --nats tls://${tower.gateway}`)
    await until(all)

    expect(await vote()).toMatchObject(everybody)
  })

  test('wrong credentials are an error in the banner of `covey serve`, with what to correct', async () => {
    const [tower] = others as [NatsMachine]
    await tower.kill()

    const wrong = await tower.serve('export NATS_PASSWORD=wrong\ncovey serve')
    await tower.kill()
    await tower.serve(`${PASSWORD}\ncovey serve`)
    await until(all)

    expect(wrong).toMatch(
      /peers +ERROR: .* refused the credentials \(Authorization Violation\); correct federation/,
    )
  })

  const faults: Readonly<
    Record<string, { strike(machine: NatsMachine): unknown; heal(machine: NatsMachine): unknown }>
  > = {
    kill: { strike: (machine) => machine.kill(), heal: (machine) => machine.serve() },
    pause: { strike: (machine) => machine.signal('SIGSTOP'), heal: (machine) => machine.signal('SIGCONT') },
    cut: { strike: ({ inside }) => inside.cut(), heal: ({ inside }) => inside.repair() },
  }
  const cases = Object.keys(faults).flatMap((fault) => {
    const all = Object.keys(phases).flatMap((phase) => [1, 2].map((count) => [fault, phase, count] as const))
    return seededSlice(all, runs(1, all.length), `NATS ${fault}`)
  })

  test.each(cases)(
    '%s, %s, of %i peers: an answer in time, who is missing, and recovery',
    async (name, phase, count) => {
      const { strike, heal } = faults[name]!
      const victims = others.slice(0, count)

      const voting = vote()
      await pause(phases[phase as keyof typeof phases])
      await Promise.all(victims.map(strike))
      const chat = await voting
      await Promise.all(victims.map(heal))
      await until(all)
      const after = await vote()

      expect(chat).toMatchObject({ status: 200, text: ANSWER, isInTime: true, voted: 3 - count })
      expect(chat.missing).toEqual(victims.map((machine) => expect.stringContaining(machine.name)))
      expect(after).toMatchObject(everybody)
    },
  )

  test('the server, killed in the middle of a vote, comes back: an answer in time, and recovery', async () => {
    const voting = vote()
    await pause(600)
    await site.broker.kill()
    await pause(1_000)
    await site.broker.start()
    const chat = await voting
    await until(all)
    const after = await vote()

    expect(chat).toMatchObject({ status: 200, text: ANSWER, isInTime: true })
    expect(chat.voted + chat.missing.length).toBe(3)
    expect(after).toMatchObject(everybody)
  })

  test('the server goes in the middle of a vote and stays away: this machine answers alone', async () => {
    const voting = vote()
    await pause(600)
    await site.broker.kill()
    const chat = await voting
    const alone = await vote()
    await site.broker.start()
    await until(all)
    const after = await vote()

    expect(chat).toMatchObject({ status: 200, text: ANSWER, isInTime: true, voted: 1 })
    expect(chat.missing).toEqual(others.map(({ name }) => expect.stringContaining(name)))
    expect(alone).toMatchObject({ status: 200, text: ANSWER, isInTime: true })
    expect(after).toMatchObject(everybody)
  })

  test('a machine whose server swallows every word starts, answers alone, and ends on request', async () => {
    const [tower] = others as [NatsMachine]
    const nowhere = tower.gateway.replace(/1$/, '9')
    await tower.kill()
    const { name } = tower.inside
    ip('-n', name, 'neigh', 'add', nowhere, 'lladdr', '02:00:00:00:00:09', 'dev', 'eth0')

    await tower.serve(`${PASSWORD}\ncovey serve --nats tls://${nowhere}`)
    const chat = await tower.inside.chat('covey/swarm')
    await tower.signal('SIGTERM')
    await until(() => !tower.isRunning())
    await tower.serve(`${PASSWORD}\ncovey serve`)
    await until(all)

    expect(chat).toMatchObject({ status: 200, text: ANSWER })
    expect(await vote()).toMatchObject(everybody)
  })

  test('a machine that asks and is paused itself loses no peer by it', async () => {
    const voting = vote()
    await pause(600)
    await laptop.signal('SIGSTOP')
    await pause(6_000)
    await laptop.signal('SIGCONT')

    expect(await voting).toMatchObject(everybody)
  })
})

/** A machine that can be reached and does not listen says so. */
function canReach(from: NatsMachine, to: NatsMachine): boolean {
  const script = `require('net').connect(9, '${to.inside.address}').on('error', ({ code }) => console.log(code))`
  const said = ip('netns', 'exec', from.inside.name, process.execPath, '-e', script)
  return !/^E(?:NET|HOST)UNREACH\n$/.test(said)
}
