/** Which of several paths is meant: by the words of names and folders, by dates and types, by what is said of where something goes. */
import { describe, expect, test } from 'vitest'
import type { Ban } from '../../../src/nano/weights/ban.ts'
import { contradictionOf } from '../../../src/nano/checks/contradiction.ts'
import { noSources } from '../../../src/nano/weights/format.ts'
import { dateOf, datesSaid } from '../../../src/nano/paths/dates.ts'
import { betterBy, fitOf, saidIn } from '../../../src/nano/paths/fit.ts'
import type { NanoCall } from '../../../src/nano/steps/run.ts'

const paths = [
  'meetings/',
  'meetings/2025-04-03_staff.txt',
  'meetings/2025-05-06_staff.txt',
  'reports/2024_Q4_report.md',
  'reports/2025_Q1_report.md',
  'reports/monthly/',
  'reports/',
  'roster/',
  'roster/2025_wk23.csv',
  'log/price.log',
  'prices.ini',
  'bugs/',
  'bugs/bugs.csv',
  'plans/april.md',
  'plans/may.md',
  'todo.md',
  'invoices/old/inv_198.txt',
  'invoices/old/inv_199.txt',
  'modules/db/main.tf',
  'clients/acme/main.tf',
]

const lines = [{ path: 'prices.ini', number: 3, text: 'comb = 12' }]

const banOf = (clause: string, name: string, input: NanoCall['input'], request = clause) =>
  contradictionOf({ name, input }, { clause, request, sources: { ...noSources, paths, lines }, recent: [] })

const banned = (path: string, as?: 'old' | 'new'): Ban => ({ kind: 'path', path, ...(as && { as }) })

describe('another path fits the words better', () => {
  test.each<[string, string, NanoCall['input'], Ban]>([
    [
      'append AOB to the minutes of 6 May',
      'write_file',
      { path: 'meetings/2025-04-03_staff.txt', content: 'AOB', append: true },
      banned('meetings/2025-04-03_staff.txt'),
    ],
    [
      'show the finance part of the Q1 report',
      'read_file',
      { path: 'reports/2024_Q4_report.md' },
      banned('reports/2024_Q4_report.md'),
    ],
    ['last 5 lines of the price log', 'read_file', { path: 'prices.ini' }, banned('prices.ini')],
    ['get rid of the week 23 roster', 'delete_file', { path: 'roster/' }, banned('roster/')],
    [
      'delete the old invoice',
      'delete_file',
      { path: 'invoices/old/inv_199.txt' },
      banned('invoices/old/inv_199.txt'),
    ],
    [
      'rename april to april_done and may to now',
      'move_file',
      { from: 'plans/may.md', to: 'april_done' },
      banned('plans/may.md', 'old'),
    ],
    [
      'first 9 lines of the acme main.tf',
      'read_file',
      { path: 'modules/db/main.tf' },
      banned('modules/db/main.tf'),
    ],
    [
      'show the latest staff meeting',
      'read_file',
      { path: 'meetings/2025-04-03_staff.txt' },
      banned('meetings/2025-04-03_staff.txt'),
    ],
    [
      'search rain in the monthly reports',
      'search_text',
      { pattern: 'rain', path: 'reports/' },
      banned('reports/'),
    ],
    ['phone number of Okafor', 'search_text', { pattern: 'Okafor', path: 'phone' }, { kind: 'words' }],
    [
      'copy todo.md to bugs/x.md and show it',
      'copy_file',
      { from: 'todo.md', to: 'bugs/x.md and' },
      { kind: 'words' },
    ],
    [
      'rename april.md to may_done.md',
      'move_file',
      { from: 'plans/may.md', to: 'plans/april.md' },
      banned('plans/april.md', 'new'),
    ],
  ])('%s: %s %o', (clause, name, input, ban) => {
    expect(banOf(clause, name, input)).toEqual(ban)
  })

  test.each<[string, string, NanoCall['input']]>([
    ['show the may plan, not the april one', 'read_file', { path: 'plans/may.md' }],
    ['what do we ask for comb', 'read_file', { path: 'prices.ini' }],
    ['tick nothing, show the to-do list', 'read_file', { path: 'todo.md' }],
    ['open main.tf of acme', 'read_file', { path: 'clients/acme/main.tf' }],
    ['delete both plans, april and may', 'delete_file', { path: 'plans/april.md' }],
    ['delete invoice 199', 'delete_file', { path: 'invoices/old/inv_199.txt' }],
    ['delete the whole roster folder', 'delete_file', { path: 'roster/' }],
    ['search the bugs for rain', 'search_text', { pattern: 'rain', path: 'bugs/' }],
    ['where does it say comb', 'search_text', { pattern: 'comb', path: 'prices.ini' }],
  ])('%s: %s %o stands', (clause, name, input) => {
    expect(banOf(clause, name, input)).toBeUndefined()
  })

  test('a first sentence that names nothing only tells', () => {
    const request = 'Something is wrong again. Search the bugs for ERROR.'

    const ban = banOf(
      'Something is wrong again.',
      'search_text',
      { pattern: 'ERROR', path: 'bugs/' },
      request,
    )

    expect(ban).toBeUndefined()
  })
})

