import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../src/context/count.ts'
import { toDigest } from '../../src/context/digest.ts'
import { toGroups } from '../../src/context/history.ts'
import { shrinkResults } from '../../src/context/shrink.ts'
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
const numbered = Array.from({ length: 300 }, (_, at) =>
  at === 0 ? '1\tfunction first() {' : at === 39 ? '40\tclass second {' : `${at + 1}\t  run(${at})`,
).join('\n')

test('a digest tells what was wanted, done, found and what failed', () => {
  const messages = [
    user('[2026-01-02, branch main]\n\nRename LIMIT to MAX_ITEMS everywhere,\nthen run node all.js.'),
    ...did('list_files', { path: '.' }, 'a.js\nb.js\nall.js'),
    ...did('read_file', { path: 'a.js' }, '1\texport const LIMIT = 3'),
    ...did('edit_file', { path: 'a.js', old: 'const LIMIT', new: 'const MAX_ITEMS' }, 'Edited a.js.'),
    ...did('read_file', { path: 'big.js' }, numbered),
    ...did('search_text', { pattern: 'LIMIT' }, 'b.js:2: import { LIMIT } from "./a.js"'),
    ...did('write_file', { path: 'notes.txt', content: 'one\ntwo\n' }, 'Wrote notes.txt.'),
    ...failed('edit_file', { path: 'b.js', old: 'x', new: 'y' }, 'Error: the old text is not in b.js'),
    ...failed('run_command', { command: 'node all.js' }, `${page}LEFT 2\nexit code 1`),
  ]

  const { text, ...rest } = digest(messages)

  expect(rest).toEqual({ role: 'user', origin: 'digest' })
  expect(text.split('\n')).toEqual([
    '[digest] Earlier messages were removed. What they established, oldest first:',
    'Task: Rename LIMIT to MAX_ITEMS everywhere,',
    '  then run node all.js.',
    '- read a.js lines 1 before it changed',
    '- edited a.js + const MAX_ITEMS',
    '- read big.js lines 1-300: first 1, second 40',
    '- searched "LIMIT": b.js:2: import { LIMIT } from "./a.js"',
    '- wrote notes.txt (2 lines): one two',
    'Failed and still open: edit_file b.js',
    expect.stringMatching(/^Last error: `node all.js`: ….* LEFT 2 exit code 1$/),
  ])
})

