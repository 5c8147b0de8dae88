import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createApp } from '../../src/app/open.ts'
import type { Model } from '../../src/protocol/model.ts'
import { createPlanService } from '../../src/plan/service.ts'
import { emptyPlan, type Plan, type Task } from '../../src/plan/plan.ts'
import { judgePacket, nextStep, type PacketEnd, packetPrompt } from '../../src/plan/queue.ts'
import { type Packet, runQueue } from '../../src/plan/run-queue.ts'
import { sessionPackets } from '../../src/plan/packet.ts'
import { openPlanStore, planFileOf, type PlanStore } from '../../src/plan/store.ts'
import { calls, createScriptedModel, says, scriptedModel } from '../../src/provider/scripted.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'
import { carefulModel } from './careful-model.ts'
import { runs } from '../support/runs.ts'

const task = (id: number, more: Partial<Task> = {}): Task => ({
  id,
  text: `do ${id}`,
  state: 'pending',
  createdAt: 0,
  packets: 0,
  ...more,
})
const plan = (tasks: readonly Task[], more: Partial<Plan> = {}): Plan => ({
  ...emptyPlan,
  phase: 'executing',
  tasks,
  ...more,
})
const limits = { maxPackets: 3 }

describe('what comes next', () => {
  test('the first task that waits is begun', () => {
    expect(nextStep(plan([task(1, { state: 'complete' }), task(2), task(3)]), limits)).toEqual({
      kind: 'packet',
      task: 2,
      changes: [{ type: 'begin', task: '2' }],
    })
  })

  test('a packet that was interrupted is gone on with, not begun again', () => {
    const step = nextStep(plan([task(1), task(2, { state: 'in_progress', openSession: 's1' })]), limits)

    expect(step).toEqual({ kind: 'packet', task: 2, changes: [] })
  })

  test('a task without an end is blocked, and the next one is begun', () => {
    const step = nextStep(plan([task(1, { state: 'in_progress', packets: 3 }), task(2)]), limits)

    expect(step).toEqual({
      kind: 'packet',
      task: 2,
      changes: [
        { type: 'block', task: '1', outcome: 'no end after 3 packets' },
        { type: 'begin', task: '2' },
      ],
    })
  })

  test.each([
    ['nothing is planned', plan([]), 'empty', 0],
    ['everything is done', plan([task(1, { state: 'complete' })]), 'finished', 1],
    [
      'everything is done and looked at',
      plan([task(1, { state: 'complete' })], { phase: 'reviewing' }),
      'finished',
      0,
    ],
    ['what is left is blocked', plan([task(1, { state: 'blocked' })]), 'blocked', 0],
    ['the plan is paused', plan([task(1)], { phase: 'paused' }), 'paused', 0],
  ])('it ends when %s', (_, state, why, changes) => {
    const step = nextStep(state, limits)

    expect(step).toMatchObject({ kind: 'end', why })
    expect(step.changes).toHaveLength(changes)
  })
})

test.each<[PacketEnd, object]>([
  [
    { reason: 'answered', text: 'It is done.', changed: [] },
    { type: 'done', task: '1', outcome: 'It is done.' },
  ],
  [
    { reason: 'answered', text: 'Half.\n**NEXT:** the other half', changed: ['a.ts'] },
    { type: 'checkpoint', task: '1', next: 'the other half (changed: a.ts)' },
  ],
  [
    { reason: 'answered', text: 'BLOCKED: there is no compiler', changed: [] },
    { type: 'block', task: '1', outcome: 'there is no compiler' },
  ],
  [
    { reason: 'answered', text: 'It gives {\n  blocked: false,\n  next: 1 }', changed: [] },
    { type: 'done', task: '1', outcome: 'It gives {\n  blocked: false,\n  next: 1 }' },
  ],
  [
    { reason: 'max-turns', text: 'Tests are written, the code is next.', changed: [] },
    { type: 'checkpoint', task: '1', next: 'Tests are written, the code is next.' },
  ],
  [
    { reason: 'no-progress', text: '', changed: [] },
    { type: 'checkpoint', task: '1', next: 'go on; look first at what is there' },
  ],
])('a packet that ended like %j changes the plan', (end, change) => {
  expect(judgePacket({ id: 1, text: 'tidy up', packets: 0 }, end)).toEqual(change)
})

