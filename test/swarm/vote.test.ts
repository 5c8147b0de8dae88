import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Candidate, VoteOptions } from '../../src/protocol/vote.ts'
import { vote } from '../../src/swarm/vote.ts'
import { call, edit, read, run, said, tools } from './candidates.ts'
import { runs } from '../support/runs.ts'

const decide = (candidates: readonly Candidate[], options: Partial<VoteOptions> = {}) =>
  vote(candidates, { tools, ...options })

describe('a candidate has no vote when it', () => {
  test.each<[string, Candidate, string]>([
    ['was cut off', { ...read('wren', 'a'), isCut: true }, 'cut'],
    ['says nothing', said('wren', ' \n'), 'empty'],
    ['holds an unreadable call', { ...said('wren', 'x'), badCalls: ['not JSON'] }, 'unreadable'],
    ['names an unknown tool', { ...read('wren', 'a'), calls: [call('fly', {})] }, 'unknown-tool'],
    ['lacks an argument', { ...read('wren', 'a'), calls: [call('read_file', {})] }, 'bad-arguments'],
    [
      'has one of the wrong type',
      { ...read('wren', 'a'), calls: [call('read_file', { path: [] })] },
      'bad-arguments',
    ],
    [
      'leaves a text open',
      { ...read('wren', 'a'), calls: [call('read_file', '{"path": "a')] },
      'bad-arguments',
    ],
    ['would fail', { ...read('wren', 'a'), checks: [{ ok: false, why: 'not there' }] }, 'check-failed'],
  ])('%s', (_, candidate, reason) => {
    const { state, winner, discarded } = decide([candidate])

    expect({ state, winner, discarded }).toEqual({
      state: 'none',
      winner: undefined,
      discarded: [{ worker: 'wren', reason, why: expect.any(String) }],
    })
  })

  test('calls nothing where a call is wanted', () => {
    expect(decide([said('wren', 'done')], { mustCall: true }).discarded).toEqual([
      { worker: 'wren', reason: 'no-call', why: 'it called nothing' },
    ])
  })

  test('fails in one of several calls', () => {
    const candidate = {
      ...read('wren', 'a'),
      calls: [call('read_file', { path: 'a' }), call('read_file', { path: 'b' }, 'call-2')],
      checks: [{ ok: true }, { ok: false, why: 'b is not there' }] as const,
    }

    expect(decide([candidate]).discarded).toEqual([
      { worker: 'wren', reason: 'check-failed', why: 'b is not there' },
    ])
  })
})

