import { describe, expect, test } from 'vitest'
import { estimateTokens, messagesTokens } from '../../src/context/count.ts'
import { truncateMessages } from '../../src/context/truncate.ts'
import type { Message } from '../../src/protocol/message.ts'
import { call, calls, result, user } from './conversation.ts'

const view = { count: estimateTokens }
const long = Array.from({ length: 400 }, (_, at) => `line ${at} of the text`).join('\n')

test('only the longest texts are cut, with a mark where something is gone', () => {
  const messages = [user('Read it.'), calls(call('c1', 'read_file', { path: 'a.ts' })), result('c1', long)]

  const cut = truncateMessages(messages, 300, view)

  expect(cut.slice(0, 2)).toEqual(messages.slice(0, 2))
  expect(cut[2]).toEqual({
    ...messages[2],
    text: expect.stringMatching(/^line 0 [\s\S]* lines left out …\]\n[\s\S]*line 399/),
  })
  expect(messagesTokens(cut, view)).toBeLessThanOrEqual(300)
})

test('a name that a model babbled is cut too', () => {
  const messages = [calls(call('c1', 'q'.repeat(5000), {})), result('c1', 'There is no such tool.')]

  expect(messagesTokens(truncateMessages(messages, 100, view), view)).toBeLessThanOrEqual(100)
})

describe('long arguments', () => {
  const cutInput = (input: string) => {
    const [, reply] = truncateMessages(
      [user('go'), calls({ id: 'c1', name: 'write_file', input }), result('c1', 'ok')],
      250,
      view,
    )
    return JSON.parse(reply?.role === 'assistant' ? (reply.calls[0]?.input ?? '') : '') as Record<
      string,
      unknown
    >
  }

  test('stay valid JSON and keep their short values', () => {
    const input = cutInput(JSON.stringify({ path: 'a.ts', overwrite: true, content: long }))

    expect(input).toEqual({ path: 'a.ts', overwrite: true, content: expect.stringContaining('left out …]') })
  })

  test('that are lists or no object at all are written as text', () => {
    expect(
      cutInput(JSON.stringify({ edits: Array.from({ length: 200 }, (_, at) => ({ old: at })) }))['edits'],
    ).toContain('left out …]')
    expect(cutInput(`"${long.replaceAll('\n', ' ')}`)['unparsed']).toContain('left out …]')
  })
})

test('thoughts and generated tokens go', () => {
  const messages: Message[] = [
    { role: 'assistant', text: long, calls: [], reasoning: long, tokens: [1, 2], flag: 'greeting' },
  ]

  expect(truncateMessages(messages, 100, { ...view, reasoning: 'keep' })).toEqual([
    { role: 'assistant', text: expect.stringContaining('left out'), calls: [], flag: 'greeting' },
  ])
})

test('what cannot be made to fit is cut as far as it makes sense', () => {
  const messages = Array.from({ length: 10 }, () => user(long))

  const cut = truncateMessages(messages, 50, view)

  expect(cut).toHaveLength(10)
  expect(messagesTokens(cut, view)).toBeLessThan(300)
})
