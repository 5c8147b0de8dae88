import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../src/protocol/error.ts'
import type { Model, ModelEvent, ModelRequest } from '../../src/protocol/model.ts'
import type { VoteEvent, VoteReport } from '../../src/protocol/vote.ts'
import { createFiles } from '../../src/guard/paths/files.ts'
import {
  calls,
  createScriptedModel,
  fails,
  finish,
  says,
  type ScriptedModel,
  type ScriptedReply,
  thinks,
} from '../../src/provider/scripted.ts'
import { createDryRun } from '../../src/swarm/dry-run.ts'
import { birdNames } from '../../src/swarm/names.ts'
import { createSwarmModel, type SwarmOptions, type SwarmPolicy } from '../../src/swarm/swarm.ts'
import { toVotingTools } from '../../src/swarm/voting-tools.ts'
import { builtinTools } from '../../src/tools/all.ts'
import { tempProject } from '../support/project.ts'
import { tools } from './candidates.ts'
import { until } from '../support/wait.ts'
import { runs } from '../support/runs.ts'

const request: ModelRequest = {
  runId: 'run',
  sessionId: 'session',
  turn: 1,
  system: '',
  messages: [{ role: 'user', text: 'go' }],
  tools: tools.map(({ name, parameters }) => ({ name, parameters })),
}

const usage = (prompt: number, completion: number): ModelEvent => ({
  type: 'usage',
  usage: { prompt, completion },
})

const read = (path: string): readonly ModelEvent[] => [calls('read_file', { path }), usage(10, 2)]
const edit = (text: string): readonly ModelEvent[] => [
  calls('edit_file', { path: 'a', old: 'x', new: text }),
  usage(10, 2),
]
const remove = (path: string): ScriptedReply => [calls('run_command', { command: `rm ${path}` })]

const script = (...replies: readonly ScriptedReply[]): ScriptedModel => createScriptedModel(replies)

const NAMES = ['wren', 'kite', 'jay', 'rail', 'teal', 'tern', 'knot']

type Swarm = { readonly events: readonly ModelEvent[]; readonly report: VoteReport | undefined }

async function ask(
  models: readonly Model[],
  policy: Partial<SwarmPolicy> = {},
  options: Partial<SwarmOptions> & { request?: Partial<ModelRequest>; signal?: AbortSignal } = {},
): Promise<Swarm> {
  const { request: changes, signal = new AbortController().signal, ...others } = options
  const workers = models.map((model, index) => ({ name: NAMES[index]!, model }))
  const swarm = createSwarmModel({
    name: 'swarm',
    workers,
    tools: () => tools,
    policy: { most: models.length, rounds: 1, ...policy },
    ...others,
  })
  const events: ModelEvent[] = []
  for await (const event of swarm.stream({ ...request, ...changes }, signal)) events.push(event)
  const end = votes({ events }).find((event) => event.stage === 'end')
  return { events, report: end?.report }
}

const votes = ({ events }: { readonly events: readonly ModelEvent[] }): VoteEvent[] =>
  events.filter((event) => event.type === 'vote')

const callsOf = ({ events }: Swarm): string[] =>
  events.flatMap((event) => (event.type === 'tool-call' ? [event.call.input] : []))

const started = (swarm: Swarm): string | undefined => {
  const start = votes(swarm).find((event) => event.stage === 'start')
  return start?.why
}

describe('one worker answers alone', () => {
  test('where its answer does, and the others are not asked', async () => {
    const [first, second] = [script([thinks('hm'), says('look: '), ...read('a')]), script(read('b'))]

    const { events } = await ask([first, second])

    expect(events).toEqual([
      thinks('hm'),
      says('look: '),
      { type: 'tool-call', call: { id: 'call-1', name: 'read_file', input: '{"path":"a"}' } },
      usage(10, 2),
      finish('tool-calls'),
    ])
    expect(second.asked).toEqual([])
  })

  test('greedily, with its own seed', async () => {
    const first = script(read('a'))

    await ask([first], {}, { request: { seed: 5 } })

    expect(first.asked).toEqual([{ ...request, temperature: 0, seed: 5 }])
  })

  test('as it writes, where nothing can be called', async () => {
    const { events } = await ask([script([says('hello')]), script()], {}, { request: { tools: [] } })

    expect(events).toEqual([says('hello'), finish('stop')])
  })

  test('for everything, where the swarm is off', async () => {
    expect(callsOf(await ask([script(remove('a')), script()], { when: 'off' }))).toHaveLength(1)
  })
})