test('what succeeds later is no longer open, and a repeated action is listed once', () => {
  const messages = [
    ...failed('run_command', { command: 'node test.js' }, 'FAIL'),
    ...failed('edit_file', { path: 'a.js', old: 'x', new: 'y' }, 'Error: no match'),
    ...did('write_file', { path: 'a.js', content: 'y' }, 'Wrote a.js.'),
    ...did('run_command', { command: 'node test.js' }, 'GREEN 7712'),
    ...did('run_command', { command: 'node test.js' }, 'GREEN 7713'),
  ]

  expect(digest(messages).text.split('\n').slice(1)).toEqual([
    '- wrote a.js (1 line): y',
    '- ran `node test.js`: GREEN 7713',
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
    '- read p.js lines 1 before it changed',
    '- edited p.js + 1.19',
    '- edited p.js + x EUR',
    '- patched q.js + b',
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
    '- read a.js lines 1: const a = 1',
    'Failed and still open: edit_file a.js',
    'Last error: `node test.js`: FAIL',
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
      'Task: Make it green.',
      '- edited a.js + a + b',
      '- answered: The sum is right now.',
      '- asked: And the label?',
      '- read one.txt lines 1: value 1205',
      '- ran `node test.js`: GREEN',
      'Last error: edit_file b.js',
    ])
  })

  test('of nothing new stays what it was', () => {
    expect(digest([first])).toEqual(first)
  })

  test('that a model wrote keeps its words', () => {
    const summary = user('[digest] The host is heron-17.\nThe port is done.', { origin: 'digest' })

    expect(digest([summary]).text.split('\n').slice(1)).toEqual([
      '- noted: The host is heron-17.',
      '- noted: The port is done.',
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
  expect(first.text).toMatch(/- \(\d\d older lines left out\)\n- edited src\/e0.ts \+ new\n/)
  expect(first.text).toContain('- read src/file-39.ts')
  expect(second.text.match(/edited/g)).toHaveLength(5)
  expect(second.text.match(/left out/g)).toHaveLength(1)
})

test('the first task is kept whole, line by line, however long it is', () => {
  const task = `Fix the parser.\n${'Look at every rule. '.repeat(30)}\n- do not commit\n- keep the API`
  const first = digest([user(task), ...did('read_file', { path: 'a.js' }, '1\tx')], 100)

  const second = digest([first, user('And the docs.'), says('Done.')], 100)

  for (const { text } of [first, second]) {
    expect(text).toContain(`Task: ${task.replaceAll('\n', '\n  ')}`)
    expect(text.match(/do not commit/g)).toHaveLength(1)
  }
})

test('a task that is still in the conversation is not repeated', () => {
  expect(digest(did('read_file', { path: 'a.js' }, '1\tx')).text).not.toMatch(/Task|Goal/)
})

describe('a command is the same with other pipes and redirections:', () => {
  const red = failed('run_command', { command: 'npm test' }, '31 passed, 2 failed\n[exit 1]')

  test.each([
    'npm test 2>&1',
    'npm test 2>&1 | tail -5',
    'npm test > out.log 2>&1; tail -3 out.log',
    'npm test | grep -E "pass|fail" | head',
  ])('%s passes, so it is no longer open', (command) => {
    const text = digest([...red, ...did('run_command', { command }, '33 passed, 0 failed')]).text

    expect(text.split('\n').slice(1)).toEqual(['- ran `npm test`: 33 passed, 0 failed'])
  })

  test('what failed behind a filter did not pass, whatever the exit code says', () => {
    const text = digest([...red, ...did('run_command', { command: 'npm test | tail -1' }, '1 failed')]).text

    expect(text).toMatch(/Last error: `npm test`: 1 failed$/)
  })

  test('a filter that shows nothing of the outcome changes nothing', () => {
    const text = digest([...red, ...did('run_command', { command: 'npm test | head -1' }, '> test')]).text

    expect(text).toMatch(/Last error: `npm test`: 31 passed, 2 failed \[exit 1\]$/)
  })

  test('another command clears nothing', () => {
    const text = digest([...red, ...did('run_command', { command: 'npm run lint' }, 'ok')]).text

    expect(text).toContain('Last error: `npm test`')
  })
})

test('what stays behind the digest ends what it would call open', () => {
  const red = failed('run_command', { command: 'npm test' }, '2 failed')
  const kept = did('run_command', { command: 'npm test 2>&1 | tail' }, '33 passed')

  const { text } = toDigest({ messages: red, kept, limit: 400, count: estimateTokens })

  expect(text).not.toContain('npm test')
})

test('lookups that found nothing are no errors, and listings are not told', () => {
  const messages = [
    ...did('list_files', { path: '.' }, 'a.js'),
    ...did('more_tools', { category: 'read' }, 'find_files(pattern)'),
    ...did('call_tool', { name: 'find_files', arguments: { pattern: '*.md' } }, 'README.md'),
    ...failed('read_file', { path: 'lib/none.js' }, 'Error: lib/none.js does not exist'),
    ...failed('search_text', { pattern: 'x', path: 'none' }, 'Error: none does not exist'),
    ...failed('run_command', { command: 'grep -rn foo lib' }, '(no output)\n[exit 1]'),
    ...failed('run_command', { command: 'ls none' }, 'ls: cannot access none\n[exit 2]'),
  ]

  expect(digest(messages).text.split('\n').slice(1)).toEqual([])
})

test('a path that was corrected stands under its right name, whole or removed', () => {
  const text = `[path corrected: src/head.js -> lib/head.js]\n${numbered}`
  const read = did('read_file', { path: 'src/head.js' }, text)
  const removed = shrinkResults(toGroups([...read, ...did('read_file', { path: 'b.js' }, 'x')]), 0, {
    count: estimateTokens,
  })

  const line = '- read lib/head.js lines 1-300: first 1, second 40'
  expect(digest(read).text.split('\n')[1]).toBe(line)
  expect(digest(removed.slice(0, 2)).text.split('\n')[1]).toBe(line)
})

test('pages of one file are listed together', () => {
  const rows = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => `${from + at}\t${'word '.repeat(9)}`).join('\n')
  const messages = [
    ...did('read_file', { path: 'a.js' }, rows(1, 40)),
    ...did('read_file', { path: 'a.js', from: 80 }, `${rows(80, 120)}\n[end, 120 lines]`),
    ...did('read_file', { path: 'a.js', from: 41 }, rows(41, 60)),
  ]

  expect(digest(messages).text.split('\n').slice(1)).toEqual(['- read a.js lines 1-60, 80-120'])
})

test('what sources put in front of a question is no part of the goal', () => {
  const preceding = [
    '[2026-01-02, branch main]',
    'Last session (2026-01-01): "Add a port". It ended with: Done.',
    '[remembered from earlier sessions; may be out of date]\n- the port is 8080\n- tests run with npm',
    'Plan (working, 1 of 2 tasks done): Ship it.\n2. docs (open)',
  ]
  const asked = user([...preceding, 'Rename the port.\n\nKeep the default.'].join('\n\n'))

  expect(digest([asked]).text).toMatch(/Task: Rename the port\.\n {2}\n {2}Keep the default\.$/)
  expect(digest([user('[Image: a.png]\n\nWhat is this?')]).text).toMatch(
    /Task: \[Image: a\.png\]\n {2}\n {2}What is this\?$/,
  )
})

test('output that preceded a question is no part of the goal', () => {
  const asked = user('[2026-01-02]\n\n[exec output]\na\n\nb\n\nWhat is b?')

  expect(digest([asked, user('[note] go on', { origin: 'note' })]).text).toMatch(/Task: What is b\?$/)
})
