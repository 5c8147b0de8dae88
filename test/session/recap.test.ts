import { expect, test } from 'vitest'
import type { Message } from '../../src/protocol/message.ts'
import { recap } from '../../src/session/recap.ts'

const info = {
  id: 's',
  title: 'Fix the tax',
  cwd: '/w',
  createdAt: 0,
  updatedAt: Date.UTC(2026, 10, 15),
  messages: 3,
}

const edit = (id: string, path: string): Message => ({
  role: 'assistant',
  text: '',
  calls: [{ id, name: 'edit_file', input: JSON.stringify({ path, old: 'a', new: 'b' }) }],
})
const result = (callId: string, ok: boolean): Message => ({ role: 'tool', callId, text: 'x', ok })

test('says what was asked, what was changed and how it ended', () => {
  const messages: Message[] = [
    { role: 'user', text: 'Fix the tax' },
    edit('1', 'price.js'),
    result('1', true),
    edit('2', 'missed.js'),
    result('2', false),
    { role: 'assistant', text: 'The factor is 1.19\nnow.', calls: [] },
  ]

  expect(recap({ info, messages })).toBe(
    'Last session (2026-11-15): "Fix the tax". Changed price.js. It ended with: The factor is 1.19 now.',
  )
})

test('is short whatever was said, and nothing where nothing was', () => {
  const messages: Message[] = [{ role: 'assistant', text: 'word '.repeat(1000), calls: [] }]

  expect(recap({ info: { ...info, title: 'x'.repeat(1000) }, messages })?.length).toBeLessThanOrEqual(500)
  expect(recap({ info, messages: [] })).toBeUndefined()
})