test.each<[string, Partial<PacketEnd>, { readonly packets: number; readonly next?: string }, string]>([
  ['got stuck for the first time', {}, { packets: 0 }, 'checkpoint'],
  ['got stuck again', {}, { packets: 1, next: 'something else' }, 'checkpoint'],
  ['says what it said before', {}, { packets: 1, next: 'Not allowed.' }, 'block'],
  ['got stuck for the third time', {}, { packets: 2, next: 'something else' }, 'block'],
  ['changed something', { changed: ['a.ts'] }, { packets: 5, next: 'something else' }, 'checkpoint'],
  ['had no turn left', { reason: 'max-turns' }, { packets: 5, next: 'something else' }, 'checkpoint'],
])('a packet that %s', (_, end, known, type) => {
  const whole: PacketEnd = { reason: 'no-progress', text: 'Not allowed.', changed: [], ...end }

  expect(judgePacket({ id: 1, text: 'tidy up', ...known }, whole).type).toBe(type)
})

test.each<[string, readonly string[], number, string]>([
  ['fix the sum in src/a.ts', ['src/a.ts'], 1, 'done'],
  ['fix the sum in a.ts', ['src/a.ts'], 1, 'done'],
  ['fix the sum in src/a.ts', [], 1, 'checkpoint'],
  ['fix the sum in src/a.ts', ['src/b.ts'], 1, 'checkpoint'],
  ['fix the sum in src/a.ts', [], 2, 'block'],
  ['read src/a.ts and say what it does', [], 1, 'done'],
  ['make it faster, e.g. twice', [], 1, 'done'],
])('"%s", answered with %j changed, packet %i: %s', (text, changed, packets, type) => {
  const end: PacketEnd = { reason: 'answered', text: 'Done.', changed }

  expect(judgePacket({ id: 1, text, packets }, end).type).toBe(type)
})

const checked = { id: 1, text: 'fix the sum in src/a.ts', packets: 1, check: 'npm test' }

test.each<[string, Partial<PacketEnd>, object]>([
  [
    'passes: the task is done, whatever files it names',
    { check: { command: 'npm test', state: 'passed', text: '' } },
    { type: 'done', task: '1', outcome: 'Done. (check `npm test` passed)' },
  ],
  [
    'fails: the task is blocked with what it printed',
    {
      reason: 'check-failed',
      check: { command: 'npm test', state: 'failed', text: 'ok 1\nnot ok 2\n[exit 1]' },
    },
    { type: 'block', task: '1', outcome: 'the check `npm test` failed: ok 1 | not ok 2 | [exit 1]' },
  ],
  [
    'is not allowed: the task is blocked with the reason',
    { check: { command: 'npm test', state: 'refused', text: 'No user is available to approve it.' } },
    {
      type: 'block',
      task: '1',
      outcome: 'the check `npm test` was not run: No user is available to approve it.',
    },
  ],
  [
    'was not run at all: it goes on',
    {},
    {
      type: 'checkpoint',
      task: '1',
      next: 'answered, but the check `npm test` was not run. Look whether it is done.',
    },
  ],
  [
    'is for later',
    { text: 'NEXT: the rest' },
    { type: 'checkpoint', task: '1', next: 'the rest (changed: src/a.ts)' },
  ],
])('a check that %s', (_, end, change) => {
  const whole = { reason: 'answered', text: 'Done.', changed: ['src/a.ts'], ...end } as const

  expect(judgePacket(checked, whole)).toEqual(change)
})

test('a packet starts with its goal, what was done before and what is next, and little else', () => {
  const before = task(1, { state: 'complete', outcome: 'wrote a.ts' })
  const prompt = packetPrompt(plan([before], { goal: 'A parser' }), task(2, { next: 'the tests' }), {
    maxTurns: 8,
  })

  expect(prompt.split('\n').slice(0, 5)).toEqual([
    'Goal: A parser',
    'Done before:',
    '- task 1: wrote a.ts',
    'Task 2: do 2',
    'So far, and what is next: the tests',
  ])
  expect(prompt.length).toBeLessThan(600)
})

async function planOf(...texts: readonly string[]): Promise<PlanStore> {
  const store = openPlanStore(join(await tempProject(), 'plan', 'plan.json'))
  await store.change({ type: 'add', texts })
  return store
}

const open = new AbortController().signal

