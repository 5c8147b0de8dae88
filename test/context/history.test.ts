import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { appendMessage, closeOpenCalls, openCalls, toGroups } from '../../src/context/history.ts'
import type { Message } from '../../src/protocol/message.ts'
import { call, calls, groups, result, says, user } from './conversation.ts'
import { runs } from '../support/runs.ts'

const read = call('c1', 'read_file', { path: 'a.ts' })
const list = call('c2', 'list_files', { path: '.' })

const build = (...messages: Message[]): Message[] =>
  messages.reduce<Message[]>((history, message) => appendMessage(history, message), [])

test('a legal conversation is appended as it is, extra fields included', () => {
  const messages: Message[] = [
    user('look', { images: [{ mediaType: 'image/png', base64: 'AAAA', path: 'a.png' }] }),
    { role: 'assistant', text: '', calls: [read, list], reasoning: 'hm', tokens: [1, 2] },
    result('c2', 'a.ts'),
    result('c1', 'const a = 1'),
    says('It says 1.'),
    user('[note] go on', { origin: 'note' }),
  ]

  expect(build(...messages)).toEqual(messages)
})

test('every random legal conversation is accepted', () => {
  fc.assert(
    fc.property(groups(8), (list) => {
      expect(build(...list.flat())).toEqual(list.flat())
      expect(toGroups(list.flat())).toEqual(list)
    }),
    { numRuns: runs(200, 1000) },
  )
})

test.each<[string, Message[], Message, RegExp]>([
  ['an empty reply without calls', [user('hi')], says(' \n'), /needs text/],
  ['an empty user message', [], user(''), /needs text or an image/],
  ['a result without an id', [calls(read)], result('', 'x'), /id of its call/],
  ['a result without text', [calls(read)], result('c1', ''), /needs text/],
  ['a result without a call', [user('hi')], result('c1', 'x'), /no open call/],
  ['a second result for one call', [calls(read), result('c1', 'x')], result('c1', 'y'), /no open call/],
  [
    'a result for an older reply',
    [calls(read), result('c1', 'x'), calls(list)],
    result('c1', 'y'),
    /no open call/,
  ],
  ['a result behind a user message', [calls(read), user('wait')], result('c1', 'x'), /no open call/],
  ['a reply while a call is open', [calls(read, list), result('c1', 'x')], says('done'), /c2 has no result/],
  ['a user message while a call is open', [calls(read)], user('wait'), /c1 has no result/],
  ['two calls with one id', [user('hi')], calls(read, read), /share one id/],
  ['a call without an id', [user('hi')], calls({ ...read, id: '' }), /needs an id/],
])('%s is refused with the rule it breaks', (_name, history, message, rule) => {
  expect(() => appendMessage(history, message)).toThrow(
    expect.objectContaining({ code: 'request-invalid', message: expect.stringMatching(rule) }),
  )
})

test('calls that an interrupted run left open are closed and the conversation goes on', () => {
  const history = build(user('look'), calls(read, list), result('c1', 'x'))

  const closing = closeOpenCalls(history)

  expect(closing).toEqual([
    {
      role: 'tool',
      callId: 'c2',
      text: 'interrupted: the run ended before this call had a result; what it did is unknown',
      ok: false,
      code: 'interrupted',
    },
  ])
  expect(openCalls([...history, ...closing])).toEqual([])
  expect(build(...history, ...closing, says('It stopped.'))).toHaveLength(5)
})

test('nothing is open after an answer or before the first reply', () => {
  expect(openCalls([])).toEqual([])
  expect(openCalls([user('hi')])).toEqual([])
  expect(openCalls([user('hi'), says('hello')])).toEqual([])
})