describe('others are asked', () => {
  const bad: ModelEvent = { type: 'bad-call', reason: 'no JSON' }

  test.each<[string, ScriptedReply, Partial<SwarmPolicy>, string]>([
    ['when asked for', read('a'), { when: 'always' }, 'asked for'],
    ['when the first cannot be read', [bad], {}, 'the first answer has no vote: no JSON'],
    [
      'when it was cut off',
      [says('I'), finish('length')],
      {},
      'the first answer has no vote: it was cut off',
    ],
    [
      'when it names an unknown tool',
      [calls('fly')],
      {},
      'the first answer has no vote: there is no tool fly',
    ],
    ['when it changes something', edit('y'), {}, 'it changes something'],
    ['when it cannot be undone', remove('a'), { from: 'destroy' }, 'it cannot be undone'],
    [
      'when the model is not sure',
      [says('well'), { type: 'finish', reason: 'stop', confidence: 0.31 }],
      {},
      'the model is not sure (0.31)',
    ],
    [
      'when the first fails',
      [fails(new AppError('model-unavailable', 'it is gone'))],
      {},
      'wren: it is gone',
    ],
  ])('%s', async (_, reply, policy, why) => {
    const second = createScriptedModel([read('b')], { repeatLast: true })

    const swarm = await ask([script(reply), second, second], policy)

    expect(started(swarm)).toBe(why)
    expect(second.asked.length).toBeGreaterThan(0)
  })

  describe('when the model is not sure', () => {
    const unsure = (confidence: number): readonly ModelEvent[] => [
      calls('read_file', { path: 'a' }),
      { type: 'finish', reason: 'tool-calls', confidence },
    ]

    test.each([
      [0.59, 'the model is not sure (0.59)'],
      [0.6, undefined],
      [1, undefined],
    ])('enough: %d of the 0.6 it takes', async (confidence, why) => {
      expect(started(await ask([script(unsure(confidence)), script(read('b'))]))).toBe(why)
    })

    const telling = (...models: readonly Model[]): Partial<SwarmOptions> => ({
      workers: models.map((model, index) => ({ name: NAMES[index]!, model, tellsShares: true })),
    })

    test('which only the first is asked to report, and no other', async () => {
      const chances: ModelEvent = { type: 'logprobs', tokens: [{ token: 'a', logprob: -1, top: [] }] }
      const [first, second] = [script([says('a'), chances, ...unsure(0.3)]), script(read('b'))]

      const { events } = await ask([first, second], {}, telling(first, second))

      expect([first, second].map(({ asked }) => asked.map(({ logprobs }) => logprobs))).toEqual([
        [0],
        [undefined],
      ])
      expect(events.map(({ type }) => type)).not.toContain('logprobs')
    })

    test('which is not asked for where all are asked anyway, or cannot be reported', async () => {
      const [first, second] = [script(read('a')), script(read('b'))]

      await ask([first, second], { when: 'always' }, telling(first, second))
      const other = script(read('a'))
      await ask([other])

      expect([first, second, other].flatMap(({ asked }) => asked.map(({ logprobs }) => logprobs))).toEqual([
        undefined,
        undefined,
        undefined,
      ])
    })

    test('which a server may refuse: then it answers without', async () => {
      const refused = new AppError('request-invalid', 'arm: logprobs is not supported', { status: 400 })
      const first = script([fails(refused)], read('a'))

      const swarm = await ask([first], {}, telling(first))

      expect(callsOf(swarm)).toEqual(['{"path":"a"}'])
      expect(first.asked.map(({ logprobs }) => logprobs)).toEqual([0, undefined])
    })

    test('what a client asked for is reported as it asked', async () => {
      const first = script(read('a'))

      await ask([first], {}, { ...telling(first), request: { logprobs: 3 } })

      expect(first.asked.map(({ logprobs }) => logprobs)).toEqual([3])
    })
  })

  test('not about a write, where only the irreversible counts', async () => {
    expect(started(await ask([script(edit('y')), script()], { from: 'destroy' }))).toBeUndefined()
  })

  test('with other seeds and more freedom', async () => {
    const model = createScriptedModel([read('a')], { repeatLast: true })

    await ask([model, model, model], { when: 'always', ahead: 3 }, { request: { seed: 7 } })

    expect(model.asked.map(({ temperature, seed }) => [temperature, seed])).toEqual([
      [0, 7],
      [0.7, 8],
      [0.7, 9],
    ])
  })

  test('again and again, where there are fewer workers than candidates', async () => {
    const model = script(read('a'), read('b'), read('c'), read('b'))

    const { report } = await ask([model], { when: 'always', most: 4 }, {})

    expect(report?.votes.map(({ workers }) => workers)).toEqual([['wren 2', 'wren 4'], ['wren'], ['wren 3']])
  })
})

