import { describe, expect, test } from 'vitest'
import type { Ban } from '../../../src/nano/weights/ban.ts'
import { contradictionOf } from '../../../src/nano/checks/contradiction.ts'
import { type ListedLine, noSources } from '../../../src/nano/weights/format.ts'
import { inFileThatHasIt, missingOld, oldTexts } from '../../../src/nano/checks/old-text.ts'
import type { NanoCall } from '../../../src/nano/steps/run.ts'

const lines: readonly ListedLine[] = [
  { path: 'index.txt', number: 3, text: 'Status: DRAFT' },
  { path: 'index.txt', number: 12, text: '12  Side Letter' },
  { path: 'run.nml', number: 2, text: 'mld = 50.0' },
  { path: 'other.nml', number: 4, text: 'albedo = 0.44' },
]
const paths = ['index.txt', 'costs/budget.csv', 'notes/plan.txt', 'docs/', 'docs/old/']

const banOf = (clause: string, name: string, input: NanoCall['input']): Ban | undefined =>
  contradictionOf({ name, input }, { clause, sources: { ...noSources, paths, lines }, recent: ['made.txt'] })

describe('a call that goes against the words it was made from', () => {
  test.each<[string, string, NanoCall['input'], Ban]>([
    [
      'change 46000 to 49500 in costs/budget.csv',
      'edit_file',
      { path: 'notes/plan.txt', old: '46000', new: '49500' },
      { kind: 'path', path: 'notes/plan.txt' },
    ],
    ['open it, then change the price', 'read_file', { path: 'change' }, { kind: 'words' }],
    [
      'feb bookings add: Tue 20:00 Falk 4',
      'write_file',
      { path: 'Falk', content: 'Tue 20:00', append: true },
      { kind: 'path', path: 'Falk' },
    ],
    [
      'search listings for Whitby',
      'search_text',
      { pattern: 'Whitby', path: 'costs/budget.csv' },
      { kind: 'path', path: 'costs/budget.csv' },
    ],
    [
      'set mld to 70.0 in the copy',
      'change_line',
      { line: 4, old: '0.44', new: '70.0' },
      { kind: 'line', line: 4 },
    ],
    [
      'the status goes to final',
      'change_line',
      { line: 1, old: 'DRAFT', new: 'status' },
      { kind: 'text', text: 'status' },
    ],
    [
      'hake on dinner goes to 25',
      'change_line',
      { line: 4, old: 'albedo', new: 'dinner' },
      { kind: 'text', text: 'dinner' },
    ],
    [
      'delete the empty budget folder',
      'delete_file',
      { path: 'notes/plan.txt' },
      { kind: 'path', path: 'notes/plan.txt' },
    ],
    ['open docs', 'read_file', { path: 'docs/' }, { kind: 'path', path: 'docs/' }],
    [
      'Please do: 1. Delete index.txt 2. List it',
      'run_command',
      { command: 'do: 1. Delete index.txt 2.' },
      { kind: 'tool', name: 'run_command' },
    ],
    ['list the old docs', 'list_files', { path: 'docs/' }, { kind: 'path', path: 'docs/' }],
    ['set mld to 50.0', 'change_line', { line: 3, old: '50.0', new: '50.0' }, { kind: 'line', line: 3 }],
    [
      'winter.txt -> archive/winter24.txt',
      'delete_file',
      { path: 'index.txt' },
      { kind: 'tool', name: 'delete_file' },
    ],
  ])('%s: %s %o', (clause, name, input, ban) => {
    expect(banOf(clause, name, input)).toEqual(ban)
  })

  test.each<[string, string, NanoCall['input']]>([
    [
      'change 46000 to 49500 in costs/budget.csv',
      'edit_file',
      { path: 'costs/budget.csv', old: '46000', new: '49500' },
    ],
    ['copy the plan to costs/budget.csv', 'copy_file', { from: 'notes/plan.txt', to: 'costs/budget.csv' }],
    [
      'add "see index.txt" to the plan',
      'write_file',
      { path: 'notes/plan.txt', content: 'see index.txt', append: true },
    ],
    ['compare the plan with index.txt', 'read_file', { path: 'notes/plan.txt' }],
    ['write hello into a file called greeting', 'write_file', { path: 'greeting', content: 'hello' }],
    ['show what you made', 'read_file', { path: 'made.txt' }],
    ['search the listing for Whitby', 'search_text', { pattern: 'Whitby', path: 'listings/' }],
    ['list docs', 'list_files', { path: 'docs/' }],
    ['what is in tmp', 'list_files', { path: 'tmp' }],
    ['its status is changed from DRAFT to AGREED', 'change_line', { line: 1, old: 'DRAFT', new: 'AGREED' }],
    ['set mld to 70.0 in the copy', 'change_line', { line: 3, old: '50.0', new: '70.0' }],
    ['the side letter in index.txt is amended to 13', 'change_line', { line: 2, old: '12', new: '13' }],
    ['run npm test', 'run_command', { command: 'npm test' }],
    ['delete it', 'delete_file', { path: 'made.txt' }],
    ['only Side is left of side letter', 'change_line', { line: 2, old: 'Side Letter', new: 'Side' }],
    ['get rid of index.txt', 'delete_file', { path: 'index.txt' }],
  ])('%s: %s %o is none', (clause, name, input) => {
    expect(banOf(clause, name, input)).toBeUndefined()
  })
})

test.each([
  ['its status is changed from DRAFT to AGREED', ['DRAFT']],
  ['replace "old name" with new name everywhere', ['old name', 'old name']],
  ['In contractors.csv 2025-10-31 should now be 2026-01-30', ['2025-10-31']],
  ['budget: 300 -> 400', ['300']],
  ['the timebox should be 90 minutes', []],
  ['Severity of PT-1044 must be Critical', []],
  ['move a.txt from inbox to done', []],
  ['show me the readme', []],
])('the old text in: %s', (clause, expected) => {
  expect(oldTexts(clause)).toEqual(expected)
})

