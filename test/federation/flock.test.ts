/** Other machines joined with the rest: their models as arms and workers, our own as what they are offered. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openFlock } from '../../src/app/peers.ts'
import { Config } from '../../src/config/schema.ts'
import { readInviteCode } from '../../src/federation/invite-code.ts'
import { joinPeer } from '../../src/federation/join.ts'
import { lanFiles } from '../../src/federation/lan/open.ts'
import { AppError } from '../../src/protocol/error.ts'
import type { Lease, Reserve } from '../../src/protocol/arm.ts'
import { capabilitiesOf } from '../../src/provider/arm-models.ts'
import { fails, says, scriptedModel } from '../../src/provider/scripted.ts'
import { createArm } from '../../src/router/arm.ts'
import { createFiles } from '../../src/guard/paths/files.ts'
import { createFairQueue } from '../../src/server/http/queue.ts'
import { throughSwarm, withSwarm } from '../../src/swarm/lease.ts'
import { armSizes } from '../../src/app/arm-sizes.ts'
import type { Model } from '../../src/protocol/model.ts'
import { covey } from '../support/covey.ts'
import { tempHome } from '../config/home.ts'
import {
  hear,
  invite,
  type MachineOptions,
  NEVER,
  quick,
  saying,
  startMachine,
  tempFolder,
  type TestMachine,
} from './machines.ts'

/** A flock that knows these machines, in a data folder of its own. */
async function flockOf(options: readonly MachineOptions[]) {
  const dataFolder = await tempFolder()
  const machines: TestMachine[] = []
  for (const one of options) {
    const machine = await startMachine(one)
    machines.push(machine)
    await pairFolder(dataFolder, machine)
  }
  const settings = { enabled: true, discover: false, host: '127.0.0.1', port: 0, health_s: 0.1, gone_s: 0.6 }
  const config = Config.parse({ federation: settings })
  const flock = await openFlock(config, { dataFolder, env: {} })
  if (!flock) throw new Error('it is switched off')
  onTestFinished(() => flock.close())
  return { flock, machines, dataFolder }
}

async function pairFolder(dataFolder: string, machine: TestMachine): Promise<void> {
  const { identity, book } = lanFiles(dataFolder)
  const parts = { identity: await identity(), name: 'here', book, timing: quick }
  await joinPeer(readInviteCode(await invite(machine)), parts, NEVER)
}

const ownArm = (model: Model, local = true) => {
  const known = { window: 8_192 }
  const settings = {
    id: model.name,
    kind: 'openai-compatible',
    model: 'm',
    headers: {},
    local,
    known,
  } as const
  const capabilities = capabilitiesOf(settings, undefined)
  return createArm({ id: model.name, local, capabilities, native: model, ...armSizes() })
}

const leaseHere = (id: string): Lease => ({
  ...ownArm({ name: id, stream: () => saying('here') }).lease('the only one'),
})

const request = { task: '', excluded: [] }

