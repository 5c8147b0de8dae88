import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { budgetFor } from '../../src/context/budget.ts'
import { compact, type CompactInput } from '../../src/context/compact.ts'
import { estimateTokens, messagesTokens } from '../../src/context/count.ts'
import { appendMessage, openCalls, toGroups } from '../../src/context/history.ts'
import type { Message } from '../../src/protocol/message.ts'
import { call, calls, groups, result, says, user } from './conversation.ts'
import { runs } from '../support/runs.ts'

const lines = (count: number, word = 'value'): string =>
  Array.from({ length: count }, (_, at) => `export const ${word}${at} = ${at}`).join('\n')

const reading = (at: number, text: string): Message[] => [
  calls(call(`c${at}`, 'read_file', { path: `src/file-${at}.ts` })),
  result(`c${at}`, text),
]

const input = (messages: readonly Message[], changes: Partial<CompactInput> = {}): CompactInput => ({
  messages,
  budget: budgetFor(4096),
  fixed: 450,
  count: estimateTokens,
  ...changes,
})

describe('the stages', () => {
  test('old results shrink first, and that is enough where enough was in them', () => {
    const turns = [0, 1, 2, 3].map((at) => reading(at, lines(at < 3 ? 60 : 40)))
    const messages = [user('Read them.'), ...turns.flat()]

    const done = compact(input(messages, { budget: budgetFor(8192) }))

    expect(done).toMatchObject({ stage: 'shrink', fits: true })
    expect(done.messages).toHaveLength(messages.length)
  })

  test('then the oldest groups become a digest, after the words it is about', () => {
    const turns = Array.from({ length: 45 }, (_, at) => reading(at, `1\tshort ${at}`))
    const words = user(`Read them all. ${'Carefully. '.repeat(20)}`)

    const done = compact(input([words, ...turns.flat()]))

    expect(done).toMatchObject({ stage: 'digest', fits: true })
    expect(done.messages[0]).toEqual(words)
    expect(done.messages[1]).toMatchObject({ role: 'user', origin: 'digest' })
    expect(done.messages[1]?.text.split('\n').slice(1, 3)).toEqual([
      '- (6 older lines left out)',
      '- read src/file-6.ts lines 1: short 6',
    ])
    expect(done.messages.slice(-2)).toEqual(turns.at(-1))
    expect(done.after).toBeLessThanOrEqual(budgetFor(4096).keep)
  })

  test('a digest stands first where the newest words are younger than what it is about', () => {
    const old = [user('First.'), ...Array.from({ length: 45 }, (_, at) => reading(at, `short ${at}`)).flat()]
    const messages = [...old, says('All read.'), user('Second.')]

    const done = compact(input(messages))

    expect(done.messages[0]).toMatchObject({
      origin: 'digest',
      text: expect.stringContaining('Task: First.'),
    })
    expect(done.messages.slice(-2)).toEqual([says('All read.'), user('Second.')])
  })

  test('an earlier digest is taken up, so that there is one', () => {
    const grow = (messages: readonly Message[], from: number) => [
      ...messages,
      ...Array.from({ length: 30 }, (_, at) => reading(from + at, `short ${from + at}`)).flat(),
    ]
    const first = compact(input(grow([user('Go.')], 0)))

    const second = compact(input(grow(first.messages, 30)))
    const earlier = user('[digest] The host is heron-17.', { origin: 'digest' })
    const third = compact(input([user(lines(180)), earlier, ...reading(99, 'short'), user('Next.')]))

    const digests = ({ messages }: { messages: readonly Message[] }) =>
      messages.filter((message) => message.role === 'user' && message.origin === 'digest')
    expect(digests(second)).toHaveLength(1)
    expect(second.messages[0]).toEqual(user('Go.'))
    expect(digests(third).map(({ text }) => text)).toEqual([expect.stringContaining('heron-17')])
  })

  test('at last the longest texts are cut', () => {
    const messages = [user(`Explain.\n${lines(200)}`), ...reading(0, lines(300))]

    const done = compact(input(messages))

    expect(done).toMatchObject({ stage: 'truncate', fits: true })
    expect(done.messages.map(({ text }) => text.includes('left out'))).toEqual([true, false, true])
  })

  test('a page that was just read is not cut when nothing else is long', () => {
    const before = Array.from({ length: 6 }, (_, at) => reading(at, lines(40)))
    const page = reading(9, lines(85))
    const messages = [user('Read on.'), ...before.flat(), ...page]

    const done = compact(input(messages))

    expect(estimateTokens(lines(85))).toBeGreaterThan(500)
    expect(done.messages.slice(-2)).toEqual(page)
  })
})

