import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classifyByKeywords, isContinuation, isForSeveral, isOneStep } from '../../src/router/keywords.ts'

describe('the type of a request', () => {
  test.each([
    ['Check the login handler for SQL injection', 'security_review'],
    ['Review this PR for security problems and fix the bug', 'security_review'],
    ['The build fails with TypeError: x is undefined', 'debug'],
    ['Why does npm test crash on Windows?', 'debug'],
    ['Fix the failing test in auth.test.ts', 'debug'],
    ['Please review src/app.ts', 'review'],
    ['What do you think of this function?', 'review'],
    ['Refactor the parser and add tests', 'refactor'],
    ['Rename getUser to loadUser everywhere', 'refactor'],
    ['Write unit tests for the tokenizer', 'unit_test'],
    ['Increase the coverage of lib/text.ts', 'unit_test'],
    ['Explain how the scheduler works', 'explain'],
    ['Where is the port configured?', 'explain'],
    ['Make a plan for moving to Postgres', 'planning'],
    ['How should we store the sessions?', 'planning'],
    ['Run three subagents in parallel over the packages', 'orchestration'],
    ['Deploy the staging environment', 'orchestration'],
    ['Implement a rate limiter in Go', 'generation'],
    ['Add a dark mode switch to the settings page', 'generation'],
    ['Scaffold an express app', 'boilerplate'],
    ['Create the boilerplate for a plugin', 'boilerplate'],
    ['hello world in Rust', 'boilerplate'],
    ['Does it rain?', 'explain'],
    ['more cowbell', 'explain'],
    ['list the files in src/', 'explain'],
    ['lemme see cli.py', 'explain'],
    ['Write a function that lists files', 'generation'],
    ['run the tests', 'unit_test'],
    ['please compile the project', 'orchestration'],
    ['In users.ts swap paging for pagination', 'boilerplate'],
    ['Make a file docs/ideas.md that says "gift cards"', 'boilerplate'],
  ])('%s -> %s', (prompt, type) => {
    expect(classifyByKeywords(prompt)).toMatchObject({ type, source: 'keywords' })
  })

  test('goes by the first words, not by a log pasted behind them', () => {
    const log = 'Error: it crashed\n'.repeat(1_000)

    expect(classifyByKeywords(`${'Add a button. '.repeat(300)}${log}`).type).toBe('generation')
  })
})

test('no text makes it slow', () => {
  const hostile = [
    'add to ',
    'change with ',
    'file with ',
    'a.b.',
    'then ',
    'run ',
    '- ',
    'please ',
    '->'.repeat(3),
  ]

  for (const piece of hostile) expect(classifyByKeywords(piece.repeat(2_000)).source).toBe('keywords')
})

describe('complexity', () => {
  test.each([
    ['Fix a typo in README.md', 'Fix the race condition across all worker threads'],
    ['Add a flag', 'Add a flag, then migrate every caller, and then update a.ts, b.ts and c.ts'],
    ['Write a stub', 'Coordinate the release of the entire system'],
  ])('"%s" is less than "%s"', (small, large) => {
    expect(classifyByKeywords(small).complexity).toBeLessThan(classifyByKeywords(large).complexity)
  })

  test('stays between 0 and 1 for any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2_000 }), (prompt) => {
        const { complexity } = classifyByKeywords(prompt)

        expect(complexity).toBeGreaterThanOrEqual(0)
        expect(complexity).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('tools', () => {
  test.each([
    'Hello',
    'thanks!',
    'What is a monad?',
    'What can you do?',
    'Explain the difference between TCP and UDP',
  ])('"%s" needs none', (prompt) => {
    expect(classifyByKeywords(prompt)).toMatchObject({ needsTools: false, category: 'answer' })
  })

  test.each([
    ['What is in this folder?', 'read'],
    ['Find all usages of loadConfig', 'search'],
    ['Run the tests', 'run'],
    ['Create a file notes.md', 'write'],
    ['Summarise https://example.com/page', 'web'],
    ['Remember that we use tabs', 'memory'],
    ['Explain src/app.ts', 'read'],
  ])('"%s" begins with %s', (prompt, category) => {
    expect(classifyByKeywords(prompt)).toMatchObject({ needsTools: true, category })
  })
})

test.each(['yes', 'Yes, please', 'go on', 'ok do that', 'the second one', 'do it', 'now fix it', '2'])(
  '"%s" goes on with what was said before',
  (prompt) => {
    expect(isContinuation(prompt)).toBe(true)
  },
)

test.each([
  'Fix the login',
  'yes, but first refactor the whole parser module',
  'Review this file',
  'add tests',
])('"%s" is a request of its own', (prompt) => {
  expect(isContinuation(prompt)).toBe(false)
})

test.each([
  'list files in src/',
  'read package.json',
  'run npm test',
  'Please show README.md',
  'search "needle" in docs/',
])('"%s" is one step with copied arguments', (prompt) => {
  expect(isOneStep(prompt)).toBe(true)
})

test.each([
  'run npm test and fix what fails',
  'read package.json and explain it',
  'find the bug in app.ts',
  'show me how to do it',
  'refactor src/app.ts',
  'write a test for src/app.ts',
])('"%s" is more than one step', (prompt) => {
  expect(isOneStep(prompt)).toBe(false)
})

test.each([
  ['run make all', false],
  ['npm install', false],
  ['explain how deploys work in parallel', false],
  ['Deploy the staging environment', false],
  ['Run three subagents in parallel over the packages', true],
  ['Delegate the three packages to several agents', true],
  ['Run these:\n1. lint\n2. the tests\n3. the build', true],
])('whether %j is work for several: %j', (prompt, expected) => {
  expect(isForSeveral(prompt)).toBe(expected)
})
