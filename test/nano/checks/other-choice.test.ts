/** Rules that look at what else a call could have meant: where it goes, which file has the whole name, what the last step was about. */
import { describe, expect, test } from 'vitest'
import type { Ban } from '../../../src/nano/weights/ban.ts'
import { contradictionOf } from '../../../src/nano/checks/contradiction.ts'
import { noSources } from '../../../src/nano/weights/format.ts'
import type { NanoCall } from '../../../src/nano/steps/run.ts'

const paths = [
  'jobs/',
  'jobs/open/',
  'jobs/old/',
  'jobs/blank.txt',
  'jobs/waiting/fiesta.txt',
  'parts/stock.csv',
  'scripts/low_stock.py',
  'diary/2025/',
  'pom.xml',
  'logs/one.log',
  'logs/two.log',
]

const lines = [
  { path: 'jobs/blank.txt', number: 2, text: 'Golf, time 60' },
  { path: 'timetable.txt', number: 1, text: 'Time 3' },
]

type Told = { readonly recent?: readonly string[]; readonly last?: readonly string[] }

const banOf = (clause: string, { name, input }: NanoCall, { recent = [], last = [] }: Told = {}) =>
  contradictionOf({ name, input }, { clause, sources: { ...noSources, paths, lines }, recent, last })

const call = (name: string, input: NanoCall['input']): NanoCall => ({ name, input })
const banned = (path: string, as?: 'old' | 'new'): Ban => ({ kind: 'path', path, ...(as && { as }) })

describe('is another one meant?', () => {
  test.each<[string, NanoCall, Ban, Told?]>([
    [
      'move the fiesta to open jobs',
      call('move_file', { from: 'jobs/waiting/fiesta.txt', to: 'jobs' }),
      banned('jobs'),
    ],
    [
      'make a folder photos inside diary/2025',
      call('make_folder', { path: 'diary/2025' }),
      banned('diary/2025'),
    ],
    ["I'd like to delete the blank one", call('read_file', { path: 'jobs/blank.txt' }), { kind: 'looks' }],
    ['delete the old job', call('delete_file', { path: 'jobs/old/' }), banned('jobs/old/')],
    [
      'first 10 lines of stock',
      call('read_file', { path: 'scripts/low_stock.py' }),
      banned('scripts/low_stock.py'),
    ],
    [
      'copy pom.xml to pom.xml.bak',
      call('copy_file', { from: 'pom.xml', to: 'pom.xml' }),
      banned('pom.xml', 'new'),
    ],
    [
      'save a copy of pom.xml as pom.bak',
      call('copy_file', { from: 'pom.bak', to: 'pom.bak' }),
      banned('pom.bak', 'old'),
    ],
    ['Now then, copy pom.xml there', call('copy_file', { from: 'pom.xml', to: 'Now' }), banned('Now')],
    [
      'then open that log',
      call('read_file', { path: 'logs/one.log' }),
      banned('logs/one.log'),
      { recent: ['logs/two.log', 'logs'], last: ['logs/two.log', 'logs'] },
    ],
    [
      'search ERROR in it',
      call('search_text', { pattern: 'ERROR', path: 'lines 1-20 of one.log' }),
      { kind: 'words' },
    ],
  ])('%s', (clause, made, ban, told) => {
    expect(banOf(clause, made, told)).toEqual(ban)
  })

  test.each<[string, NanoCall, Told?]>([
    ['move the fiesta to jobs/', call('move_file', { from: 'jobs/waiting/fiesta.txt', to: 'jobs/' })],
    [
      'move it out of the open ones into jobs',
      call('move_file', { from: 'jobs/open/a.txt', to: 'jobs/' }),
      { recent: ['jobs/open/a.txt'] },
    ],
    [
      'copy jobs/blank.txt there as polo.txt',
      call('copy_file', { from: 'jobs/blank.txt', to: 'new/2025/polo.txt' }),
      { recent: ['new/2025/'] },
    ],
    ['make a folder diary/2026', call('make_folder', { path: 'diary/2026' })],
    ['delete the line and show me the blank one', call('read_file', { path: 'jobs/blank.txt' })],
    ['delete jobs/old', call('delete_file', { path: 'jobs/old/' })],
    ['delete the folder with the old jobs', call('delete_file', { path: 'jobs/old/' })],
    ['run the low stock script', call('read_file', { path: 'scripts/low_stock.py' })],
    ['copy pom.xml to pom.xml.bak', call('copy_file', { from: 'pom.xml', to: 'pom.xml.bak' })],
    ['rename the fiesta to escort', call('move_file', { from: 'jobs/waiting/fiesta.txt', to: 'escort' })],
    [
      'open that log',
      call('read_file', { path: 'logs/two.log' }),
      { recent: ['logs/two.log'], last: ['logs/two.log'] },
    ],
    ['open log one', call('read_file', { path: 'logs/one.log' }), { last: ['logs/two.log'] }],
  ])('no: %s', (clause, made, told) => {
    expect(banOf(clause, made, told)).toBeUndefined()
  })
})
