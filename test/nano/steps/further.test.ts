/** The next step of the same clause: how the ranking is asked, and what is made of its answer. */
import { expect, test } from 'vitest'
import { type FurtherStep, furtherStep } from '../../../src/nano/steps/further.ts'
import type { NanoCall, NanoStep } from '../../../src/nano/steps/run.ts'
import type { Further, FurtherAsk } from '../../../src/nano/further/ask.ts'
import type { Opinions } from '../../../src/nano/opinion/load.ts'
import { createPathProject } from '../../../src/nano/paths/project.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'

const files = createFiles({
  root: await tempProject({
    'dev.env': 'PORT=1\nMODE=a\n',
    'prod.env': 'PORT=3\n',
    'logs/b.log': 'x\n',
    'logs/a.log': 'x\n',
  }),
})
const before = createPathProject(['dev.env', 'prod.env', 'logs/a.log', 'logs/b.log'], new Map())

const step = (name: string, input: NanoCall['input']): NanoStep => ({
  call: { name, input },
  ok: true,
  text: '',
  shown: '',
})

async function after(
  last: NanoStep,
  value: Further,
  share: number,
): Promise<{ next: FurtherStep; asked: FurtherAsk[] }> {
  const asked: FurtherAsk[] = []
  const opinions: Opinions = {
    action: () => new Map(),
    verdict: () => [],
    edits: () => [],
    paths: () => [],
    targets: () => [],
    texts: () => [],
    contents: () => [],
    commands: () => [],
    knows: () => true,
    trust: () => 0,
    parts: (request) => [request],
    further(ask) {
      asked.push(ask)
      return [{ value, share }]
    },
  }
  const place = {
    clause: 'both of them',
    isLast: true,
    steps: [last],
    from: 0,
    project: before,
    files,
    opinions,
  }
  return { next: await furtherStep(place), asked }
}

test('a move is repeated into the same folder', async () => {
  const moved = step('move_file', { from: 'logs/c.log', to: 'old/c.log' })

  expect((await after(moved, { kind: 'path', path: 'logs/b.log' }, 0.7)).next).toEqual({
    call: { name: 'move_file', input: { from: 'logs/b.log', to: 'old/b.log' } },
  })
})

test('what was given another name is not repeated, nor is anything that is gone or not likely', async () => {
  const renamed = step('move_file', { from: 'logs/c.log', to: 'old/x.log' })
  const deleted = step('delete_file', { path: 'logs/c.log' })

  expect((await after(renamed, { kind: 'path', path: 'logs/b.log' }, 0.9)).next).toBeUndefined()
  expect((await after(deleted, { kind: 'path', path: 'logs/d.log' }, 0.9)).next).toBeUndefined()
  expect((await after(deleted, { kind: 'path', path: 'logs/b.log' }, 0.2)).next).toBeUndefined()
  expect((await after(deleted, { kind: 'path', path: 'logs/b.log' }, 0.9)).next).toEqual({
    call: { name: 'delete_file', input: { path: 'logs/b.log' } },
  })
})

test('the end is believed where it is likely; for something else nano is asked', async () => {
  const read = step('read_file', { path: 'dev.env' })

  expect((await after(read, { kind: 'stop' }, 0.9)).next).toBe('stop')
  expect((await after(read, { kind: 'stop' }, 0.5)).next).toBeUndefined()
  expect((await after(read, { kind: 'ask' }, 0.9)).next).toBeUndefined()
  expect((await after(step('run_command', { command: 'ls' }), { kind: 'stop' }, 0.9)).next).toBeUndefined()
})

test('the ranking sees the files as they were before the change, and what the change left', async () => {
  const edited = step('edit_file', { path: 'dev.env', old: 'PORT=2', new: 'PORT=1' })
  const edit = { path: 'prod.env', number: 1, before: 'PORT=3', after: 'PORT=1' }
  const { next, asked } = await after(edited, { kind: 'edit', edit }, 0.8)

  expect(next).toEqual({
    call: { name: 'edit_file', input: { path: 'prod.env', old: 'PORT=3', new: 'PORT=1' } },
  })
  expect(asked[0]?.project.texts.get('dev.env')).toBe('PORT=2\nMODE=a\n')
  expect(asked[0]?.made).toEqual([
    { do: 'edit', edit: { path: 'dev.env', number: 1, before: 'PORT=2', after: 'PORT=1' } },
  ])
})
