import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { estimateTokens, fixedTokens, messagesTokens } from '../../src/context/count.ts'
import { fitClient } from '../../src/context/fit-client.ts'
import { toGroups } from '../../src/context/history.ts'
import type { Message } from '../../src/protocol/message.ts'
import type { ModelRequest, ToolSchema } from '../../src/protocol/model.ts'
import { call, calls, result, says, user } from './conversation.ts'
import { runs } from '../support/runs.ts'

const window = 8192
const arm = { window, count: estimateTokens }

const words = (count: number, seed = 0): string =>
  Array.from({ length: count }, (_, index) => `word${(index * 7 + seed) % 97}`).join(' ')

const tool = (name: string, length: number): ToolSchema => ({
  name,
  description: `Does ${name} to a file. ${words(length)}`,
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: `Where it is. ${words(length)}` },
      description: { type: 'string', description: 'What it is for.' },
    },
    required: ['path'],
  },
})

const requestOf = (more: Partial<ModelRequest>): ModelRequest => ({
  runId: 'r',
  sessionId: 's',
  turn: 1,
  system: '',
  messages: [user('Hello.')],
  tools: [],
  ...more,
})

function fit(request: ModelRequest) {
  const fitted = fitClient(request, arm)
  if (!fitted.ok) throw new Error(`needs ${fitted.tokens} of ${fitted.window}`)
  return fitted
}

const tokensOf = ({ system, tools, messages }: ModelRequest): number =>
  fixedTokens(system, tools, estimateTokens) + messagesTokens(messages, { count: estimateTokens })

describe('a request that fits', () => {
  test('stays as it is', () => {
    const request = requestOf({ system: 'Be brief.', tools: [tool('read', 10)] })

    expect(fit(request)).toEqual({ ok: true, request, shortened: [] })
  })

  test('may ask for no longer an answer than there is room for', () => {
    const { request } = fit(requestOf({ maxTokens: 32_000 }))

    expect(request.maxTokens).toBeLessThan(window)
  })
})

describe('a request that is too large', () => {
  test('of 12,000 tokens with ten tools goes into a window of 8,192', () => {
    const tools = Array.from({ length: 10 }, (_, index) => tool(`tool_${index}`, 150))
    const talk = Array.from({ length: 12 }, (_, index) => [
      user(`Question ${index}: ${words(60, index)}`),
      says(words(80)),
    ])
    const before = requestOf({ system: words(1500), tools, messages: [...talk.flat(), user('And now?')] })

    const { request, shortened } = fit(before)

    expect(tokensOf(before)).toBeGreaterThan(12_000)
    expect(tokensOf(request)).toBeLessThanOrEqual(window - 2048)
    expect(shortened[0]).toBe('tool descriptions')
    expect(request.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
    expect(request.messages.at(-1)).toEqual(user('And now?'))
  })

  test('loses descriptions of tools first, those of parameters next, and never the shape of the input', () => {
    const tools = Array.from({ length: 20 }, (_, index) => tool(`tool_${index}`, 200))

    const { request, shortened } = fit(requestOf({ tools }))

    expect(shortened).toEqual(['tool descriptions', 'parameter descriptions'])
    expect(request.tools[0]).toEqual({
      name: 'tool_0',
      description: 'Does tool_0 to a file.',
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Where it is.' },
          description: { type: 'string', description: 'What it is for.' },
        },
        required: ['path'],
      },
    })
  })

  test('keeps the beginning and the end of a system text', () => {
    const { request, shortened } = fit(requestOf({ system: `FIRST ${words(12_000)} LAST` }))

    expect(shortened).toEqual(['system text'])
    expect(request.system.startsWith('FIRST ')).toBe(true)
    expect(request.system.endsWith(' LAST')).toBe(true)
  })

  test('keeps the newest words of the person, however far back they are', () => {
    const steps = Array.from({ length: 40 }, (_, index) => [
      calls(call(`c${index}`, 'read_file', { path: `file${index}.ts` })),
      result(`c${index}`, words(300, index)),
    ])

    const { request } = fit(requestOf({ messages: [user('Rename it everywhere.'), ...steps.flat()] }))

    expect(request.messages[0]).toEqual(user('Rename it everywhere.'))
    expect(request.messages[1]).toMatchObject({ role: 'user', origin: 'digest' })
    expect(request.messages.slice(-2)).toEqual(steps.at(-1))
  })

  test('that cannot be made to fit is refused with the numbers', () => {
    const tools = Array.from({ length: 400 }, (_, index) => tool(`tool_number_${index}`, 1))

    const fitted = fitClient(requestOf({ tools }), arm)

    expect(fitted).toEqual({ ok: false, tokens: expect.any(Number), window })
  })
})