describe('calls mean the same', () => {
  const written = (worker: string, name: string, input: object | string): Candidate => ({
    worker,
    text: '',
    calls: [call(name, input)],
  })

  test.each<[string, string, object | string]>([
    ['with their keys in another order', 'read_file', '{"from": 1, "path": "src/a.ts"}'],
    ['without what is the default', 'read_file', { path: 'src/a.ts' }],
    ['with a path written otherwise', 'read_file', { path: './src//b/../a.ts' }],
    ['with the path from the root of the machine', 'read_file', { path: '/project/src/a.ts' }],
    ['with backslashes', 'read_file', { path: String.raw`src\a.ts` }],
    ['with a number as text', 'read_file', { path: 'src/a.ts', from: '1' }],
    ['with null for nothing', 'read_file', { path: 'src/a.ts', from: null }],
    ['with a trailing comma', 'read_file', '{"path": "src/a.ts",}'],
    ['with the name written otherwise', 'ReadFile', { path: 'src/a.ts' }],
  ])('%s', (_, name, input) => {
    const plain = written('kite', 'read_file', { path: 'src/a.ts', from: 1 })

    const { votes, state } = decide([plain, written('wren', name, input)], { root: '/project' })

    expect({ state, votes: votes.map(({ workers }) => workers) }).toEqual({
      state: 'elected',
      votes: [['kite', 'wren']],
    })
  })

  test('when their edits leave the same file', () => {
    const after = (worker: string, replacement: string, text: string): Candidate => ({
      ...edit(worker, replacement),
      checks: [{ ok: true, changes: [{ path: 'a.ts', before: 'x\n', after: text }] }],
    })

    const { votes } = decide([
      after('kite', 'y', 'y\n'),
      after('wren', 'y  \n', 'y  \n'),
      after('jay', 'z', 'z\n'),
    ])

    expect(votes.map(({ workers }) => workers)).toEqual([['kite', 'wren'], ['jay']])
  })

  test('when a parser makes the same of the files', () => {
    const after = (worker: string, text: string, shape: string): Candidate => ({
      ...edit(worker, text),
      checks: [{ ok: true, changes: [{ path: 'a.ts', before: 'x\n', after: text, shape }] }],
    })

    const { votes } = decide([
      after('kite', 'f(a)\n', 'call'),
      after('wren', 'f( a )\n', 'call'),
      after('jay', 'f(b)\n', 'another call'),
    ])

    expect(votes.map(({ workers }) => workers)).toEqual([['kite', 'wren'], ['jay']])
  })

  test('but not in another order, where they write', () => {
    const both = (worker: string, names: readonly string[]): Candidate => ({
      worker,
      text: '',
      calls: names.map((text, index) => call('edit_file', { path: text, old: 'a', new: 'b' }, `${index}`)),
    })

    expect(decide([both('kite', ['a', 'b']), both('wren', ['b', 'a'])]).votes).toHaveLength(2)
  })
})

describe('who wins', () => {
  const reads = (...paths: string[]): Candidate[] => paths.map((path, index) => read(`w${index}`, path))
  const edits = (...texts: string[]): Candidate[] => texts.map((text, index) => edit(`w${index}`, text))
  const runs = (...texts: string[]): Candidate[] => texts.map((text, index) => run(`w${index}`, text))

  test.each<[string, Candidate[], Partial<VoteOptions>, [state: string, winner?: string]]>([
    ['one alone, when no other comes', reads('a'), {}, ['elected', 'w0']],
    ['none yet', reads('a'), { remaining: 4 }, ['open']],
    ['an answer ahead by two, whatever may come', reads('a', 'a'), { remaining: 3 }, ['elected', 'w0']],
    ['not an answer ahead by one while others may come', reads('a', 'a', 'b'), { remaining: 2 }, ['open']],
    ['the largest in the end', reads('a', 'a', 'b'), {}, ['elected', 'w0']],
    ['none in a tie', reads('a', 'b'), {}, ['split']],
    ['two of five', reads('a', 'a', 'b', 'c', 'd'), {}, ['elected', 'w0']],
    ['not two of six', reads('a', 'a', 'b', 'c', 'd', 'e'), {}, ['split']],
    [
      'two of six where that is enough',
      reads('a', 'a', 'b', 'c', 'd', 'e'),
      { least: 0.3 },
      ['elected', 'w0'],
    ],
    ['an edit by half of the votes', edits('a', 'a', 'b', 'c'), {}, ['elected', 'w0']],
    ['no edit by less', edits('a', 'a', 'b', 'c', 'd'), {}, ['split']],
    [
      'what cannot be undone only ahead by three',
      runs('rm a', 'rm a', 'rm a'),
      { remaining: 4 },
      ['elected', 'w0'],
    ],
    ['and not ahead by two', runs('rm a', 'rm a', 'rm a', 'rm b'), {}, ['split']],
    ['both of two that are there', runs('rm a', 'rm a'), {}, ['elected', 'w0']],
    ['none below the quorum', reads('a'), { quorum: 2 }, ['split']],
    ['none without answers', [], {}, ['none']],
    ['none without answers yet', [], { remaining: 2 }, ['open']],
  ])('%s', (_, candidates, options, [state, winner]) => {
    const result = decide(candidates, options)

    expect({ state: result.state, winner: result.winner?.worker }).toEqual({ state, winner })
  })

  test('the dry run comes before popularity', () => {
    const failing = reads('a', 'a', 'a').map((one) => ({
      ...one,
      checks: [{ ok: false, why: 'no a' }] as const,
    }))

    const result = decide([...failing, read('wren', 'b')])

    expect(result).toMatchObject({ state: 'elected', winner: { worker: 'wren' }, confidence: 1 })
    expect(result.discarded).toHaveLength(3)
  })

  test('of a tie, an answer that needed no repair', () => {
    const repaired = { ...read('jay', 'a'), calls: [call('read_file', '{"path": "a",}')] }

    expect(decide([repaired, read('wren', 'b')])).toMatchObject({
      state: 'elected',
      winner: { worker: 'wren' },
    })
  })

  test('of a tie between edits, the smaller change', () => {
    const change = (worker: string, after: string): Candidate => ({
      ...edit(worker, after),
      checks: [{ ok: true, changes: [{ path: 'a.ts', before: 'const x = 1', after }] }],
    })

    const result = decide([change('jay', 'let everything = 2'), change('wren', 'const x = 2')])

    expect(result).toMatchObject({ state: 'elected', winner: { worker: 'wren' } })
  })

  test('a strict one speaks for its group', () => {
    const repaired = { ...read('jay', 'a'), calls: [call('read_file', '{"path": "a",}')] }

    expect(decide([repaired, read('wren', 'a')]).winner).toEqual(read('wren', 'a'))
  })

  test('the share of the votes is the confidence, and the report says who voted for what', () => {
    expect(decide(reads('a', 'a', 'a', 'b'))).toEqual({
      state: 'elected',
      winner: read('w0', 'a'),
      confidence: 0.75,
      votes: [
        { workers: ['w0', 'w1', 'w2'], shows: 'read_file a', effect: 'read' },
        { workers: ['w3'], shows: 'read_file b', effect: 'read' },
      ],
      discarded: [],
    })
  })
})