describe('an edit of a text that the file does not have', () => {
  const texts: Readonly<Record<string, string>> = {
    'a.txt': 'Helper: Danny\n',
    'b.txt': 'the helper\nboth\n',
    'c.txt': 'both\n',
  }
  const files = {
    read: async (path: string) => texts[path] ?? '',
    list: async () => [],
    info: async () => undefined,
  }
  const banOfEdit = (old: string): Promise<Ban | undefined> =>
    missingOld(
      { name: 'edit_file', input: { path: 'a.txt', old, new: 'x' } },
      ['a.txt', 'b.txt', 'c.txt'],
      files,
    )

  test('is an edit of another file, of a line, or right', async () => {
    expect(await banOfEdit('both')).toEqual({ kind: 'path', path: 'a.txt' })
    expect(await banOfEdit('the ribbon')).toEqual({ kind: 'tool', name: 'edit_file' })
    expect(await banOfEdit('danny')).toBeUndefined()
    expect(await banOfEdit('The Helper')).toBeUndefined()
    const call = { name: 'edit_file', input: { path: 'a.txt', old: 'the helper', new: 'x' } }
    expect(await inFileThatHasIt(call, ['a.txt', 'b.txt', 'c.txt'], files)).toEqual({
      ...call,
      input: { ...call.input, path: 'b.txt' },
    })
  })
})

describe('another thing that was shown is meant', () => {
  const sources = {
    ...noSources,
    paths: [
      'bugs/bugs.csv',
      'templates/bug-template.md',
      'budget/revised.csv',
      'invoices/',
      'notes/ideas.txt',
    ],
    lines: [
      { path: 'summary.txt', number: 1, text: 'Passed: 8' },
      { path: 'summary.txt', number: 2, text: 'Failed: 1' },
    ],
    scripts: [
      { label: 'test:ios', command: 'npm run test:ios' },
      { label: 'test:android', command: 'npm run test:android' },
    ],
  }
  const ban = (clause: string, name: string, input: NanoCall['input']): Ban | undefined =>
    contradictionOf({ name, input }, { clause, sources, recent: [] })

  test.each<[string, string, NanoCall['input'], Ban]>([
    [
      'Copy the bug template to bugs/open/PT-1.md',
      'copy_file',
      { from: 'bugs/bugs.csv', to: 'bugs/open/PT-1.md' },
      { kind: 'path', path: 'bugs/bugs.csv', as: 'old' },
    ],
    [
      'rename the bug template to bug.md in the same folder',
      'move_file',
      { from: 'templates/bug-template.md', to: 'budget/bug.md' },
      { kind: 'path', path: 'budget/bug.md' },
    ],
    [
      'move the unpaid invoices to invoices/unpaid',
      'move_file',
      { from: 'invoices/', to: 'invoices/unpaid' },
      { kind: 'path', path: 'invoices/' },
    ],
    [
      'copy the bug template somewhere safe',
      'copy_file',
      { from: 'templates/bug-template.md', to: 'budget/revised.csv' },
      { kind: 'path', path: 'budget/revised.csv' },
    ],
    [
      'run the android suite',
      'run_command',
      { command: 'npm run test:ios' },
      { kind: 'command', command: 'npm run test:ios' },
    ],
    ['Failed should be 2', 'change_line', { line: 1, old: '8', new: '2' }, { kind: 'line', line: 1 }],
    [
      'show bugs/bugs.csv and notes/ideas.txt',
      'read_file',
      { path: 'notes/ideas.txt' },
      { kind: 'path', path: 'notes/ideas.txt' },
    ],
    [
      'write a file tmp.txt in notes with the text hi',
      'write_file',
      { path: 'notes/ideas.txt', content: 'hi' },
      { kind: 'path', path: 'notes/ideas.txt' },
    ],
  ])('%s: %s %o', (clause, name, input, expected) => {
    expect(ban(clause, name, input)).toEqual(expected)
  })

  test.each<[string, string, NanoCall['input']]>([
    [
      'Copy the bug template to bugs/open/PT-1.md',
      'copy_file',
      { from: 'templates/bug-template.md', to: 'bugs/open/PT-1.md' },
    ],
    ['run the ios suite', 'run_command', { command: 'npm run test:ios' }],
    ['show bugs/bugs.csv and notes/ideas.txt', 'read_file', { path: 'bugs/bugs.csv' }],
    ['Failed should be 2', 'change_line', { line: 2, old: '1', new: '2' }],
    ['replace ideas.txt in notes with hi', 'write_file', { path: 'notes/ideas.txt', content: 'hi' }],
  ])('%s: %s %o is right', (clause, name, input) => {
    expect(ban(clause, name, input)).toBeUndefined()
  })
})

test('a later part is about what the earlier ones were about, unless it names another file', () => {
  const listed: readonly ListedLine[] = [
    { path: 'README.md', number: 4, text: 'Manager: Glenn' },
    { path: 'notes/questions.txt', number: 3, text: '3. Glenn: can we move it?' },
  ]
  const call = { name: 'change_line', input: { line: 1, old: 'Manager: Glenn', new: '' } }
  const ban = (clause: string, recent: readonly string[]) =>
    contradictionOf(call, { clause, sources: { ...noSources, lines: listed }, recent })

  expect(ban('then delete line 3 about Glenn', ['notes/questions.txt'])).toEqual({ kind: 'line', line: 1 })
  expect(ban('then delete Glenn from the readme', ['notes/questions.txt'])).toBeUndefined()
  expect(ban('delete the line about Glenn', [])).toBeUndefined()
})