describe('in a later part', () => {
  const later = (clause: string, path: string, last: readonly string[]) =>
    contradictionOf(
      { name: 'read_file', input: { path } },
      { clause, sources: { ...noSources, paths, lines }, recent: last, last },
    )

  test('the one of a list that is named', () => {
    const listed = ['plans/april.md', 'plans/may.md', 'todo.md']

    expect(later('then open the one with the plan for May', 'todo.md', listed)).toEqual(banned('todo.md'))
    expect(later('then open that one', 'todo.md', listed)).toBeUndefined()
    expect(later('and after that open the Q1 report', 'reports/2024_Q4_report.md', listed)).toEqual(
      banned('reports/2024_Q4_report.md'),
    )
  })

  test('what is added without a name goes to the last file', () => {
    const append = (path: string): unknown =>
      contradictionOf(
        { name: 'write_file', input: { path, content: 'Alex - Wote', append: true } },
        {
          clause: 'add Alex - Wote',
          sources: { ...noSources, paths },
          recent: ['todo.md'],
          last: ['todo.md'],
        },
      )

    expect(append('plans/may.md')).toEqual(banned('plans/may.md'))
    expect(append('todo.md')).toBeUndefined()
  })

  test('what it does not name is what the step before was about', () => {
    expect(later('and show the roster in it', 'todo.md', ['todo.md'])).toBeUndefined()
  })
})

describe('dates', () => {
  test.each([
    ['the minutes of 17 April', [{ day: 17, month: 4 }]],
    ['June 12th, 2024', [{ day: 12, month: 6, year: 2024 }]],
    ['logs from the 13th', [{ day: 13 }]],
    ['the log of 2024-05-13', [{ day: 13, month: 5, year: 2024 }]],
    ['may I see the list', []],
    ['the orders of may', [{ month: 5 }]],
  ])('%s', (text, dates) => {
    const said = datesSaid(text).dates

    expect(said).toMatchObject(dates)
    expect(said).toHaveLength(dates.length)
  })

  test.each([
    ['logs/2024-05-13/app.log', { day: 13, month: 5, year: 2024 }],
    ['reports/april_2025.md', { month: 4, year: 2025 }],
    ['orders/2024-06.csv', { month: 6, year: 2024 }],
    ['notes.md', {}],
  ])('of %s', (path, date) => {
    expect(dateOf(path)).toEqual(date)
  })
})

test('numbers of lines name no file', () => {
  const said = saidIn('show lines 5 to 9 of the draft')

  expect(betterBy(fitOf('draft_9.md', said), fitOf('draft.md', said))).toBeLessThan(0)
})