/** Turns of many sizes: questions, answers, calls with results, and now and then something huge. */
const turn = fc.record({
  kind: fc.constantFrom('ask', 'call', 'call', 'calls'),
  size: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 1, max: 400 }) },
    fc.integer({ min: 1000, max: 9000 }),
  ),
})

function toMessages(turns: readonly { readonly kind: string; readonly size: number }[]): Message[][] {
  return turns.map(({ kind, size }, index) => {
    if (kind === 'ask') return [user(words(size, index)), says('Done.')]
    const ids = kind === 'call' ? [`c${index}`] : [`c${index}a`, `c${index}b`]
    return [
      calls(...ids.map((id) => call(id, 'read_file', { path: id }))),
      ...ids.map((id) => result(id, words(size, index))),
    ]
  })
}

const conversations = fc.record({
  system: fc.integer({ min: 0, max: 6000 }),
  tools: fc.integer({ min: 0, max: 12 }),
  turns: fc.array(turn, { minLength: 1, maxLength: 40 }),
})

describe('whatever the conversation', () => {
  test('it fits, calls keep their results, and the last group is there', () => {
    fc.assert(
      fc.property(conversations, ({ system, tools, turns }) => {
        const messages = [user('Begin.'), ...toMessages(turns).flat()]
        const request = requestOf({
          system: words(system),
          tools: Array.from({ length: tools }, (_, index) => tool(`tool_${index}`, 100)),
          messages,
        })

        const fitted = fit(request)

        expect(tokensOf(fitted.request)).toBeLessThanOrEqual(window)
        for (const [head, ...results] of toGroups(fitted.request.messages)) {
          const wanted = head?.role === 'assistant' ? head.calls.map(({ id }) => id) : []
          expect(results.map((message) => message.role === 'tool' && message.callId)).toEqual(wanted)
        }
        expect(fitted.request.messages.at(-1)?.role).toBe(messages.at(-1)?.role)
        expect(fitClient(request, arm)).toEqual(fitted)
      }),
      { numRuns: runs(12, 60) },
    )
  })

  test('the next request begins as the one before, except for few large steps', () => {
    fc.assert(
      fc.property(conversations, ({ system, tools, turns }) => {
        const groups = [[user('Begin.')], ...toMessages(turns)]
        const fixed = {
          system: words(system),
          tools: Array.from({ length: tools }, (_, index) => tool(`tool_${index}`, 100)),
        }
        const shown = groups.map(
          (_, index) => fit(requestOf({ ...fixed, messages: groups.slice(0, index + 1).flat() })).request,
        )

        const breaks = shown.filter((request, index) => index > 0 && !goesOnFrom(request, shown[index - 1]!))
        const largest = shown.at(-1)!
        // The room of the conversation is at least two fifths of the window's; a step is half of what may stay of that.
        const step = Math.floor((window - 2048) * 0.4 * 0.6 * 0.5)
        const total = messagesTokens(groups.flat(), { count: estimateTokens })
        expect(breaks.length).toBeLessThanOrEqual(1 + Math.ceil(total / step))
        expect(shown.every((request) => request.system === largest.system)).toBe(true)
        expect(
          shown.every((request) => JSON.stringify(request.tools) === JSON.stringify(largest.tools)),
        ).toBe(true)
      }),
      { numRuns: runs(6, 40) },
    )
  })

  test('a counter that learns does not move the cut', () => {
    const messages = Array.from({ length: 60 }, (_, index) => [
      user(words(200, index)),
      says(words(50)),
    ]).flat()
    const counted = (factor: number) =>
      fitClient(requestOf({ messages }), {
        window,
        count: (text) => Math.ceil(estimateTokens(text) * factor),
      })

    expect(counted(1.05)).toEqual(counted(1.2))
    expect(counted(1.05)).not.toEqual(counted(2))
  })
})

const goesOnFrom = (next: ModelRequest, before: ModelRequest): boolean =>
  before.messages.every((message, index) => JSON.stringify(message) === JSON.stringify(next.messages[index]))
