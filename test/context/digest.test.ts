import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../src/context/count.ts'
import { toDigest } from '../../src/context/digest.ts'
import type { Message } from '../../src/protocol/message.ts'
import { call, calls, failure, result, says, user } from './conversation.ts'

const digest = (messages: readonly Message[], limit = 400) =>
  toDigest({ messages, limit, count: estimateTokens })

let id = 0
/** One call and its result. */
const did = (name: string, input: unknown, text: string): Message[] => {
  const key = `c${id++}`
  return [calls(call(key, name, input)), result(key, text)]
}
const failed = (name: string, input: unknown, text: string): Message[] => {
  const key = `c${id++}`
  return [calls(call(key, name, input)), failure(key, text)]
}

const page = 'export const value = 1\n'.repeat(300)

test('a digest tells what was wanted, done, found and what failed', () => {
  const messages = [
    user('[2026-01-02, branch main]\n\nRename LIMIT to MAX_ITEMS everywhere,\nthen run node all.js.'),
    ...did('list_files', { path: '.' }, 'a.js\nb.js\nall.js'),
    ...did('read_file', { path: 'a.js' }, '1\texport const LIMIT = 3'),
    ...did('edit_file', { path: 'a.js', old: 'const LIMIT', new: 'const MAX_ITEMS' }, 'Edited a.js.'),
    ...did('read_file', { path: 'big.js' }, `${page}[stored as r3]`),
    ...did('search_text', { pattern: 'LIMIT' }, 'b.js:2: import { LIMIT } from "./a.js"'),
    ...did('write_file', { path: 'notes.txt', content: 'one\ntwo\n' }, 'Wrote notes.txt.'),
    ...failed('edit_file', { path: 'b.js', old: 'x', new: 'y' }, 'Error: the old text is not in b.js'),
    ...failed('run_command', { command: 'node all.js' }, `${page}LEFT 2\nexit code 1`),
  ]

  const { text, ...rest } = digest(messages)

  expect(rest).toEqual({ role: 'user', origin: 'digest' })
  expect(text.split('\n')).toEqual([
    '[digest] Earlier messages were removed. What they established, oldest first:',
    'Goal: Rename LIMIT to MAX_ITEMS everywhere, then run node all.js.',
    '- listed . => a.js b.js all.js',
    '- edited a.js => const LIMIT -> const MAX_ITEMS',
    '- read big.js => stored as r3',
    '- searched LIMIT => b.js:2: import { LIMIT } from "./a.js"',
    '- wrote notes.txt => one two',
    'Failed and still open: edit_file b.js',
    expect.stringMatching(/^Last error: run_command node all.js => ….* LEFT 2 exit code 1$/),
  ])
})

test('what succeeds later is no longer open, and a repeated action is told once', () => {
  const messages = [
    ...failed('run_command', { command: 'node test.js' }, 'FAIL'),
    ...failed('edit_file', { path: 'a.js', old: 'x', new: 'y' }, 'Error: no match'),
    ...did('write_file', { path: 'a.js', content: 'y' }, 'Wrote a.js.'),
    ...did('run_command', { command: 'node test.js' }, 'GREEN 7712'),
    ...did('run_command', { command: 'node test.js' }, 'GREEN 7713'),
  ]

  expect(digest(messages).text.split('\n').slice(1)).toEqual([
    '- wrote a.js => y',
    '- ran node test.js => GREEN 7713',
  ])
})

test('every edit of a file is kept, and a file that changed is no longer quoted', () => {
  const messages = [
    ...did('read_file', { path: 'p.js' }, '1\tx * 1.9'),
    ...did('edit_file', { path: 'p.js', old: '1.9', new: '1.19' }, 'ok'),
    ...did('edit_file', { path: 'p.js', old_string: 'EUR x', new_string: 'x EUR' }, 'ok'),
    ...did('apply_patch', { patch: '--- a/q.js\n+++ b/q.js\n@@ -1 +1 @@\n-a\n+b\n' }, 'ok'),
  ]

  expect(digest(messages).text.split('\n').slice(1)).toEqual([
    '- edited p.js => 1.9 -> 1.19',
    '- edited p.js => EUR x -> x EUR',
    '- patched => q.js',
  ])
})