describe('models of other machines', () => {
  test('are arms, told apart by a part of the key where names are the same', async () => {
    const { flock, machines } = await flockOf([{ name: 'lap top' }, { name: 'lap top' }])

    const ids = flock.arms().map(({ arm, tier }) => [arm.id, tier])

    expect(ids).toEqual([
      [`peer/lap-top-${machines[0]?.lan.id.slice(0, 8)}/m`, 'peer'],
      [`peer/lap-top-${machines[1]?.lan.id.slice(0, 8)}/m`, 'peer'],
    ])
  })

  test('keep their arm while they are out of reach, and say why', async () => {
    const { flock, machines } = await flockOf([{}])
    const [before] = flock.arms()
    await machines[0]?.lan.close()
    while (flock.arms()[0]?.gone === undefined) await new Promise((resolve) => setTimeout(resolve, 20))

    const [after] = flock.arms()

    expect(after?.arm).toBe(before?.arm)
    expect(after?.gone).toContain('ECONNREFUSED')
  })

  test('the built-in model is not an arm of another machine, but can be a worker', async () => {
    const nano = { id: 'covey/nano', window: 32_768, vision: false }
    const { flock } = await flockOf([{ report: { models: [nano] } }])

    expect(flock.arms()).toEqual([])
    expect(flock.elsewhere('covey/nano')).toHaveLength(1)
    expect(flock.elsewhere('m')).toEqual([])
  })

  test('of a worker: the same one where it has it, otherwise the one with the largest window', async () => {
    const models = [
      { id: 'small', window: 4_096, vision: false },
      { id: 'large', window: 65_536, vision: false },
    ]
    const { flock } = await flockOf([{ report: { models } }])

    const names = ['small', 'unknown'].map((arm) => flock.elsewhere(arm)[0]?.model.name)

    expect(names).toEqual(['small', 'large'])
  })

  test('that is too small for a worker is a missing vote, not a fault of the request', async () => {
    const model = scriptedModel([fails(new AppError('context-overflow', 'too long', { window: 100 }))])
    const { flock } = await flockOf([{ answer: (_model, asked, signal) => model.stream(asked, signal) }])
    const [worker] = flock.elsewhere('m')

    await expect(hear(worker?.model as Model)).rejects.toMatchObject({ code: 'model-unavailable' })
  })
})

describe('a single answer', () => {
  const busyHere = async (flock: Awaited<ReturnType<typeof flockOf>>['flock']) => {
    const queue = createFairQueue({ slots: () => 1 })
    for (let index = 0; index < 3; index++) queue.enter({ model: 'm', client: 'c' })
    await flock.listen({ arms: () => [], queue })
  }

  test('is given here while no request waits', async () => {
    const { flock } = await flockOf([{}])

    const lease = await flock.placed(async () => leaseHere('m'))(request, NEVER)

    expect(lease.arm.id).toBe('m')
  })

  test('is given by an idle machine with the same model while this one is busy', async () => {
    const { flock, machines } = await flockOf([{ name: 'idle', answer: () => saying('there') }])
    await busyHere(flock)
    let released = 0
    const reserve: Reserve = async () => ({ ...leaseHere('m'), release: () => void released++ })

    const lease = await flock.placed(reserve)({ ...request, runId: 'r' }, NEVER)
    const said = await hear(lease.model)

    expect([lease.arm.id, lease.why]).toEqual(['peer/idle/m', 'the shortest wait is at idle'])
    expect(said[0]).toEqual({ type: 'text-delta', text: 'there' })
    expect([released, machines[0]?.asked.length]).toEqual([1, 1])
  })

  test('comes back here when the other machine failed', async () => {
    const { flock } = await flockOf([{ name: 'idle' }])
    await busyHere(flock)

    const lease = await flock.placed(async () => leaseHere('m'))(
      { ...request, runId: 'r', excluded: ['peer/idle/m'] },
      NEVER,
    )

    expect(lease.arm.id).toBe('m')
  })
})

/** Idle, and faster than anything: everything in it is a claim. */
const boasting = {
  waiting: 0,
  running: 0,
  models: [{ id: 'm', window: 8_192, vision: false, prefill: 1e15, decode: 1e15 }],
}

