/** Questions over the API: what they show, and which answers make the call. */
import { describe, expect, test } from 'vitest'
import { settleGuess } from '../../../src/nano/client/run.ts'
import { answeredIn, HOW_TO_ANSWER, questionOf } from '../../../src/nano/client/consent.ts'
import { readRun } from '../../../src/nano/steps/run.ts'
import type { Message } from '../../../src/protocol/message.ts'

const call = { name: 'run_command', input: { command: 'make clean' } }
const why = 'The built-in model guessed this: the request does not spell out the command'
const question = questionOf(call, why)

const user = (text: string): Message => ({ role: 'user', text })
const model = (text: string): Message => ({ role: 'assistant', text, calls: [] })

test.each([
  [call, /^Shall I run this\?\n\n```\nmake clean\n```/],
  [{ name: 'delete_file', input: { path: 'a.txt' } }, /^Shall I delete `a\.txt`\?/],
  [{ name: 'move_file', input: { from: 'a', to: 'b' } }, /^Shall I move `a` to `b`\?/],
  [{ name: 'make_folder', input: { path: 'x' } }, /^Shall I make the folder `x`\?/],
  [
    { name: 'write_file', input: { path: 'a', content: 'hi\n', append: true } },
    /at the end of `a`\?\n\n```\nhi\n```/,
  ],
  [
    { name: 'write_file', input: { path: 'a', content: 'hi', overwrite: true } },
    /to `a`, in place of what it contains now\?/,
  ],
  [
    { name: 'edit_file', input: { path: 'a', old: 'x', new: 'y', all: true } },
    /everywhere in `a`\?\n\n```\nx\n```\n\nto\n\n```\ny\n```/,
  ],
  [{ name: 'edit_file', input: { path: 'a', old: 'x\n', new: '' } }, /^Shall I remove this in `a`\?/],
  [{ name: 'job_stop', input: { id: 'job-1' } }, /^Shall I call job_stop\?\n\n```\n{\n {2}"id": "job-1"/],
])('a question shows all that the call would do: %j', (asked, shown) => {
  expect(questionOf(asked, why)).toMatch(shown)
  expect(questionOf(asked, why)).toContain(HOW_TO_ANSWER)
})

test('text with a fence of its own stays inside the block', () => {
  const content = '```sh\nls\n```'

  expect(questionOf({ name: 'write_file', input: { path: 'a', content } }, why)).toContain(
    '````\n```sh\nls\n```\n````',
  )
})

describe('an answer', () => {
  test.each(['yes', 'Yes.', 'y', 'ok, go ahead', 'sure, do it please', 'Yes, thank you!', '👍'])(
    'of "%s" takes up the request that was asked about',
    (answer) => {
      const run = readRun({ messages: [user('clean up'), model(question), user(answer)] })

      expect(run).toMatchObject({ request: 'clean up', steps: [] })
      expect(run.confirmed).toHaveLength(1)
      expect(run.isDeclined).toBeUndefined()
    },
  )

  test.each(['no', 'No, thanks.', "don't", 'stop', 'not now please'])('of "%s" declines', (answer) => {
    const run = readRun({ messages: [user('clean up'), model(question), user(answer)] })

    expect(run.isDeclined).toBe(true)
    expect(run.confirmed).toBeUndefined()
  })

  test.each(['yes but only the logs', 'no, run make test', 'what would that do?'])(
    'of "%s" is a request of its own',
    (answer) => {
      expect(readRun({ messages: [user('clean up'), model(question), user(answer)] })).toEqual({
        request: answer,
        steps: [],
        turn: 2,
      })
    },
  )

  test('to something else that was said is no answer', () => {
    expect(readRun({ messages: [user('clean up'), model('Done.'), user('yes')] }).request).toBe('yes')
    expect(readRun({ messages: [model(question), user('yes')] }).request).toBe('yes')
  })

  test('to a later question keeps the earlier ones, and the steps in between', () => {
    const second = questionOf({ name: 'delete_file', input: { path: 'a.txt' } }, why)
    const step: Message[] = [
      {
        role: 'assistant',
        text: '',
        calls: [{ id: 'c', name: 'run_command', input: '{"command":"make clean"}' }],
      },
      { role: 'tool', callId: 'c', text: 'exit code 0', ok: true },
    ]
    const messages = [
      user('clean, then delete a'),
      model(question),
      user('yes'),
      ...step,
      model(second),
      user('yes'),
    ]
    const run = readRun({ messages })

    expect(run.request).toBe('clean, then delete a')
    expect(run.steps).toHaveLength(1)
    expect(run.confirmed).toHaveLength(2)
  })

  test('a conversation of nothing but yes ends', () => {
    const messages = [user('x'), ...Array.from({ length: 40 }, () => [model(question), user('yes')]).flat()]

    expect(answeredIn(messages).confirmed).toHaveLength(16)
  })
})

const settled = (asked: typeof call, confirmed: readonly string[]): string =>
  settleGuess({ kind: 'guess', call: asked, why, isLikely: false }, false, confirmed).kind

test('only the very call that was shown is made, however the client wraps the question', () => {
  const { confirmed = [] } = readRun({
    messages: [user('clean up'), model(`  ${question.replaceAll('\n', ' \n ')}`), user('yes')],
  })

  expect(settled(call, confirmed)).toBe('call')
  expect(settled({ ...call, input: { command: 'make clean all' } }, confirmed)).toBe('ask')
  expect(settled(call, [])).toBe('ask')
})