describe('a goal that cannot be reached does not cut every text to nothing:', () => {
  const image = { mediaType: 'image/png', base64: '' }

  test('images of the newest prompt', () => {
    const asked = user(`Compare these.\n${lines(60)}`, { images: [image, image] })

    const done = compact(input([asked]))

    expect(done).toMatchObject({ stage: 'truncate', fits: true })
    expect(estimateTokens(done.messages[0]?.text ?? '')).toBeGreaterThan(250)
  })

  test('tools that take nearly half of the window', () => {
    const messages = [user(`Explain.\n${lines(60)}`), ...reading(0, lines(60))]

    const done = compact(input(messages, { fixed: 1900 }))

    expect(done.fits).toBe(true)
    expect(messagesTokens(done.messages, { count: estimateTokens })).toBeGreaterThan(300)
  })
})

test('after a refusal half goes, even though it seemed to fit', () => {
  const messages = [user('Go.'), ...[0, 1, 2, 3].flatMap((at) => reading(at, lines(20)))]

  const done = compact(input(messages, { overflow: true }))

  expect(done.before).toBeLessThan(budgetFor(4096).trigger)
  expect(done.after - 450).toBeLessThanOrEqual((done.before - 450) / 2)
})

test('what the model was shown of its thoughts counts, and goes with what is old', () => {
  const thinking = reading(0, 'x').map((message) =>
    message.role === 'assistant' ? { ...message, reasoning: lines(230) } : message,
  )
  const messages = [user('Go.'), ...thinking, ...reading(1, 'y')]

  const done = compact(input(messages, { reasoning: 'keep' }))

  expect(done.before).toBeGreaterThan(2000)
  expect(done.after).toBeLessThan(600)
  expect(done.messages).toHaveLength(messages.length)
})

/** Random conversations stretched to a random length, so that every stage is reached. */
const stretched = fc
  .tuple(groups(10), fc.array(fc.nat(4000), { minLength: 10, maxLength: 10 }))
  .map(([list, lengths]) =>
    list.map((group, index) =>
      group.map(
        (message) => ({ ...message, text: message.text.padEnd(lengths[index] ?? 0, ' word\n') }) as Message,
      ),
    ),
  )

test('in random conversations no call loses its result and it ends where it should', async () => {
  const count = (text: string) => Math.ceil(text.length / 4)
  const seen = new Set<string>()
  const property = fc.asyncProperty(stretched, fc.constantFrom(4096, 8192), async (list, window) => {
    const messages = list.flat()
    const done = compact({ messages, budget: budgetFor(window), fixed: 400, count })
    seen.add(done.stage)
    return isSound(messages, done.messages) && done.fits && done.after <= done.before
  })
  await fc.assert(property, { numRuns: runs(200, 10_000) })

  expect([...seen].toSorted()).toEqual(['digest', 'shrink', 'truncate'])
})

/** Legal, nothing open, the newest words and the last reply still there. */
function isSound(before: readonly Message[], after: readonly Message[]): boolean {
  const legal = after.reduce<Message[]>((history, message) => appendMessage(history, message), [])
  const lastReply = toGroups(before).findLast(([head]) => head?.role === 'assistant')
  const answered = new Set(after.flatMap((message) => (message.role === 'tool' ? [message.callId] : [])))
  const isKept = (lastReply ?? []).every((message) => message.role !== 'tool' || answered.has(message.callId))
  const hasWords = (list: readonly Message[]) =>
    list.some((message) => message.role === 'user' && message.origin === undefined)
  return openCalls(legal).length === 0 && isKept && hasWords(before) === hasWords(after)
}

test('compacting what is small changes nothing', () => {
  const messages = [user('Go.'), ...reading(0, 'x'), says('Done.')]

  const done = compact(input(messages))

  expect(done).toEqual({
    stage: 'shrink',
    messages,
    before: 450 + messagesTokens(messages, { count: estimateTokens }),
    after: done.before,
    fits: true,
  })
})
