/** A machine that lies about its speed, its load, its models and its names has one ballot, and no more. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Lease } from '../../src/protocol/arm.ts'
import type { Model, ModelEvent } from '../../src/protocol/model.ts'
import type { Candidate, VoteEvent, VoteResult } from '../../src/protocol/vote.ts'
import { capabilitiesOf } from '../../src/provider/arm-models.ts'
import { type Elsewhere, throughSwarm, withSwarm } from '../../src/swarm/lease.ts'
import { createFiles } from '../../src/guard/paths/files.ts'
import { vote } from '../../src/swarm/vote.ts'
import { tempProject } from '../support/project.ts'
import { edit, read, run, said, tools } from './candidates.ts'
import { runs } from '../support/runs.ts'

const NEVER = new AbortController().signal
const LIAR = 'f'.repeat(64)

describe('the vote', () => {
  const answer = fc.oneof(
    fc.constantFrom('a', 'b').map((path) => read('', path)),
    fc.constantFrom('y', 'z').map((text) => edit('', text)),
    fc.constantFrom('rm a', 'rm b').map((command) => run('', command)),
    fc.constantFrom('Answer: 42', 'Answer: 666').map((text) => said('', text)),
    fc.constant({ ...read('', 'a'), isCut: true }),
  )
  const honest = fc.array(fc.tuple(answer, fc.boolean()), { maxLength: 5 }).map((list) =>
    list.map(([one, isHere], index): Candidate => ({
      ...one,
      worker: `w${index}`,
      ...(!isHere && { machine: `${index}`.repeat(64) }),
    })),
  )
  const lies = fc
    .array(answer, { minLength: 1, maxLength: 6 })
    .map((list) => list.map((one, index): Candidate => ({ ...one, worker: `liar ${index}`, machine: LIAR })))
  const options = fc.record({
    tools: fc.constant(tools),
    remaining: fc.nat(2),
    ahead: fc.integer({ min: 1, max: 3 }),
    quorum: fc.integer({ min: 1, max: 3 }),
  })

  /** Everything but the names, and what had no vote. */
  const outcomeOf = ({ state, winner, confidence, votes }: VoteResult) => ({
    state,
    confidence,
    winner: winner && { text: winner.text, calls: winner.calls },
    votes: votes.map(({ workers, shows, effect }) => ({ count: workers.length, shows, effect })),
  })

  test('comes out as if a machine that answered many times had answered once', () => {
    fc.assert(
      fc.property(honest, lies, options, (others, many, given) => {
        const outcome = outcomeOf(vote([...others, ...many], given))
        const once = many.map((one) => outcomeOf(vote([...others, one], given)))

        expect(once).toContainEqual(outcome)
      }),
      { numRuns: runs(200, 1_000) },
    )
  })

  test('gives it one ballot at most, and says of the others why they have none', () => {
    fc.assert(
      fc.property(honest, lies, options, (others, many, given) => {
        const { votes, discarded } = vote([...others, ...many], given)
        const counted = new Set(
          votes.flatMap(({ workers }) => workers).filter((name) => name.startsWith('liar')),
        )

        expect(counted.size).toBeLessThanOrEqual(1)
        expect(counted.size + discarded.filter(({ worker }) => worker.startsWith('liar')).length).toBe(
          many.length,
        )
      }),
      { numRuns: runs(100, 500) },
    )
  })

  test('lets this machine be several samples of its own model', () => {
    const { votes } = vote([read('wren', 'a'), read('kite', 'a'), read('jay', 'a')], { tools })

    expect(votes).toEqual([{ workers: ['jay', 'kite', 'wren'], shows: 'read_file a', effect: 'read' }])
  })

  test('names the reason', () => {
    const twice = ['x', 'y'].map((worker) => ({ ...said(worker, 'Answer: 666'), machine: LIAR }))

    expect(vote([said('wren', 'Answer: 42'), ...twice], { tools }).discarded).toEqual([
      { worker: 'y', reason: 'second-ballot', why: 'its machine has a ballot already' },
    ])
  })
})

type Asked = { readonly name: string; readonly asked: string[] }

const sayingModel = ({ name, asked }: Asked, text: string): Model => ({
  name,
  async *stream() {
    asked.push(name)
    yield { type: 'text-delta', text }
    yield { type: 'finish', reason: 'stop' }
  },
})

