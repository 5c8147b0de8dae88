import { expect, test } from 'vitest'
import { characters, read } from '../support.ts'

test('arguments with words behind them are text, in any cut', () => {
  const reply = '{"path": "a.txt"}\n\nis the configuration.'

  for (const given of [reply, characters(reply)])
    expect(read(given)).toEqual([{ type: 'text-delta', text: reply }])
})
