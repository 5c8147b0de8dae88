/** What clients send as a conversation, made legal: each call has its result right behind its reply. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Said, toConversation } from '../../../src/server/api/conversation.ts'

const call = (id: string) => ({ id, name: 'look', input: '{}' })
const result = (callId: string) => ({ role: 'tool', callId, text: `of ${callId}`, ok: true }) as const
const hello = { role: 'user', text: 'Hello.' } as const

test('a result of no call here does not part a reply from the results of its own calls', () => {
  const reply = { role: 'assistant', text: '', calls: [call('a'), call('b'), call('c')] } as const

  const { messages } = toConversation([hello, reply, result('a'), result('lost'), result('b'), hello])

  expect(messages).toEqual([
    hello,
    reply,
    result('a'),
    result('b'),
    {
      role: 'tool',
      callId: 'c',
      text: 'interrupted: this call was given no result',
      ok: false,
      code: 'interrupted',
    },
    { role: 'user', text: 'Result of an earlier call (lost):\nof lost', origin: 'note' },
    hello,
  ])
})

test('a hundred thousand calls with as many results are read', () => {
  const ids = Array.from({ length: 100_000 }, (_, index) => `call-${index}`)
  const said: Said[] = [hello, { role: 'assistant', text: '', calls: ids.map(call) }, ...ids.map(result)]

  const { messages } = toConversation(said)

  expect(messages).toEqual(said)
})

const said = fc.oneof(
  fc.constantFrom<Said>(hello, { role: 'system', text: 'Be kind.' }, { role: 'user', text: ' ' }),
  fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 4 })
    .map((ids): Said => ({ role: 'assistant', text: '', calls: ids.map(call) })),
  fc.constantFrom('a', 'b', 'c', '').map((id): Said => result(id)),
)

test('whatever was said, every call is followed by its one result, and every result follows its call', () => {
  fc.assert(
    fc.property(fc.array(said, { maxLength: 20 }), (all) => {
      const { messages } = toConversation([hello, ...all])

      for (const [index, message] of messages.entries()) {
        const end = messages.findIndex(({ role }, at) => at > index && role !== 'tool')
        const behind = messages.slice(index + 1, end < 0 ? undefined : end)
        const answered = behind.map((one) => one.role === 'tool' && one.callId).toSorted()
        if (message.role === 'assistant')
          expect(answered).toEqual(message.calls.map(({ id }) => id).toSorted())
        else if (message.role !== 'tool') expect(answered).toEqual([])
      }
    }),
  )
})