describe('the queue', () => {
  test('is worked at by one process at a time', async () => {
    const store = await planOf('a')
    const held = await store.holdQueue()

    const second = runQueue(
      { store, runPacket: async () => ({ reason: 'answered', text: '', changed: [] }) },
      open,
    )

    await expect(second).rejects.toMatchObject({ code: 'session-busy' })
    await held.release()
  })

  test('stops at an error and goes on with the same session', async () => {
    const store = await planOf('a')
    const seen: Packet[] = []
    const ends: PacketEnd[] = [
      { reason: 'error', text: 'no server', changed: [] },
      { reason: 'answered', text: 'done', changed: [] },
    ]
    const runPacket = async (packet: Packet): Promise<PacketEnd> => {
      seen.push(packet)
      if (!packet.session) await packet.onSession('s1')
      return ends[seen.length - 1]!
    }

    const first = await runQueue({ store, runPacket }, open)
    const second = await runQueue({ store, runPacket }, open)

    expect([first, second]).toEqual([
      { why: 'error', packets: 1, text: 'no server' },
      { why: 'finished', packets: 1 },
    ])
    expect(seen.map(({ session }) => session)).toEqual([undefined, 's1'])
    expect(await store.read()).toMatchObject({
      phase: 'reviewing',
      tasks: [{ state: 'complete', packets: 1 }],
    })
  })
})

test('a task that was blocked for want of an end gets as many packets again when a person reopens it', async () => {
  const store = await planOf('a')
  let part = 0
  const runPacket = async (packet: Packet): Promise<PacketEnd> => {
    if (!packet.session) await packet.onSession('s')
    return { reason: 'answered', text: `NEXT: part ${++part}`, changed: [] }
  }
  const work = () => runQueue({ store, runPacket, limits: { maxPackets: 3 } }, open)

  const first = await work()
  await store.change({ type: 'reopen', task: '1' })
  const byModel = await work()
  await createPlanService(store).act('reopen', '1')
  const byPerson = await work()

  expect([first, byModel, byPerson]).toEqual([
    { why: 'blocked', packets: 3 },
    { why: 'blocked', packets: 0 },
    { why: 'blocked', packets: 3 },
  ])
})

test('what the model does with the plan itself during a packet stands', async () => {
  const store = await planOf('a', 'b')
  const texts: string[] = []
  const runPacket = async (packet: Packet): Promise<PacketEnd> => {
    texts.push(/Task \d/.exec(packet.prompt)?.[0] ?? '')
    if (!packet.session) await packet.onSession(`s${texts.length}`)
    if (texts.length === 1) await store.change({ type: 'block', task: '1', outcome: 'no' })
    if (texts.length === 2) await store.change({ type: 'move', to: 'paused' })
    return { reason: 'answered', text: 'done', changed: [] }
  }

  const first = await runQueue({ store, runPacket }, open)
  await store.change({ type: 'resume' })
  const second = await runQueue({ store, runPacket }, open)

  expect([first.why, second.why]).toEqual(['paused', 'blocked'])
  expect(texts).toEqual(['Task 1', 'Task 2', 'Task 2'])
  expect((await store.read()).tasks.map(({ state }) => state)).toEqual(['blocked', 'complete'])
})

type Desk = { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly store: PlanStore }

async function service(...texts: readonly string[]): Promise<Desk> {
  const cwd = await tempProject()
  const env = await emptyHome()
  const store = openPlanStore(planFileOf(join(String(env['XDG_DATA_HOME']), 'covey'), cwd))
  await store.change({ type: 'add', texts })
  return { cwd, env, store }
}

/** A program that starts, works at the queue and ends. */
async function start(
  { cwd, env, store }: Desk,
  model: Model,
  { signal = open, maxTurns = 12, maxCalls = 20 } = {},
) {
  const app = await createApp({ env, cwd, model, window: 4096, permission: 'bypass', probe: false })
  try {
    const runPacket = sessionPackets((id) =>
      app.openSession({ resume: id === undefined ? 'new' : { id }, canAsk: false }),
    )
    return await runQueue({ store, runPacket, limits: { maxTurns, maxCalls } }, signal)
  } finally {
    await app.close()
  }
}

/** A packet that was answered, by a program that was killed before it could take note of that. */
async function answerOnly({ env, cwd, store }: Awaited<ReturnType<typeof service>>): Promise<void> {
  const model = scriptedModel([says('Here it is.')])
  const app = await createApp({ env, cwd, model, permission: 'bypass', probe: false })
  const session = await app.openSession({ resume: 'new', canAsk: false })
  await store.change({ type: 'begin', task: '1' }, { type: 'packet', task: '1', session: session.id })
  const ended = (async () => {
    for await (const event of session.events({ signal: open })) if (event.type === 'run-end') return
  })()
  await session.prompt('Task 1: answer')
  await ended
  await session.close()
  await app.close()
}

