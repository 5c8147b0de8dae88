import { expect, test } from 'vitest'
import { clausesOf } from '../../../src/nano/request/clauses.ts'

test.each([
  ['set retries to 3 and timeout to 30 in app.ini', ['set retries to 3', 'and timeout to 30 in app.ini']],
  ['app.ini: retries to 3, timeout to 30', ['app.ini: retries to 3', 'timeout to 30']],
  ['copy a.md to b.md, in the copy set x to 2', ['copy a.md to b.md', 'in the copy set x to 2']],
  [
    'kindly assist: find the invoice, open it and print it',
    ['kindly assist: find the invoice', 'open it', 'and print it'],
  ],
  ['append x to a.md and lemme see it', ['append x to a.md', 'and lemme see it']],
  ['delete a.md and verify the folder', ['delete a.md', 'and verify the folder']],
  ['Run npm test && then open a.md', ['Run npm test', '&& then open a.md']],
  ['lint and after that build', ['lint', 'and after that build']],
  ['migrate, then seed, then start it', ['migrate', 'then seed', 'then start it']],
  ['What drafts are there? And open the first', ['What drafts are there?', 'And open the first']],
])('steps of their own: %s', (request, clauses) => {
  expect(clausesOf(request)).toEqual(clauses)
})

test.each([
  'set retries to 3 and timeout to 30, but not today',
  'what if we set retries to 3 and timeout to 30',
  'we take retries 2 -> 3, timeout 20 -> 30 along in spring',
  'next month: make a folder old and move a.md there',
  'change 3 -> 4 in a.md',
  'copy a.md to b.md and c.md to d.md',
  'take the captions and put them in old',
  'make a copy of a.md and call it b.md',
  'Why is it still here? Delete it',
  'show me what is then in old',
  'the port is 8443 now. change it in both configs',
  'max_pallets is 520 now, before 480. Please change that in prod.ini and on the page too.',
  'i finally get why it failed',
])('one clause: %s', (request) => {
  expect(clausesOf(request)).toEqual([request])
})
