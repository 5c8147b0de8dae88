import { setTimeout as pause } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { NatsIntervals } from '../../../src/federation/nats/open.ts'
import type { Model } from '../../../src/protocol/model.ts'
import { questionOf } from '../machines.ts'
import { killMachine, startMachine } from '../nats-machine/order.ts'
import {
  dial,
  fast,
  machineOf,
  missing,
  named,
  newIdentity,
  newServer,
  open,
  type RealServer,
} from './server.ts'
import { eventually } from '../../support/wait.ts'

/** The text after the last restart, as a reader of the events sees it. */
async function read(model: Model, text: string): Promise<string> {
  let answer = ''
  for await (const event of model.stream(questionOf(text), new AbortController().signal)) {
    if (event.type === 'reply-restart') answer = ''
    if (event.type === 'text-delta') answer += event.text
    if (event.type === 'finish') answer += '.'
  }
  return answer
}

/** Machines that are processes of their own, and one here that asks. */
async function flock(server: RealServer, intervals: NatsIntervals, wordMs: number) {
  const asker = newIdentity()
  const identities = ['tower', 'attic', 'cellar'].map((name) => ({ name, identity: newIdentity() }))
  const trusted = [asker.id, ...identities.map(({ identity }) => identity.id)]
  const options = { server: { url: server.url }, trusted, intervals }
  const orders = identities.map((node) => ({ options: { ...options, node }, wordMs }))
  const children = await Promise.all(orders.map(startMachine))
  onTestFinished(async () => {
    await Promise.all(children.map(killMachine))
  })
  const transport = await open({ ...options, node: { name: 'laptop', identity: asker } })
  await eventually(() => expect(transport.machines()).toHaveLength(3))
  return {
    transport,
    machine: (name: string) => machineOf(transport, name),
    kill: (index: number) => killMachine(children[index]!),
    async start(index: number) {
      children[index] = await startMachine(orders[index]!)
    },
  }
}

/**
 * What lies in the stream of results. The streams of jobs say nothing: a server that was killed may keep a job that it
 * knows to be done.
 */
async function storedResults(server: RealServer) {
  const jsm = await jetstreamManager(await dial(server.url))
  const { state } = await jsm.streams.info('covey_results', { subjects_filter: '>' })
  return { messages: state.messages, jobs: Object.keys(state.subjects ?? {}).length }
}

describe.skipIf(missing !== undefined)(named('machines and a server that are killed'), () => {
  test('200 jobs, a machine and the server killed in between: 200 results, none stored twice', async () => {
    const server = await newServer()
    const intervals = { ...fast, goneMs: 60_000, ackWaitMs: 2_000, deadlineMs: 240_000 }
    const { transport, machine, kill, start } = await flock(server, intervals, 20)
    const names = ['tower', 'attic', 'cellar']
    let answered = 0
    const jobs = Array.from({ length: 200 }, async (_, job) => {
      const model = job % 2 ? transport.anyone('small') : machine(names[job % 3]!).model('small')
      const text = await read(model, `job ${job}`)
      answered++
      return text
    })
    const reach = (count: number) => eventually(() => expect(answered).toBeGreaterThanOrEqual(count))

    await reach(40)
    await kill(0)
    await reach(80)
    await server.kill()
    await pause(500)
    await server.start()
    await start(0)
    const texts = await Promise.all(jobs)

    expect(texts).toEqual(Array.from({ length: 200 }, (_, job) => `done with job ${job}.`))
    expect(await storedResults(server)).toEqual({ messages: 200, jobs: 200 })
  })

  test('a machine that is killed is gone, and waiting callers get an error', async () => {
    const server = await newServer()
    const { machine, kill } = await flock(server, { ...fast, goneMs: 2_000 }, 60_000)

    const waiting = read(machine('tower').model('small'), 'never').catch((error: unknown) => error)
    await pause(500)
    await kill(0)

    expect(await waiting).toMatchObject({
      code: 'model-unavailable',
      message: expect.stringMatching(/^tower is gone: nothing was heard of it for \d s\.$/),
    })
    expect(machine('tower').state().state).toBe('gone')
    expect(machine('attic').state().state).toBe('here')
  })

  test('a program that was stopped for a while drops no machine that was there all the time', async () => {
    const server = await newServer()
    const { machine } = await flock(server, fast, 1_000)

    const answer = read(machine('tower').model('small'), 'patience')
    await pause(500)
    // Timers are looked at before what came from the network.
    await new Promise(setImmediate)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000)

    expect(await answer).toBe('done with patience.')
  })

  test('a job in the line goes to another machine when the one that took it dies', async () => {
    const server = await newServer()
    const { transport, kill, machine } = await flock(server, { ...fast, deadlineMs: 60_000 }, 300)

    const answers = Array.from({ length: 6 }, (_, job) => read(transport.anyone('small'), `job ${job}`))
    await pause(700)
    await kill(0)
    await kill(1)

    expect(await Promise.all(answers)).toEqual(Array.from({ length: 6 }, (_, job) => `done with job ${job}.`))
    expect(machine('cellar').state().state).toBe('here')
  })
})