describe('a machine that claims to be idle and infinitely fast', () => {
  test('gets no request that this machine would answer as soon', async () => {
    const { flock } = await flockOf([{ report: boasting }])

    const lease = await flock.placed(async () => leaseHere('m'))({ ...request, tokens: 20_000 }, NEVER)

    expect(lease.arm.id).toBe('m')
    expect(flock.arms()[0]?.arm.profile().capabilities.speeds).toEqual({})
  })

  test('does not get the voice of this machine in a vote, however busy that is', async () => {
    const { flock } = await flockOf([{ report: boasting, answer: () => saying('Answer: 666') }])
    const queue = createFairQueue({ slots: () => 1 })
    for (let index = 0; index < 3; index++) queue.enter({ model: 'm', client: 'c' })
    await flock.listen({ arms: () => [], queue })

    const lease = await flock.placed(async () => leaseHere('m'))({ ...request, stays: true }, NEVER)
    const placed = await flock.placed(async () => leaseHere('m'))(request, NEVER)

    expect([lease.arm.id, lease.machine]).toEqual(['m', undefined])
    expect(placed.machine).toEqual({ id: flock.health().peers[0]?.id, name: 'same' })
  })

  test('is measured by what arrives here, not by what it says it took', async () => {
    const text = 'word '.repeat(100)
    const { flock } = await flockOf([
      {
        report: boasting,
        async *answer() {
          await new Promise((resolve) => setTimeout(resolve, 60))
          yield { type: 'text-delta', text }
          await new Promise((resolve) => setTimeout(resolve, 60))
          yield { type: 'usage', usage: { prompt: 1e9, completion: 1e9 } }
          yield { type: 'finish', reason: 'stop' }
        },
      },
    ])
    const [worker] = flock.elsewhere('m')

    const events = await hear(worker?.model as Model)
    const { prefill = 0, decode = 0 } = flock.arms()[0]?.arm.profile().capabilities.speeds ?? {}

    const usage = events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []))
    expect(usage[0]?.completion).toBeLessThan(500)
    expect(decode).toBeGreaterThan(0)
    expect(decode).toBeLessThan(20_000)
    expect(prefill).toBeLessThan(20_000)
  })

  test('is not asked for a second ballot where the arm is its own', async () => {
    const { flock } = await flockOf([{ name: 'liar', report: boasting }, { name: 'b' }])

    expect(flock.elsewhere('peer/liar/m').map(({ name }) => name)).toEqual(['b'])
    expect(flock.elsewhere('peer/liar/another').map(({ name }) => name)).toEqual(['b'])
  })
})