describe('the vote', () => {
  test('tells what comes in, then the winner, and what all of them took', async () => {
    const workers = [script(edit('y')), script(edit('z')), script(edit('z'))]

    const { events } = await ask(workers, {}, { workers: toLane(workers) })

    expect(events).toEqual([
      { type: 'vote', stage: 'start', why: 'it changes something', workers: ['wren', 'kite', 'jay'] },
      { type: 'vote', stage: 'candidate', worker: 'kite', shows: 'edit_file a' },
      { type: 'vote', stage: 'candidate', worker: 'jay', shows: 'edit_file a' },
      {
        type: 'vote',
        stage: 'end',
        report: {
          state: 'elected',
          winner: 'jay',
          decider: 'vote',
          confidence: 2 / 3,
          votes: [
            { workers: ['jay', 'kite'], shows: 'edit_file a', effect: 'write' },
            { workers: ['wren'], shows: 'edit_file a', effect: 'write' },
          ],
          discarded: [],
          missing: [],
          rounds: 1,
          usage: {
            wren: { prompt: 10, completion: 2 },
            kite: { prompt: 10, completion: 2 },
            jay: { prompt: 10, completion: 2 },
          },
        },
      },
      {
        type: 'tool-call',
        call: { id: 'call-1', name: 'edit_file', input: '{"path":"a","old":"x","new":"z"}' },
      },
      usage(30, 6),
      finish('tool-calls'),
    ])
  })

  test('ends as soon as it is certain, and no other worker of the lane is asked', async () => {
    const workers = [script(edit('y')), script(edit('y')), script(edit('z'))]

    await ask(workers, {}, { workers: toLane(workers) })

    expect(workers.map(({ asked }) => asked.length)).toEqual([1, 1, 0])
  })

  test('leaves out who has no vote, and says why', async () => {
    const { report } = await ask([script([says('')]), script(read('a')), script([calls('fly')])])

    expect(report).toMatchObject({
      winner: 'kite',
      state: 'split',
      decider: 'first',
      discarded: [
        { worker: 'jay', reason: 'unknown-tool', why: 'there is no tool fly' },
        { worker: 'wren', reason: 'empty', why: 'it said nothing' },
      ],
    })
  })

  test('returns the first answer as it is, without any valid vote', async () => {
    const broken: ModelEvent = { type: 'bad-call', reason: 'no JSON' }

    const { events, report } = await ask([script([broken]), script([calls('fly')])])

    expect(report).toMatchObject({ state: 'none', winner: 'wren', decider: 'first' })
    expect(events.slice(-2)).toEqual([broken, finish('stop')])
  })
})

const toLane = (models: readonly Model[]) =>
  models.map((model, index) => ({ name: NAMES[index]!, model, lane: 'engine' }))

