import { expect, test } from 'vitest'
import { questionOf } from '../../../src/nano/client/consent.ts'
import { idsOf, readRun } from '../../../src/nano/steps/run.ts'
import type { Message } from '../../../src/protocol/message.ts'

const called = (id: string, name: string, input: object): Message => ({
  role: 'assistant',
  text: '',
  calls: [{ id, name, input: JSON.stringify(input) }],
})

test('nano sees the words of the run and what came since, nothing of earlier runs', () => {
  const messages: Message[] = [
    { role: 'user', text: 'an older request' },
    called('c1', 'list_files', { path: '.' }),
    { role: 'tool', callId: 'c1', text: 'a.ts', ok: true },
    { role: 'assistant', text: 'done', calls: [] },
    { role: 'user', text: '[2026-01-01]\n\nread a.ts' },
    called('c2', 'read_file', { path: 'a.ts' }),
    { role: 'tool', callId: 'c2', text: '1\tx', ok: true },
    { role: 'user', text: '[note] Call a tool.', origin: 'note' },
    called('c3', 'read_file', { path: 'never answered' }),
  ]

  expect(readRun({ task: 'read a.ts', messages })).toEqual({
    request: 'read a.ts',
    steps: [{ call: { name: 'read_file', input: { path: 'a.ts' } }, ok: true, text: '1\tx', shown: '1\tx' }],
    turn: 2,
  })
})

test('a yes belongs to the run of the request it answers', () => {
  const asked: Message[] = [
    { role: 'user', text: 'build' },
    {
      role: 'assistant',
      text: questionOf({ name: 'run_command', input: { command: 'make' } }, 'Why'),
      calls: [],
    },
  ]

  expect(readRun({ messages: [...asked, { role: 'user', text: 'yes' }] }).turn).toBe(1)
  expect(readRun({ messages: [...asked, { role: 'user', text: 'read a.ts' }] }).turn).toBe(2)
})

test('without the words apart, the message is taken whole', () => {
  expect(readRun({ messages: [{ role: 'user', text: ' read a.ts ' }] })).toEqual({
    request: 'read a.ts',
    steps: [],
    turn: 1,
  })
  expect(readRun({ messages: [] })).toEqual({ request: '', steps: [], turn: 0 })
})

test('what was said to the model beside a result is no part of it', () => {
  const text =
    'Error: a line\n[note] in the file\nlast\n[stored as r3: 40 lines; read_result shows the rest]\n[note] Stop.'
  const messages: Message[] = [
    { role: 'user', text: 'x' },
    called('c1', 'read_file', { path: 'a' }),
    { role: 'tool', callId: 'c1', text, ok: false, code: 'failed' },
  ]

  expect(readRun({ messages }).steps[0]).toMatchObject({
    code: 'failed',
    text: 'a line\n[note] in the file\nlast',
  })
})

test('ids are those the conversation speaks of, the latest first, with what they stand for', () => {
  const messages: Message[] = [
    called('c1', 'run_command', { command: 'npm  run dev', background: true }),
    {
      role: 'tool',
      callId: 'c1',
      text: '[job-1 is running; job_output shows more, job_stop ends it]',
      ok: true,
    },
    called('c2', 'run_command', { command: 'cat log' }),
    { role: 'tool', callId: 'c2', text: 'x\n[stored as r7: 90 lines; read_result shows the rest]', ok: true },
    called('c3', 'job_output', { id: 'job-1' }),
    { role: 'tool', callId: 'c3', text: '[job-1 is running]', ok: true },
  ]

  expect(idsOf(messages)).toEqual([
    { id: 'r7', what: 'cat log' },
    { id: 'job-1', what: 'npm run dev' },
  ])
})

test.each([
  ['<task>\nread a.ts\n</task>\n\n<environment_details>\n# Time\n3 pm\n</environment_details>', 'read a.ts'],
  ['<system-reminder>\nBe brief.\n</system-reminder>\nread a.ts', 'read a.ts'],
  ['put <b>hi</b> into a.html', 'put <b>hi</b> into a.html'],
])('what a client adds to the words of a person is left out: %j', (text, request) => {
  expect(readRun({ messages: [{ role: 'user', text }] }).request).toBe(request)
})
