import { expect, test } from 'vitest'
import { isOrder } from '../../../src/nano/intent/order.ts'

const run = { name: 'run_command', input: { command: 'npm test' } }

test.each([
  'run npm test',
  'npm test',
  '`npm test` please',
  'Please could you run npm test?',
  'In config.json change 3000 to 8080',
  'hey, can you add milk to notes.txt',
  'rename a.txt to b.txt and show it',
  'OK, now delete old.txt',
  'in the cover letter replace May by July',
  'Back up bugs.csv to bugs-backup.csv',
  'we hand it over tomorrow so please make a folder',
  'The id is new. Change it in the selectors',
  'enable video in the config',
])('%s is an order', (request) => {
  expect(isOrder(run, request)).toBe(true)
})

test.each([
  'they ran npm test',
  'no more running npm test',
  'quote: run npm test, unquote',
  'the first line is npm test',
  'sorry I ran npm test',
  'ejecuta npm test',
  'запусти npm test',
  'npm install was run, npm test was not',
  'tests: npm test',
  'in the meeting they said run npm test',
  'on Friday I forgot to run npm test',
  'the build must be green',
])('%s is none', (request) => {
  expect(isOrder(run, request)).toBe(false)
})

test('what a text in a file must say is an order', () => {
  const edit = { name: 'edit_file', input: { path: 'a.md', old: 'Major', new: 'Critical' } }

  expect(isOrder(edit, 'the severity must be Critical')).toBe(true)
})
