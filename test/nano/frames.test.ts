/**
 * How twenty-four people put wishes and non-wishes (`nano/frames`), against the rules that read moods: what is wanted must not be
 * taken for unwanted, and what is not wanted must not pass as a plain order. Shares, because no rule reads everything.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { moodAgainst } from '../../src/nano/intent/mood.ts'
import { isOrder } from '../../src/nano/intent/order.ts'
import type { NanoCall } from '../../src/nano/steps/run.ts'
import { mayBeWanted } from '../../src/nano/intent/wanted.ts'

const FOLDER = new URL('../../nano/frames/', import.meta.url)
const path = 'notes/budget.txt'
const holes: Record<string, string> = {
  file: path,
  old: 'mahogany',
  new: 'walnut',
  what: 'walnut',
  key: 'timeout',
  text: 'buy more rope',
  folder: 'drafts',
  to: 'budget_v2.txt',
  command: 'make deploy',
  script: 'build',
  end: 'last',
  do: `delete ${path}`,
}

const edit = (old: string, next: string): NanoCall => ({ name: 'edit_file', input: { path, old, new: next } })
const line = edit('the walnut line', '')
const remove: NanoCall = { name: 'delete_file', input: { path } }
const wishes: Record<string, NanoCall> = {
  set: edit('timeout=3', 'timeout=walnut'),
  replace: edit('mahogany', 'walnut'),
  every: edit('mahogany', 'walnut'),
  drop: line,
  tick: line,
  placed: line,
  dropplaced: line,
  append: { name: 'write_file', input: { path, content: 'buy more rope', append: true } },
  write: { name: 'write_file', input: { path, content: 'buy more rope' } },
  copy: { name: 'copy_file', input: { from: path, to: 'budget_v2.txt' } },
  move: { name: 'move_file', input: { from: path, to: 'budget_v2.txt' } },
  into: { name: 'move_file', input: { from: path, to: 'drafts/' } },
  delete: remove,
  mkdir: { name: 'make_folder', input: { path: 'drafts' } },
  run: { name: 'run_command', input: { command: 'make deploy' } },
  script: { name: 'run_command', input: { command: 'make build' } },
}
const moods = ['negated', 'postponed', 'conditional', 'hypothetical', 'about', 'quoted']

type Said = { readonly kind: string; readonly request: string }

const saidBy = (isCounted: (voice: number) => boolean): Said[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.tsv') && isCounted(Number(name.slice(0, 2))))
    .flatMap((name) => readFileSync(new URL(name, FOLDER), 'utf8').split('\n'))
    .flatMap((row) => {
      const [kind, sentence] = row.split('\t')
      return kind && sentence
        ? [{ kind, request: sentence.replaceAll(/\{(\w+)\}/g, (_, hole: string) => holes[hole] ?? '') }]
        : []
    })

const isRefused = (call: NanoCall, request: string): boolean =>
  moodAgainst(call, request) !== undefined && !mayBeWanted(call, request)

const share = (list: readonly Said[], isSo: (said: Said) => boolean): number =>
  list.filter(isSo).length / list.length

const even = saidBy((voice) => voice % 2 === 0)

test('of what is wanted at most 7 % is taken for unwanted', () => {
  const wanted = even.filter(({ kind }) => kind in wishes)
  expect(wanted.length).toBeGreaterThan(2000)
  expect(share(wanted, ({ kind, request }) => isRefused(wishes[kind] ?? remove, request))).toBeLessThan(0.07)
})

test.each(moods)('%s: at most 5 % passes as a plain order', (mood) => {
  const unwanted = even.filter(({ kind }) => kind === mood)
  const passes = ({ request }: Said): boolean =>
    moodAgainst(remove, request) === undefined && isOrder(remove, request)
  expect(unwanted.length).toBeGreaterThan(80)
  expect(share(unwanted, passes)).toBeLessThan(0.05)
})