describe('what this machine offers', () => {
  test('is its own arms, in the same line as everybody else', async () => {
    const { flock, dataFolder } = await flockOf([])
    const queue = createFairQueue({ slots: () => 1 })
    const own = ownArm({ ...scriptedModel([says('mine')]), name: 'mine' })
    const elsewhere = ownArm({ ...scriptedModel([says('dear')]), name: 'cloud' }, false)
    const ahead = queue.enter({ model: 'mine', client: 'c' })
    const listening = await flock.listen({ arms: () => [own, elsewhere], queue })
    const guest = await startMachine()
    const host = { id: flock.health().id ?? '', name: 'host', addresses: [listening?.address ?? ''] }
    await guest.files.book.add(host)
    await lanFiles(dataFolder).book.add({ id: guest.lan.id, name: 'guest', addresses: [] })
    await guest.lan.look()

    const machine = guest.lan.machines()[0] as NonNullable<ReturnType<typeof guest.lan.machines>[0]>
    const said = hear(machine.model('mine'))
    while (queue.state().waiting === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    ahead.leave()

    expect((await said)[0]).toEqual({ type: 'text-delta', text: 'mine' })
    expect(machine.state()).toMatchObject({ report: { models: [{ id: 'mine', window: 8_192 }] } })
    await expect(hear(machine.model('cloud'))).rejects.toMatchObject({ code: 'model-unavailable' })
    expect(queue.state()).toEqual({ active: 0, waiting: 0 })
  })
})

describe('workers of a swarm', () => {
  const countingModel = (name: string, asked: string[]): Model => ({
    name,
    stream() {
      asked.push(name)
      return saying('42')
    },
  })

  test('are spread over the machines; another machine is asked once, this one for what is left', async () => {
    const asked: string[] = []
    const others = ['a', 'b'].map((name) => ({ machine: name, name, model: countingModel(name, asked) }))
    const lease = { ...leaseHere('m'), model: countingModel('here', asked) }

    const { model } = withSwarm(lease, {
      workers: 5,
      elsewhere: others,
      policy: { when: 'always', most: 7, ahead: 7 },
    })
    await hear(model)

    expect(asked.toSorted()).toEqual(['a', 'b', 'here', 'here', 'here'])
  })

  test('on other machines are never asked past the firewall of a session', async () => {
    const asked: string[] = []
    const elsewhere = () => [{ machine: 'a', name: 'a', model: countingModel('a', asked) }]
    const files = createFiles({ root: await tempFolder() })
    const session = { tools: () => [], files, authorize: async () => ({ verdict: 'deny', why: '' }) as never }
    const through = throughSwarm({ workers: 2, elsewhere, policy: { when: 'always', most: 2 } })
    const reserve = async () => ({ ...leaseHere('m'), model: countingModel('here', asked) })

    await hear((await through(reserve, session)(request, NEVER)).model)
    const guarded = (model: Model) => ({ ...model, name: `guarded ${model.name}` })
    await hear((await through(reserve, { ...session, guarded })(request, NEVER)).model)

    expect(asked).toEqual(['here', 'here', 'here', 'a'])
  })
})

describe('a run on the command line', () => {
  const KEY = ['AKIA', 'QYLPMN5HFIQR7XYA'].join('')

  test('asks paired machines too: their votes count, and they are shown no secret', async () => {
    const answer = () => saying('The answer is 42.')
    const machines = [await startMachine({ name: 'a', answer }), await startMachine({ name: 'b', answer })]
    const home = tempHome({
      user: '[federation]\nenabled = true\ndiscover = false\n[swarm]\nmode = "always"\n',
    })
    for (const machine of machines) await pairFolder(`${home.env['HOME']}/.local/share/covey`, machine)
    await writeFile(join(home.cwd, 's.jsonl'), '{"text": "The answer is 41."}\n')

    const prompt = `My key is ${KEY}. What is six times seven?`
    const { code, out } = await covey(['--json', '--model', 'scripted:s.jsonl', prompt], home)

    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    const end = events.find((event) => event['type'] === 'vote' && event['stage'] === 'end')
    expect(code).toBe(0)
    expect(end).toMatchObject({
      report: {
        state: 'elected',
        votes: [
          {
            workers: expect.arrayContaining([
              expect.stringMatching(/^[a-z]+ \(m\) on a$/),
              expect.stringMatching(/^[a-z]+ \(m\) on b$/),
            ]),
          },
          {},
        ],
      },
    })
    const asked = JSON.stringify(machines.map((machine) => machine.asked))
    expect(asked).toContain('six times seven')
    expect(asked).not.toContain(KEY)
  })

  test('answers alone where no machine is here', async () => {
    const gone = await startMachine({ name: 'a' })
    const home = tempHome({
      user: '[federation]\nenabled = true\ndiscover = false\n[swarm]\nmode = "always"\nworkers = 1\nmost = 1\n',
    })
    await pairFolder(`${home.env['HOME']}/.local/share/covey`, gone)
    await gone.lan.close()
    await writeFile(join(home.cwd, 's.jsonl'), '{"text": "Alone."}\n')

    const { code, out } = await covey(['--model', 'scripted:s.jsonl', 'hello'], home)

    expect([code, out]).toEqual([0, 'Alone.\n'])
  })

  test('a model of another machine can be chosen by name', async () => {
    const machine = await startMachine({ name: 'studio', answer: () => saying('From the studio.') })
    const home = tempHome({ user: '[federation]\nenabled = true\ndiscover = false\n' })
    await pairFolder(`${home.env['HOME']}/.local/share/covey`, machine)

    const there = await covey(['--model', 'peer/studio/m', 'hello'], home)
    const not = await covey(['--model', 'peer/studio/x', 'hello'], home)

    expect([there.code, there.out]).toEqual([0, 'From the studio.\n'])
    expect([not.code, not.err]).toEqual([
      2,
      'covey: No other machine offers peer/studio/x now; offered are peer/studio/m.\n',
    ])
  })
})
