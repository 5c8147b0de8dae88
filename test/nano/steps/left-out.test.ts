import { describe, expect, test } from 'vitest'
import { noSources } from '../../../src/nano/weights/format.ts'
import { bansOfRepeat, laterNamed, leftOut } from '../../../src/nano/steps/left-out.ts'
import type { NanoCall, NanoStep } from '../../../src/nano/steps/run.ts'

const paths = ['notes/tyres.txt', 'hours.txt', 'jobs/focus.txt', 'jobs/clio.txt', 'a.py', 'b.py', 'jobs/']
const lines = [{ path: 'jobs/clio.txt', number: 2, text: 'hours: 3' }]
const part = (clause: string) => ({ clause, sources: { ...noSources, paths, lines } })
const done = (name: string, input: NanoCall['input']): NanoStep => ({
  call: { name, input },
  ok: true,
  text: '',
  shown: '',
})

describe('a file that is named beside the one that was done', () => {
  test.each<[string, NanoStep, string]>([
    ['show notes/tyres.txt and hours', done('read_file', { path: 'notes/tyres.txt' }), 'hours.txt'],
    [
      'move focus and clio to done',
      done('move_file', { from: 'jobs/clio.txt', to: 'done/' }),
      'jobs/focus.txt',
    ],
    [
      'set hours to 4 in clio.txt & focus.txt',
      done('edit_file', { path: 'jobs/clio.txt' }),
      'jobs/focus.txt',
    ],
    ['run a.py n b.py', done('run_command', { command: 'python3 a.py' }), 'b.py'],
  ])('%s', (clause, step, wanted) => {
    expect(leftOut(part(clause), [step])?.path).toBe(wanted)
  })

  test.each<[string, NanoStep]>([
    ['show notes/tyres.txt', done('read_file', { path: 'notes/tyres.txt' })],
    ['append clio and focus are done to hours.txt', done('write_file', { path: 'hours.txt' })],
    ['show clio, the one that took hours of work', done('read_file', { path: 'jobs/clio.txt' })],
    ['copy hours.txt to focus and show it', done('copy_file', { from: 'hours.txt', to: 'jobs/focus.txt' })],
  ])('is none in: %s', (clause, step) => {
    expect(leftOut(part(clause), [step])).toBeUndefined()
  })

  test('what was done may not be used again', () => {
    const step = done('edit_file', { path: 'jobs/clio.txt', old: '3', new: '4' })

    expect(leftOut(part('hours to 4 in clio and focus'), [step])?.bans).toEqual([
      { kind: 'path', path: 'jobs/clio.txt' },
      { kind: 'line', line: 1 },
    ])
  })

  test('the one named first comes first', () => {
    const words = { ...part('show me focus and clio'), recent: [] }
    const read = (path: string): NanoCall => ({ name: 'read_file', input: { path } })

    expect(laterNamed(read('jobs/clio.txt'), words)).toEqual({ kind: 'path', path: 'jobs/clio.txt' })
    expect(laterNamed(read('jobs/focus.txt'), words)).toBeUndefined()
    expect(laterNamed(read('jobs/clio.txt'), { ...words, recent: ['jobs/focus.txt'] })).toBeUndefined()
  })
})

test('a call that came again is not made a third time', () => {
  expect(bansOfRepeat({ name: 'change_line', input: { line: 3, old: 'a', new: 'b' } })).toEqual([
    { kind: 'line', line: 3 },
  ])
  expect(bansOfRepeat({ name: 'run_command', input: { command: 'make' } })).toEqual([
    { kind: 'command', command: 'make' },
  ])
  expect(bansOfRepeat({ name: 'copy_file', input: { from: 'a', to: 'b' } })).toEqual([
    { kind: 'path', path: 'a' },
  ])
})
