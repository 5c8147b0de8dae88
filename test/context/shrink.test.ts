import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../src/context/count.ts'
import { toGroups } from '../../src/context/history.ts'
import { shrinkResults } from '../../src/context/shrink.ts'
import { readStub } from '../../src/context/stub.ts'
import type { Message } from '../../src/protocol/message.ts'
import { call, calls, failure, result, says, user } from './conversation.ts'

const rows = (from: number, to: number, name = 'step'): string =>
  Array.from({ length: to - from + 1 }, (_, at) =>
    at % 20 === 0 ? `${from + at}\texport function ${name}${from + at}() {` : `${from + at}\t  run(${at})`,
  ).join('\n')

let id = 0
const did = (name: string, input: object, text: string, ok = true): Message[] => {
  const key = `c${id++}`
  return [calls(call(key, name, input)), ok ? result(key, text) : failure(key, text)]
}

const present = did('read_file', { path: 'now.js' }, rows(1, 200))
const shrink = (messages: readonly Message[], room = 0, reasoning: 'keep' | 'drop' = 'drop') =>
  shrinkResults(toGroups(messages), room, { count: estimateTokens, reasoning })
/** The first result, with everything behind it there to be removed. */
const stubOf = (messages: readonly Message[]): string => shrink([...messages, ...present])[1]?.text ?? ''

describe('what is removed says what it was:', () => {
  test('a page of a file, with its lines and the names in it', () => {
    expect(stubOf(did('read_file', { path: 'lib/head-route.js' }, rows(1, 45)))).toBe(
      '[removed to save room: lib/head-route.js lines 1-45; step1 1, step21 21, step41 41; read again if needed]',
    )
  })

  test('the outline behind a page names what is further down, and is no part of its lines', () => {
    const text = `${rows(1, 45)}\n[lines 1-45 of 300; go on with from=46]\n[further down]\n99\tclass Late {`

    expect(stubOf(did('read_file', { path: 'a.js' }, text))).toBe(
      '[removed to save room: a.js lines 1-45; step1 1, step21 21, step41 41, Late 99; read again if needed]',
    )
  })

  test('a search, with where it found something', () => {
    const text = Array.from(
      { length: 20 },
      (_, at) => `lib/${at % 2 ? 'a' : 'b'}.js:${at}: const limit = ${at}`,
    )

    expect(stubOf(did('search_text', { pattern: 'limit' }, text.join('\n')))).toBe(
      '[removed to save room: search_text limit; lib/b.js 0,2,4,6,8,10,…, lib/a.js 1,3,5,7,9,11,…; search again if needed]',
    )
  })

  test('a command, with its failing lines and its exit code', () => {
    const passing = Array.from({ length: 60 }, (_, at) => `ok ${at} - case ${at}`).join('\n')
    const text = `${passing}\nnot ok 61 - parses heads\n  expected 1 to be 2\n# fail 1\n[exit 1]\n[stored as r4]`

    expect(stubOf(did('run_command', { command: 'npm test 2>&1' }, text, false)).split('\n')).toEqual([
      expect.stringMatching(
        /^\[removed to save room: output of `npm test`, \d+ tokens; read_result \{"id":"r4"\} shows it; kept:\]$/,
      ),
      'not ok 61 - parses heads',
      '  expected 1 to be 2',
      '# fail 1',
      '[exit 1]',
    ])
  })

  test('a command that passed, with its end', () => {
    const passing = Array.from({ length: 60 }, (_, at) => `ok ${at} - case ${at}`).join('\n')
    const stub = stubOf(did('run_command', { command: 'npm test' }, `${passing}\n# pass 60\n# fail 0`))

    expect(stub).toMatch(/kept:\]\n….*# pass 60 # fail 0$/)
    expect(readStub(stub)?.gist).toMatch(/# pass 60 # fail 0$/)
  })

  test('anything else, with its beginning and its handle', () => {
    const stub = stubOf(
      did('fetch_url', { url: 'https://a.example' }, `# Title\n${rows(1, 90)}\n[stored as r12]`),
    )

    expect(stub).toMatch(
      /^\[removed to save room: fetch_url https:\/\/a\.example; begins “# Title .*”; read_result/,
    )
    expect(readStub(stub)).toMatchObject({ handle: 'r12' })
  })
})

describe('one by one:', () => {
  const small = did('read_file', { path: 'small.js' }, rows(1, 8))
  const medium = did('read_file', { path: 'medium.js' }, rows(1, 60))
  const large = did('read_file', { path: 'large.js' }, rows(1, 120))
  const all = [user('Go.'), ...small, ...medium, ...large, ...present]
  const removed = (messages: readonly Message[]) =>
    messages.flatMap(({ text }) => /^\[removed to save room: (\S+) lines/.exec(text)?.[1] ?? [])
  const tokens = all.reduce((sum, { text }) => sum + estimateTokens(text), 0)

  test('nothing while there is room', () => {
    expect(shrink(all, tokens + 500)).toEqual(all)
  })

  test('the oldest and largest first, only as many as needed', () => {
    expect(removed(shrink(all, tokens - 100))).toEqual(['large.js'])
    expect(removed(shrink(all, 0))).toEqual(['medium.js', 'large.js'])
  })

  test('what is small and what the present step read stay whatever is wanted', () => {
    const after = shrink(all, 0)

    expect(after.slice(1, 3)).toEqual(small)
    expect(after.slice(-2)).toEqual(present)
  })

  test('what a newer result shows again goes before anything else, even where there is room', () => {
    const again = did('read_file', { path: 'medium.js' }, rows(1, 80))
    const after = shrink([...all, ...again, ...present], tokens * 3)

    expect(removed(after)).toEqual(['medium.js'])
    expect(after[4]?.text).toBe('[removed to save room: medium.js lines 1-60; shown again below]')
  })

  test('what is removed already, words and other messages stay', () => {
    const once = shrink(all, 0)

    expect(shrink(once, 0)).toEqual(once)
    expect(shrink([user(rows(1, 90)), says(rows(1, 90))], 0)).toEqual([user(rows(1, 90)), says(rows(1, 90))])
  })
})

test('old thoughts go where the model is shown them', () => {
  const [head, text] = did('read_file', { path: 'a.ts' }, 'x')
  const thinking = { ...head, reasoning: 'hm', tokens: [1], flag: 'greeting' } as Message

  const [kept] = shrink([thinking, text!, ...present], 0, 'drop')
  const [dropped] = shrink([thinking, text!, ...present], 0, 'keep')

  expect(kept).toEqual(thinking)
  expect(dropped).toEqual({ ...head, flag: 'greeting' })
})