function leaseOf(model: Model, machine?: Lease['machine']): Lease {
  const local = machine === undefined
  const settings = { id: 'm', kind: 'openai-compatible', model: 'm', headers: {}, local, known: {} } as const
  return {
    arm: {
      id: machine ? `peer/${machine.name}/m` : 'm',
      local,
      capabilities: capabilitiesOf(settings, undefined),
    },
    model,
    ...(machine && { machine }),
    why: '',
    countTokens: (text) => text.length,
    commit: () => {},
    release: () => {},
    toText: () => false,
  }
}

const question = {
  runId: 'run',
  sessionId: 'session',
  turn: 1,
  system: '',
  messages: [{ role: 'user' as const, text: 'What is six times seven?' }],
  tools: [],
}

async function reportOf({ model }: Lease) {
  const events: ModelEvent[] = []
  for await (const event of model.stream(question, NEVER)) events.push(event)
  const end = events.find((event): event is VoteEvent => event.type === 'vote' && event.stage === 'end')
  return end?.stage === 'end' ? end.report : undefined
}

describe('a swarm', () => {
  const policy = { when: 'always', most: 7, ahead: 7, rounds: 1 } as const

  test('asks a machine once, under however many names, models and transports it is offered', async () => {
    const asked: string[] = []
    const lying = ['x', 'y', 'z'].map((name): Elsewhere => ({
      machine: LIAR,
      name,
      model: sayingModel({ name, asked }, 'Answer: 666'),
    }))
    const lease = leaseOf(sayingModel({ name: 'here', asked }, 'Answer: 42'))

    const report = await reportOf(withSwarm(lease, { workers: 4, elsewhere: lying, policy }))

    expect(asked.toSorted()).toEqual(['here', 'here', 'here', 'x'])
    expect(report).toMatchObject({ state: 'elected', confidence: 0.75, votes: [{}, {}] })
  })

  test('on a peer does not ask that peer for more than its one ballot, nor as another machine', async () => {
    const asked: string[] = []
    const lying = sayingModel({ name: 'liar', asked }, 'Answer: 666')
    const honest = (name: string): Elsewhere => ({
      machine: name.repeat(64),
      name,
      model: sayingModel({ name, asked }, 'Answer: 42'),
    })
    const lease = leaseOf(lying, { id: LIAR, name: 'liar' })
    const elsewhere = [{ machine: LIAR, name: 'other', model: lying }, honest('a'), honest('b')]

    const report = await reportOf(withSwarm(lease, { workers: 5, elsewhere, policy }))

    expect(asked.toSorted()).toEqual(['a', 'b', 'liar'])
    expect(report).toMatchObject({
      state: 'elected',
      votes: [{ shows: 'Answer: 42' }, { shows: 'Answer: 666' }],
    })
  })

  test('a paused machine costs one vote, and is not waited for in the second round', async () => {
    const asked: string[] = []
    const paused: Elsewhere = {
      machine: LIAR,
      name: 'paused',
      model: {
        name: 'm',
        async *stream(_request, signal) {
          asked.push('paused')
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
          yield { type: 'finish', reason: 'stop' }
        },
      },
    }
    const other = { machine: 'a', name: 'a', model: sayingModel({ name: 'm', asked }, 'Answer: 41') }
    const lease = leaseOf(sayingModel({ name: 'm', asked }, 'Answer: 42'))

    const report = await reportOf(
      withSwarm(lease, {
        workers: 3,
        names: ['wren', 'kite', 'jay'],
        elsewhere: [paused, other],
        policy: { ...policy, rounds: 2, deadlineMs: 50 },
      }),
    )

    expect(asked.filter((name) => name === 'paused')).toHaveLength(1)
    expect(report).toMatchObject({
      missing: [{ worker: 'kite (m) on paused', why: 'no answer in time' }],
      rounds: 2,
      decider: 'first',
      winner: 'wren (m) on this machine',
    })
  })

  test('being quick does not win a tie: this machine comes first', async () => {
    const slow: Model = {
      name: 'm',
      async *stream() {
        await new Promise((resolve) => setTimeout(resolve, 20))
        yield { type: 'text-delta', text: 'Answer: 42' }
        yield { type: 'finish', reason: 'stop' }
      },
    }
    const liar = { machine: LIAR, name: 'x', model: sayingModel({ name: 'm', asked: [] }, 'Answer: 666') }

    const report = await reportOf(withSwarm(leaseOf(slow), { workers: 2, elsewhere: [liar], policy }))

    expect(report).toMatchObject({
      state: 'split',
      decider: 'first',
      winner: expect.stringMatching(/this machine$/),
    })
  })

  test('says of every worker which model on which machine it is', async () => {
    const model = sayingModel({ name: 'm', asked: [] }, 'Answer: 42')
    const elsewhere = ['1', '2'].map((key) => ({ machine: key.repeat(64), name: 'laptop', model }))
    const own = leaseOf(model)
    const names = ['wren', 'kite', 'jay']
    const service = { ...own, arm: { ...own.arm, id: 'cloud', local: false } }

    const workersOf = async (lease: Lease) =>
      (await reportOf(withSwarm(lease, { workers: 3, names, elsewhere, policy })))?.votes[0]?.workers

    expect(await workersOf(own)).toEqual([
      'jay (m) on laptop 22222222',
      'kite (m) on laptop 11111111',
      'wren (m) on this machine',
    ])
    expect(await workersOf(service)).toContain('wren (m) on the service cloud')
    expect(await workersOf({ ...own, machine: { id: '9', name: 'tower' } })).toContain('wren (m) on tower')
  })

  test.each([
    ['this machine', 'm', 'kite (m) on this-machine 66666666'],
    ['the service cloud', 'm', 'kite (m) on the-service-cloud 66666666'],
    ['Tower', 'm', 'kite (m) on Tower 66666666'],
    ['t\u043ewer', 'm', 'kite (m) on t-wer 66666666'],
    ['tower-11111111', 'm', 'kite (m) on tower-11111111 66666666'],
    ['', 'm', 'kite (m) on machine 66666666'],
    ['attic', 'm) on this machine (x', 'kite (m-on-this-machine-x) on attic'],
  ])('a machine called %j with the model %j passes for no other', async (name, model, shown) => {
    const saying = sayingModel({ name: model, asked: [] }, 'Answer: 42')
    const honest = sayingModel({ name: 'm', asked: [] }, 'Answer: 42')
    const elsewhere = [
      { machine: '6'.repeat(64), name, model: saying },
      { machine: '1'.repeat(64), name: 'tower', model: honest },
    ]
    const names = ['wren', 'kite', 'jay']

    const report = await reportOf(withSwarm(leaseOf(honest), { workers: 3, names, elsewhere, policy }))

    expect(report?.votes[0]?.workers).toContain(shown)
  })

  test('no machine both votes and decides where the vote fails', async () => {
    const asked: string[] = []
    const liar = sayingModel({ name: 'liar', asked }, 'Answer: 666')
    const arbiter = { name: 'peer/liar/m', model: liar, machine: LIAR }
    const elsewhere = [
      { machine: LIAR, name: 'liar', model: liar },
      { machine: 'a', name: 'a', model: sayingModel({ name: 'a', asked }, 'Answer: 41') },
    ]
    const own = sayingModel({ name: 'here', asked }, 'Answer: 42')
    const swarm = { workers: 2, elsewhere, policy, arbiter }

    const decided = await reportOf(withSwarm(leaseOf(own), swarm))
    const times = asked.filter((name) => name === 'liar').length
    const asItsArm = await reportOf(withSwarm(leaseOf(liar, { id: LIAR, name: 'liar' }), swarm))

    // It was asked to decide, and only that.
    expect([times, decided?.decider, decided?.votes.length]).toEqual([1, 'arbiter', 2])
    expect(asItsArm?.decider).not.toBe('arbiter')
  })

  test('reserves its own answer as one that stays on this machine', async () => {
    const wishes: unknown[] = []
    const model = sayingModel({ name: 'm', asked: [] }, 'Answer: 42')
    const reserve = throughSwarm({ workers: 1 })(
      async (request) => {
        wishes.push(request)
        return leaseOf(model)
      },
      {
        tools: () => [],
        files: createFiles({ root: await tempProject() }),
        authorize: async () => ({ verdict: 'deny', why: '' }) as never,
      },
    )

    await reserve({ task: 'go', excluded: [] }, NEVER)

    expect(wishes).toEqual([{ task: 'go', excluded: [], stays: true }])
  })
})