describe('reads side by side', () => {
  const several = (worker: string, ...paths: string[]): Candidate => ({
    worker,
    text: '',
    calls: paths.map((path, index) => call('read_file', { path }, `call-${index + 1}`)),
  })

  test('are done where more than half want them', () => {
    const result = decide([several('jay', 'a', 'b'), several('kite', 'b', 'a', 'c'), several('wren', 'b')])

    expect(result).toMatchObject({ state: 'elected', confidence: 2 / 3 })
    expect(result.winner?.calls.map(({ input }) => input).toSorted()).toEqual([
      '{"path":"a"}',
      '{"path":"b"}',
    ])
  })

  test('are counted as often as they are wanted', () => {
    const result = decide([several('jay', 'a', 'a'), several('kite', 'a', 'a'), several('wren', 'a')])

    expect(result.winner?.calls.map(({ id, input }) => [id, input])).toEqual([
      ['call-1', '{"path":"a"}'],
      ['call-2', '{"path":"a"}'],
    ])
  })

  test('never share an id, across workers', () => {
    const result = decide([
      several('jay', 'a', 'x'),
      several('kite', 'b', 'a'),
      several('wren', 'a', 'b', 'x'),
      several('rail', 'x', 'b'),
    ])

    const ids = result.winner?.calls.map(({ id }) => id) ?? []
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('stand as whole turns where no call has a majority', () => {
    const result = decide([several('jay', 'a', 'b'), several('kite', 'c', 'd'), several('wren', 'e')])

    expect(result).toMatchObject({ state: 'split', confidence: 1 / 3 })
  })

  test('stand as whole turns beside a write', () => {
    const result = decide([several('jay', 'a', 'b'), several('kite', 'b', 'a'), edit('wren', 'y')])

    expect(result.votes.map(({ workers }) => workers)).toEqual([['jay', 'kite'], ['wren']])
  })
})

describe('texts', () => {
  test.each<[string, string[], string]>([
    [
      'a number, however it is written',
      ['Answer: 1,024', 'The final answer is **1024**.', 'answer: 7'],
      'w0',
    ],
    ['yes or no', ['Yes, it does because of the loop.', 'No.', 'yes'], 'w0'],
    ['the same JSON', ['{"a":1,"b":2}', '{"b": 2, "a": 1}', '{"a":3}'], 'w0'],
    ['a boxed result', [String.raw`so \boxed{5}`, '6', '5'], 'w0'],
  ])('are counted by their answer: %s', (_, texts, winner) => {
    const result = decide(texts.map((text, index) => said(`w${index}`, text)))

    expect(result).toMatchObject({ state: 'elected', winner: { worker: winner }, confidence: 2 / 3 })
  })

  test('without a short answer the one in the middle speaks for all', () => {
    const long = (words: string): string =>
      `${words} and then something more that makes the line long enough\nto be prose`
    const result = decide([
      said('jay', long('The parser reads the file')),
      said('kite', long('The parser reads the whole file')),
      said('wren', long('Bananas are yellow fruits of warm lands')),
    ])

    expect(result).toMatchObject({ state: 'elected', votes: [{ workers: ['jay', 'kite', 'wren'] }] })
    expect(['jay', 'kite']).toContain(result.winner?.worker)
    expect(result.confidence).toBeLessThan(1)
  })

  test('stand against calls', () => {
    const result = decide([said('jay', 'It is done.'), read('kite', 'a'), read('wren', 'a')])

    expect(result).toMatchObject({ state: 'elected', winner: { worker: 'kite' } })
  })
})

describe('whatever comes', () => {
  const path = fc.constantFrom('a', './a', 'b', 'c')
  const candidate = fc.oneof(
    path.map((to) => read('', to)),
    fc.constantFrom('y', 'z').map((text) => edit('', text)),
    fc.constantFrom('rm a', 'rm b').map((command) => run('', command)),
    fc
      .constantFrom('yes', 'no', 'a long text that comes to nothing in particular,\nover two lines')
      .map((text) => said('', text)),
    fc.array(path, { minLength: 2, maxLength: 3 }).map((paths) => ({
      ...said('', ''),
      calls: paths.map((to, index) => call('read_file', { path: to }, `call-${index}`)),
    })),
    fc.constantFrom({ ...read('', 'a'), isCut: true }, { ...said('', ''), badCalls: ['x'] }),
    path.map((to) => ({ ...read('', to), checks: [{ ok: false, why: 'it would fail' }] as const })),
  )
  const candidates = fc
    .array(candidate, { maxLength: 7 })
    .map((list) => list.map((one, index) => ({ ...one, worker: `w${index}` })))
  const options = fc.record({
    tools: fc.constant(tools),
    remaining: fc.nat(4),
    ahead: fc.integer({ min: 1, max: 3 }),
    quorum: fc.integer({ min: 1, max: 3 }),
  })

  test('the order of arrival never changes the result', () => {
    const shuffled = candidates.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    )
    fc.assert(
      fc.property(shuffled, options, ([one, other], given) => {
        expect(vote(other, given)).toEqual(vote(one, given))
      }),
      { numRuns: runs(100, 500) },
    )
  })

  test('an answer without a vote never wins, and none is both', () => {
    fc.assert(
      fc.property(candidates, options, (list, given) => {
        const { winner, votes, discarded } = vote(list, given)
        const without = new Set(discarded.map(({ worker }) => worker))

        expect(without.has(winner?.worker ?? '')).toBe(false)
        expect(votes.flatMap(({ workers }) => workers).some((worker) => without.has(worker))).toBe(false)
      }),
      { numRuns: runs(100, 500) },
    )
  })

  test('there is one winner where one is elected, and none otherwise', () => {
    fc.assert(
      fc.property(candidates, options, (list, given) => {
        const { state, winner, confidence } = vote(list, given)

        expect(winner !== undefined).toBe(state === 'elected')
        expect(confidence >= 0 && confidence <= 1).toBe(true)
      }),
      { numRuns: runs(100, 500) },
    )
  })
})