describe('where no answer is elected', () => {
  test('all are asked once more, with the alternatives shown', async () => {
    const [one, two] = [script(edit('y'), edit('z')), script(edit('z'), edit('z'))]

    const swarm = await ask([one, two], { rounds: 2 })

    expect(swarm.report).toMatchObject({ state: 'elected', decider: 'vote', rounds: 2, confidence: 1 })
    expect(swarm.report?.usage['wren']).toEqual({ prompt: 20, completion: 4 })
    expect(one.asked[1]?.messages.at(-1)).toEqual({
      role: 'user',
      origin: 'note',
      text:
        '[note] Several answers were proposed:\n' +
        '1. edit_file {"path":"a","old":"x","new":"z"}\n2. edit_file {"path":"a","old":"x","new":"y"}\n' +
        'Give the one that is right, or a better one.',
    })
  })

  test('a stronger model decides', async () => {
    const arbiter = { name: 'eagle', model: script(edit('w')) }

    const swarm = await ask([script(edit('y')), script(edit('z'))], {}, { arbiter })

    expect(swarm.report).toMatchObject({ state: 'split', winner: 'eagle', decider: 'arbiter' })
    expect(callsOf(swarm)).toEqual(['{"path":"a","old":"x","new":"w"}'])
  })

  test.each<[string, Model, string]>([
    ['fails', script([fails(new AppError('model-unavailable', 'gone'))]), 'gone'],
    ['calls a tool that is not there', script([calls('fly', {})]), 'there is no tool fly'],
    ['was cut off', script([says('I th'), finish('length')]), 'it was cut off'],
  ])('one that %s decides nothing, and that is said', async (_, model, why) => {
    const arbiter = { name: 'eagle', model }

    const { report } = await ask([script(edit('y')), script(edit('z'))], {}, { arbiter })

    expect(report).toMatchObject({ winner: 'wren', decider: 'first', missing: [{ worker: 'eagle', why }] })
  })

  test('the person decides what cannot be undone', async () => {
    const { events, report } = await ask([script(remove('a')), script(remove('b'))])

    expect(report).toMatchObject({ state: 'split', decider: 'person' })
    expect(events.filter(({ type }) => type !== 'vote')).toEqual([
      says(
        'The workers do not agree on a step that cannot be undone:\n' +
          '1. run_command {"command":"rm b"}\n2. run_command {"command":"rm a"}\n' +
          'Say which one you mean.',
      ),
      finish('stop'),
    ])
  })

  test('otherwise the first answer leads, and that is said', async () => {
    const swarm = await ask([script(edit('y')), script(edit('z'))])

    expect(swarm.report).toMatchObject({ state: 'split', winner: 'wren', decider: 'first', confidence: 0.5 })
    expect(callsOf(swarm)).toEqual(['{"path":"a","old":"x","new":"y"}'])
  })
})

/** A machine that was paused: it does not even notice that it was cancelled. */
const stalled: Model = {
  name: 'stalled',
  stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
}

describe('who does not answer', () => {
  test('is a missing vote when time is up', async () => {
    const { report } = await ask([script(edit('y')), stalled, script(edit('y'))], {
      deadlineMs: 30,
      ahead: 3,
    })

    expect(report).toMatchObject({
      state: 'elected',
      missing: [{ worker: 'kite', why: 'no answer in time' }],
    })
  })

  test('is not waited for when it was the first', async () => {
    const { report } = await ask([stalled, script(edit('y')), script(edit('y'))], { deadlineMs: 30 })

    expect(report).toMatchObject({
      winner: 'jay',
      missing: [{ worker: 'wren', why: 'no answer in time' }],
    })
  })

  test('is a missing vote when it fails', async () => {
    const gone = script([fails(new AppError('model-unavailable', 'connection refused'))])

    const { report } = await ask([script(edit('y')), gone, script(edit('y'))], { ahead: 3 })

    expect(report?.missing).toEqual([{ worker: 'kite', why: 'connection refused' }])
  })

  test('is an error when it is everybody', async () => {
    await expect(ask([stalled, stalled], { deadlineMs: 20 })).rejects.toMatchObject({
      code: 'model-unavailable',
      message:
        'swarm: no worker answered (wren: no answer in time; kite: no answer in time). Try again, or pass another model with --model.',
    })
  })

  test('is the error of the first when it is about the request', async () => {
    const overflow = new AppError('context-overflow', 'too long', { window: 4096 })
    const second = script(read('a'))

    await expect(ask([script([fails(overflow)]), second])).rejects.toBe(overflow)
    expect(second.asked).toEqual([])
  })
})

describe('workers of one engine', () => {
  test('are waited for, however long the first takes', async () => {
    const slow: Model = {
      name: 'slow',
      async *stream() {
        await new Promise((resolve) => setTimeout(resolve, 40))
        yield* read('a')
        yield finish('tool-calls')
      },
    }

    const swarm = await ask([slow, slow], { deadlineMs: 5 }, { workers: toLane([slow, slow]) })

    expect(started(swarm)).toBeUndefined()
    expect(callsOf(swarm)).toEqual(['{"path":"a"}'])
  })

  test('leave the first answer where no other worker has the time', async () => {
    const workers = [script(edit('y')), stalled]

    const { report } = await ask(workers, { deadlineMs: 20, rounds: 2 }, { workers: toLane(workers) })

    expect(report).toMatchObject({ state: 'split', winner: 'wren', decider: 'first', rounds: 1 })
  })
})

