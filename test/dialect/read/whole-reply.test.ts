import { expect, test } from 'vitest'
import { createReplyReader } from '../../../src/dialect/read/reply.ts'
import { characters, read, tools } from '../support.ts'

test('arguments with words behind them are text, in any cut', () => {
  const reply = '{"path": "a.txt"}\n\nis the configuration.'

  for (const given of [reply, characters(reply)])
    expect(read(given)).toEqual([{ type: 'text-delta', text: reply }])
})

test.each([' The answer', '\n\nThe answer', '`The` answer', '{ The answer'])(
  'a reply that begins like arguments and goes on otherwise is not held back: %j',
  (begun) => {
    const reader = createReplyReader({ tools })

    expect(reader.push(begun)).toEqual([{ type: 'text-delta', text: begun }])
  },
)