test('a command that fails now is no longer told as green, and a failed edit leaves what was read', () => {
  const messages = [
    ...did('run_command', { command: 'node test.js' }, 'GREEN'),
    ...did('read_file', { path: 'a.js' }, '1\tconst a = 1'),
    ...failed('edit_file', { path: 'a.js', old: 'x', new: 'y' }, 'Error: no match'),
    ...failed('run_command', { command: 'node test.js' }, 'FAIL'),
  ]

  expect(digest(messages).text.split('\n').slice(1)).toEqual([
    '- read a.js => 1 const a = 1',
    'Failed and still open: edit_file a.js',
    'Last error: run_command node test.js => FAIL',
  ])
})

describe('an earlier digest', () => {
  const first = digest([
    user('Make it green.'),
    ...did('read_file', { path: 'one.txt' }, '1\tvalue 1204'),
    ...did('edit_file', { path: 'a.js', old: 'a - b', new: 'a + b' }, 'ok'),
    says('The sum is right now.'),
    ...failed('edit_file', { path: 'b.js', old: 'x', new: 'y' }, 'Error: no match'),
    ...failed('run_command', { command: 'node test.js' }, 'FAIL label(5)'),
  ])

  test('is merged, not nested', () => {
    const again = digest([
      first,
      user('And the label?'),
      ...did('read_file', { path: 'one.txt' }, '1\tvalue 1205'),
      ...did('run_command', { command: 'node test.js' }, 'GREEN'),
    ])

    expect(again.text.split('\n')).toEqual([
      '[digest] Earlier messages were removed. What they established, oldest first:',
      'Goal: Make it green.',
      '- edited a.js => a - b -> a + b',
      '- answered => The sum is right now.',
      '- asked => And the label?',
      '- read one.txt => 1 value 1205',
      '- ran node test.js => GREEN',
      'Last error: edit_file b.js',
    ])
  })

  test('of nothing new stays what it was', () => {
    expect(digest([first])).toEqual(first)
  })

  test('that a model wrote keeps its words', () => {
    const summary = user('[digest] The host is heron-17.\nThe port is done.', { origin: 'digest' })

    expect(digest([summary]).text.split('\n').slice(1)).toEqual([
      '- noted => The host is heron-17.',
      '- noted => The port is done.',
    ])
  })
})

test('where there is no room, listings and reads go first and edits last, and it says so', () => {
  const reads = Array.from({ length: 40 }, (_, at) =>
    did('read_file', { path: `src/file-${at}.ts` }, page),
  ).flat()
  const edits = Array.from({ length: 5 }, (_, at) =>
    did('edit_file', { path: `src/e${at}.ts`, old: 'old', new: 'new' }, 'ok'),
  ).flat()

  const first = digest([user('Go.'), ...edits, ...reads], 200)
  const second = digest([first, ...reads.slice(0, 40)], 200)

  expect(estimateTokens(first.text)).toBeLessThanOrEqual(200)
  expect(first.text).toMatch(/- \(\d\d older lines left out\)\n- edited src\/e0.ts => old -> new\n/)
  expect(first.text).toContain('- read src/file-39.ts')
  expect(second.text.match(/edited/g)).toHaveLength(5)
  expect(second.text.match(/left out/g)).toHaveLength(1)
})

test('of words that stay in front of it a digest is only a reminder', () => {
  const text = toDigest({
    messages: did('read_file', { path: 'a' }, 'x'),
    words: 'Rename it. '.repeat(20),
    limit: 400,
    count: estimateTokens,
  }).text

  expect(text).toMatch(/^Goal: (?:Rename it\. ){7}R?e?…$/m)
})

test('what sources put in front of a question is no part of the goal', () => {
  const preceding = [
    '[2026-01-02, branch main]',
    'Last session (2026-01-01): "Add a port". It ended with: Done.',
    '[remembered from earlier sessions; may be out of date]\n- the port is 8080\n- tests run with npm',
    'Plan (working, 1 of 2 tasks done): Ship it.\n2. docs (open)',
  ]
  const asked = user([...preceding, 'Rename the port.\n\nKeep the default.'].join('\n\n'))

  expect(digest([asked]).text).toMatch(/Goal: Rename the port\. Keep the default\.$/)
  expect(digest([user('[Image: a.png]\n\nWhat is this?')]).text).toMatch(
    /Goal: \[Image: a\.png\] What is this\?$/,
  )
})

test('output that preceded a question is no part of the goal', () => {
  const asked = user('[2026-01-02]\n\n[exec output]\na\n\nb\n\nWhat is b?')

  expect(digest([asked, user('[note] go on', { origin: 'note' })]).text).toMatch(/Goal: What is b\?$/)
})