test('one worker with one candidate asks no other, whatever it does', async () => {
  expect(votes(await ask([script(remove('a'))]))).toEqual([])
})

describe('a cancel', () => {
  test('ends the stream and every worker at its next token', async () => {
    const cancel = new AbortController()
    let written = 0
    const endless: Model = {
      name: 'endless',
      async *stream(_, signal) {
        for (; !signal.aborted; written++) {
          if (written === 20) cancel.abort()
          yield says('word ')
          await Promise.resolve()
        }
      },
    }

    const { events } = await ask([endless, endless], { when: 'always' }, { signal: cancel.signal })

    expect(votes({ events }).map(({ stage }) => stage)).toEqual(['start'])
    expect(written).toBeLessThanOrEqual(22)
  })

  test('stops the losers once an answer has won', async () => {
    let isStopped = false
    const endless: Model = {
      name: 'endless',
      async *stream(_, signal) {
        while (!signal.aborted) {
          yield says('word ')
          await new Promise((resolve) => setImmediate(resolve))
        }
        isStopped = true
      },
    }

    await ask([script(edit('y')), script(edit('y')), endless])
    await until(() => isStopped)

    expect(isStopped).toBe(true)
  })
})

test('whatever the workers do, there is one answer or one error, and at most one result', async () => {
  const gone = fails(new AppError('model-unavailable', 'gone'))
  const model = fc.constantFrom<() => Model>(
    () => script(read('a'), read('a')),
    () => script(read('b'), read('a')),
    () => script(edit('y'), edit('y')),
    () => script(remove('a'), remove('a')),
    () => script([says('cut'), finish('length')]),
    () => script([gone]),
    () => stalled,
  )
  const policy = fc.record({
    when: fc.constantFrom('auto' as const, 'always' as const),
    rounds: fc.constantFrom(1 as const, 2 as const),
    quorum: fc.integer({ min: 1, max: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(model, { minLength: 1, maxLength: 4 }), policy, async (makers, rules) => {
      const asked = ask(
        makers.map((make) => make()),
        { ...rules, deadlineMs: 4 },
      )

      const { events } = await asked.catch((error: unknown) => {
        expect(error).toBeInstanceOf(AppError)
        return { events: [finish('stop')] }
      })

      expect(events.filter(({ type }) => type === 'finish')).toHaveLength(1)
      expect(votes({ events }).filter(({ stage }) => stage === 'end').length).toBeLessThanOrEqual(1)
    }),
    { numRuns: runs(40, 150) },
  )
})

test('the dry run decides before the majority, in a real folder and without touching it', async () => {
  const root = await tempProject({ 'a.ts': 'const a = 1\n' })
  const own = builtinTools({ list: () => own, seen: new Set(['a.ts']) })
  const wrong: ScriptedReply = [calls('edit_file', { path: 'a.ts', old: 'a = 7', new: 'a = 2' })]
  const right: ScriptedReply = [calls('edit_file', { path: './a.ts', old: 'a = 1', new: 'a = 2' })]
  const whole: ScriptedReply = [
    calls('write_file', { path: 'a.ts', content: 'const a = 2\n', overwrite: true }),
  ]

  const swarm = await ask(
    [script(wrong), script(wrong), script(right), script(whole)],
    { ahead: 4 },
    {
      tools: () => toVotingTools(own),
      dryRun: createDryRun({ tools: () => own, files: createFiles({ root }) }),
    },
  )

  expect(swarm.report).toMatchObject({
    state: 'elected',
    winner: 'jay',
    confidence: 1,
    votes: [{ workers: ['jay', 'rail'] }],
    discarded: [{ worker: 'kite' }, { worker: 'wren', why: expect.stringContaining('old is not in a.ts') }],
  })
  expect(await readFile(join(root, 'a.ts'), 'utf8')).toBe('const a = 1\n')
})

test('a swarm without workers is refused', () => {
  expect(() => createSwarmModel({ name: 'swarm', workers: [] })).toThrow('swarm has no workers')
})

test('workers have different names, however many there are', () => {
  const names = birdNames(100)

  expect(new Set(names).size).toBe(100)
})
