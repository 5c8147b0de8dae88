import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { openCalls, toGroups } from '../../src/context/history.ts'
import { slideWindow } from '../../src/context/slide.ts'
import type { Message } from '../../src/protocol/message.ts'
import { call, calls, groups, result, says, user } from './conversation.ts'

const talk: Message[] = [
  user('one'),
  calls(call('c1', 'read_file', { path: 'a' })),
  result('c1', 'A'),
  says('done'),
  user('two'),
  says('done again'),
]

test('nothing leaves at exactly the maximum', () => {
  expect(slideWindow(talk, 6)).toEqual({ messages: talk, dropped: 0 })
})

test('a whole exchange leaves, oldest first, and the number is reported', () => {
  const third = [...talk, user('three'), says('and again')]

  for (const max of [5, 4, 3, 2]) {
    expect(slideWindow(talk, max)).toEqual({ messages: talk.slice(4), dropped: 4 })
  }
  expect(slideWindow(third, 7)).toEqual({ messages: third.slice(4), dropped: 4 })
  expect(slideWindow(third, 3)).toEqual({ messages: third.slice(6), dropped: 6 })
})

test('the newest words of the person and the last group stay, however long the run', () => {
  const turns = Array.from({ length: 9 }, (_, at): Message[] => [
    calls(call(`c${at}`, 'read_file', { path: `${at}` })),
    result(`c${at}`, `${at}`),
  ])
  const run = [user('old'), user('go'), ...turns.flat()]

  expect(slideWindow(run, 5)).toEqual({ messages: [run[1], ...turns.slice(-2).flat()], dropped: 15 })
  expect(slideWindow(run, 1).messages).toEqual([run[1], ...turns.slice(-1).flat()])
})

test('what is left starts with the words of the person', () => {
  fc.assert(
    fc.property(groups(12), fc.integer({ min: 1, max: 20 }), (list, max) => {
      const { messages } = slideWindow([user('first'), ...list.flat()], max)
      return messages[0]?.role === 'user'
    }),
  )
})

test('a call never loses its result', () => {
  fc.assert(
    fc.property(groups(12), fc.integer({ min: 1, max: 20 }), (list, max) => {
      const { messages, dropped } = slideWindow(list.flat(), max)
      const kept = toGroups(messages)
      const isWhole = kept.every((group) =>
        list.some((given) => JSON.stringify(given) === JSON.stringify(group)),
      )
      return isWhole && openCalls(messages).length === 0 && dropped === list.flat().length - messages.length
    }),
  )
})
