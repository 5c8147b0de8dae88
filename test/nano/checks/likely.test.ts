/** Which guesses are made for a client that cannot be asked: those the request's own words bear out. */
import { expect, test } from 'vitest'
import { isGrounded, isMisfit, isTrusted } from '../../../src/nano/checks/likely.ts'
import type { NanoCall } from '../../../src/nano/steps/run.ts'

const lines = [
  { path: 'config/kiosk.ini', number: 2, text: 'timeout = 90' },
  { path: 'config/kiosk.ini', number: 3, text: 'language = en' },
  { path: 'data/boreholes.csv', number: 3, text: 'BH-02,Mbooni,98,broken' },
  { path: 'TODO.md', number: 1, text: '[ ] Gate at the school' },
]
const paths = [
  'config/kiosk.ini',
  'data/boreholes.csv',
  'TODO.md',
  'notes/petty_cash.csv',
  'notes/queens.txt',
]
const said = (clause: string) => ({ clause, lines, paths, recent: [] })

const edit = (path: string, old: string, replacement: string): NanoCall => ({
  name: 'edit_file',
  input: { path, old, new: replacement },
})

test.each<[string, NanoCall]>([
  [
    "I'd like to set the kiosk timeout to 120, please",
    edit('config/kiosk.ini', 'timeout = 90', 'timeout = 120'),
  ],
  ['tick the gate at the school', edit('TODO.md', '[ ] Gate at the school', '[x] Gate at the school')],
  [
    'change broken to working for BH-02',
    edit('data/boreholes.csv', 'BH-02,Mbooni,98,broken', 'BH-02,Mbooni,98,working'),
  ],
  [
    'add 12 May,Stapler,450 to the petty cash',
    {
      name: 'write_file',
      input: { path: 'notes/petty_cash.csv', content: '12 May,Stapler,450', append: true },
    },
  ],
  [
    'move the petty cash to archive',
    { name: 'move_file', input: { from: 'notes/petty_cash.csv', to: 'archive/petty_cash.csv' } },
  ],
  ['make a folder called exhibits', { name: 'make_folder', input: { path: 'exhibits' } }],
])('%s says all that is needed', (clause, call) => {
  expect(isGrounded(call, said(clause))).toBe(true)
})

test.each<[string, NanoCall]>([
  // A number for a word.
  ['set the kiosk language to 5', edit('config/kiosk.ini', 'language = en', 'language = 5')],
  // Another word of the line than was said.
  [
    'change broken to working for BH-02',
    edit('data/boreholes.csv', 'BH-02,Mbooni,98,broken', 'BH-02,Working,98,broken'),
  ],
  // Only a part of what was said.
  ['set the kiosk language to en GB', edit('config/kiosk.ini', 'language = de', 'language = en')],
  // Another line has more of the words.
  ['set the kiosk timeout to 120', edit('config/other.ini', 'retries = 3', 'retries = 120')],
  ['set both kiosk timeouts to 120', edit('config/kiosk.ini', 'timeout = 90', 'timeout = 120')],
  [
    'add 12 May,Stapler,450,yes to the petty cash',
    {
      name: 'write_file',
      input: { path: 'notes/petty_cash.csv', content: '12 May,Stapler,450', append: true },
    },
  ],
  // The text that is written names no file.
  [
    'add "two new queens" to the hive sheet',
    { name: 'write_file', input: { path: 'notes/queens.txt', content: 'two new queens', append: true } },
  ],
  ['make a folder called old in squads', { name: 'make_folder', input: { path: 'old' } }],
  ['delete notes/petty_cash.csv', { name: 'delete_file', input: { path: 'notes/petty_cash.csv' } }],
  ['remove the timeout from kiosk.ini', edit('config/kiosk.ini', 'timeout = 90\n', '')],
])('%s leaves something open', (clause, call) => {
  expect(isGrounded(call, said(clause))).toBe(false)
})

test('a name that would go for a number is not meant, unless it was said to be replaced', () => {
  const call = edit('a.csv', 'Airtime', '1500')

  expect(isMisfit(call, said('correct Airtime to 1500'))).toBe(true)
  expect(isMisfit(call, said('replace Airtime with 1500'))).toBe(false)
})

test('a number that the clause does not contain is not meant', () => {
  const clause = 'soybean meal went from 405 to 398, change it'

  expect(isMisfit(edit('a.txt', 'meal at 405', 'meal at 40398'), said(clause))).toBe(true)
  expect(isMisfit(edit('a.txt', 'meal at 405', 'meal at 398'), said(clause))).toBe(false)
})

test.each<[string, number, boolean]>([
  ['set the kiosk timeout to 120', 0.99, true],
  ['set the kiosk timeout to 120', 0.8, false],
  ['set the kiosk timeout to 120. oh, wrong file', 0.99, false],
  ['set the kiosk timeout to 120 tomorrow', 0.99, false],
  ["don't set the kiosk timeout to 120", 0.99, false],
])('%s, likely by %d, is trusted: %s', (request, trust, isSo) => {
  const call = edit('config/kiosk.ini', 'timeout = 90', 'timeout = 120')
  const guess = { kind: 'guess' as const, call, why: '', isLikely: true }
  const about = { said: said(request), request, trust }

  expect(isTrusted(guess, about)).toBe(isSo)
  // The rules have to find it likely, too.
  expect(isTrusted({ ...guess, isLikely: false }, about)).toBe(false)
})

test('what removes a file without naming it is not trusted', () => {
  const removing = (path: string, request: string): boolean => {
    const call: NanoCall = { name: 'delete_file', input: { path } }
    return isTrusted(
      { kind: 'guess', call, why: '', isLikely: true },
      { said: said(request), request, trust: 1 },
    )
  }

  expect(removing('old/a.txt', 'delete a.txt')).toBe(true)
  expect(removing('old/a.txt', 'delete the old one')).toBe(false)
  expect(removing('src', 'delete src')).toBe(false)
  expect(removing('', 'delete undefined things')).toBe(false)
})