describe('with real sessions', () => {
  test('packets in a window of 4k tokens end across interruptions, and nothing is done twice', async () => {
    const [tasks, interruptions] = [runs(6, 15), runs(4, 10)]
    const place = await service(
      ...Array.from({ length: tasks }, (_, index) => `write part a and b of ${index + 1}`),
    )
    let asked = 0
    const ends: string[] = []

    for (let attempt = 0; attempt < interruptions; attempt++) {
      const controller = new AbortController()
      const limit = asked + 2 + ((attempt * 7) % 5)
      const model = carefulModel(() => {
        if (++asked >= limit) controller.abort()
      })
      ends.push((await start(place, model, { signal: controller.signal })).why)
    }
    const last = await start(place, carefulModel())

    expect(ends).toEqual(Array.from({ length: interruptions }, () => 'cancelled'))
    expect(last.why).toBe('finished')
    const plan = await place.store.read()
    expect(plan.phase).toBe('reviewing')
    expect(plan.tasks.map(({ state }) => state)).toEqual(Array.from({ length: tasks }, () => 'complete'))
    expect(plan.tasks.map(({ packets }) => packets)).toEqual(Array.from({ length: tasks }, () => 2))
    const written = (await readFile(join(place.cwd, 'log.txt'), 'utf8')).trim().split('\n')
    expect(written).toEqual(
      Array.from({ length: tasks }, (_, index) => [`${index + 1}a`, `${index + 1}b`]).flat(),
    )
  })

  test('at the end of its turns a packet is asked what is next, and the next one starts with the answer', async () => {
    const place = await service('look around')
    const looks = () => [calls('list_files', { path: '.' })]
    const model = scriptedModel(
      looks(),
      [says('Looked at the folder; the file is next.')],
      [says('Read it all.')],
    )

    const end = await start(place, model, { maxTurns: 1 })

    expect(end).toEqual({ why: 'finished', packets: 2 })
    const prompts = model.asked.map(({ messages }) => messages.at(-1)?.text ?? '')
    expect(prompts[1]).toContain('what is next')
    expect(prompts[2]).toContain('So far, and what is next: Looked at the folder; the file is next.')
    expect(model.asked[2]?.messages).toHaveLength(1)
    expect(model.asked[2]?.task).toBe('look around')
  })

  test('so it is at the end of its calls', async () => {
    const place = await service('look around')
    let turn = 0
    const model = createScriptedModel(
      [
        ({ messages }) => {
          if (messages.at(-1)?.text.includes('budget')) return [says('NEXT: more of it')]
          if (messages.at(0)?.text.includes('more of it')) return [says('That is all.')]
          return [calls('find_files', { pattern: `*.${++turn}` })]
        },
      ],
      { repeatLast: true },
    )

    const end = await start(place, model, { maxCalls: 3 })

    expect(end).toEqual({ why: 'finished', packets: 2 })
    expect(turn).toBeLessThanOrEqual(4)
    expect((await place.store.read()).notes.map(({ text }) => text)).toContain('task 1, next: more of it')
  })

  test('a check decides, across an interruption between the answer and the check', async () => {
    const place = await service('answer')
    await place.store.change({ type: 'check', task: '1', command: 'test -f b.txt' })
    await answerOnly(place)
    const again = scriptedModel([says('Here it is.')], [says('Here it really is.')])

    const end = await start(place, again)

    expect(end.why).toBe('blocked')
    expect(again.asked[0]?.messages.at(-1)?.text).toContain('before the check of this task was run')
    expect((await place.store.read()).tasks).toMatchObject([
      { state: 'blocked', check: 'test -f b.txt', outcome: 'the check `test -f b.txt` failed: [exit 1]' },
    ])
  })

  test('a packet that had ended when the program was killed is not run again', async () => {
    const place = await service('answer')
    await answerOnly(place)
    const silent = scriptedModel()

    const end = await start(place, silent)

    expect(end.why).toBe('finished')
    expect(silent.asked).toEqual([])
    expect((await place.store.read()).tasks).toMatchObject([{ state: 'complete', outcome: 'Here it is.' }])
  })
})
