import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { estimateTokens, fixedTokens, messagesTokens } from '../../src/context/count.ts'
import { fitClient } from '../../src/context/fit-client.ts'
import { stageTools, wantedTools } from '../../src/context/stage-tools.ts'
import type { Message } from '../../src/protocol/message.ts'
import type { ModelRequest, ToolSchema } from '../../src/protocol/model.ts'
import { call, calls, result, says, user } from './conversation.ts'
import { runs } from '../support/runs.ts'

const tool = (name: string, parameters = 2): ToolSchema => ({
  name,
  description: `Does ${name} to a file. ${'Then it tells what it did. '.repeat(3)}`,
  parameters: {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: parameters }, (_, index) => [`value_${index}`, { type: 'string' }]),
    ),
    required: ['value_0'],
  },
})

const tools = Array.from({ length: 12 }, (_, index) => tool(`tool_${index}`))
const limit = 560

describe('tools in two stages', () => {
  test('are shown as far as they fit, the rest is listed with its arguments and purpose', () => {
    const staged = stageTools(tools, { limit, wanted: new Set() })

    const shown = staged.tools.map(({ name }) => name)
    expect(shown.slice(0, 2)).toEqual(['tool_0', 'tool_1'])
    expect(shown.at(-1)).toBe('call_tool')
    expect(staged.tokens).toBeLessThanOrEqual(limit)
    expect(staged.listing.split('\n').slice(-1)).toEqual([
      '- tool_11(value_0, value_1?): Does tool_11 to a file.',
    ])
    expect(staged.listing).toContain('Use them with call_tool: {"name": "TOOL", "arguments": {...}}')
  })

  test('begin with those that are wanted, in the order of the client', () => {
    const staged = stageTools(tools, { limit, wanted: new Set(['tool_11', 'tool_9']) })

    expect(staged.tools.map(({ name }) => name).slice(-3)).toEqual(['tool_9', 'tool_11', 'call_tool'])
  })

  test('show the one that must be called, even where it is too long', () => {
    const staged = stageTools(tools, { limit: 0, wanted: new Set(['tool_4', 'tool_5']), chosen: 'tool_4' })

    expect(staged.tools.map(({ name }) => name)).toEqual(['tool_4', 'call_tool'])
  })

  test('leave a tool of the same name to the client', () => {
    const staged = stageTools([...tools, tool('call_tool')], { limit, wanted: new Set() })

    expect(staged.callTool).toBe('call_tool_2')
    expect(staged.listing).toContain('- call_tool(value_0')
  })

  test('tell only the first arguments of a tool that has many', () => {
    const { listing } = stageTools([tool('wide', 20)], { limit: 1, wanted: new Set() })

    expect(listing).toContain('value_7?, ...): Does wide')
  })

  test('show calls of listed tools as the model wrote them', () => {
    const staged = stageTools(tools, { limit, wanted: new Set() })
    const talk = [
      calls(call('a', 'tool_0', { value_0: 'x' }), { id: 'b', name: 'tool_11', input: '{ "value_0":"y" }' }),
      result('a', 'done'),
      result('b', 'done'),
      calls({ id: 'c', name: 'tool_11', input: '' }, { id: 'd', name: 'tool_11', input: 'not JSON' }),
    ]

    const written = staged.written(talk)

    expect(written.flatMap((message) => (message.role === 'assistant' ? message.calls : []))).toEqual([
      call('a', 'tool_0', { value_0: 'x' }),
      { id: 'b', name: 'call_tool', input: '{"name": "tool_11", "arguments": { "value_0":"y" }}' },
      { id: 'c', name: 'call_tool', input: '{"name": "tool_11", "arguments": {}}' },
      { id: 'd', name: 'call_tool', input: '{"name": "tool_11", "arguments": "not JSON"}' },
    ])
    expect(written.slice(1, 3)).toEqual(talk.slice(1, 3))
  })
})

const requestOf = (more: Partial<ModelRequest>): ModelRequest => ({
  runId: 'r',
  sessionId: 's',
  turn: 1,
  system: '',
  messages: [user('Hello.')],
  tools,
  ...more,
})

test('wanted are the tool that must be called and those the person names first', () => {
  const messages = [user('Use tool_3, please, and not tool_33.'), says('Yes.'), user('Now tool_5.')]

  expect([...wantedTools(requestOf({ messages, toolChoice: { name: 'tool_7' } }))]).toEqual([
    'tool_7',
    'tool_3',
  ])
  expect([...wantedTools(requestOf({ messages }))]).toEqual(['tool_3'])
})

/** As agents send them: many tools with long descriptions, of which even the shortest form is too long. */
const clientTools = Array.from({ length: 40 }, (_, index) => ({
  ...tool(`client_tool_${index}`, 8),
  description: `Does number ${index}. ${'It has rules that must be kept. '.repeat(8)}`,
}))
const system = 'You are an agent. Follow the rules of the project. '.repeat(500)
const arm = { window: 8192, count: estimateTokens }

const tokensOf = ({ system: text, tools: shown, messages }: ModelRequest): number =>
  fixedTokens(text, shown, estimateTokens) + messagesTokens(messages, { count: estimateTokens })

describe('a client with 40 tools and 12,000 tokens on an arm of 8,192', () => {
  const turns = Array.from({ length: 10 }, (_, index): Message[] => [
    calls(
      call(`c${index}`, index % 2 === 0 ? 'client_tool_1' : 'client_tool_39', { value_0: `file ${index}` }),
    ),
    result(`c${index}`, `Content of file ${index}. `.repeat(6)),
  ])
  const requestAt = (turn: number): ModelRequest =>
    requestOf({
      system,
      tools: clientTools,
      messages: [user('Rename it everywhere.'), ...turns.slice(0, turn).flat()],
    })

  test('is served with its tools in two stages', () => {
    const request = requestAt(0)

    const fitted = fitClient(request, arm)

    expect(tokensOf(request)).toBeGreaterThan(12_000)
    expect(fitted).toMatchObject({
      ok: true,
      callTool: 'call_tool',
      shortened: ['tool descriptions', 'parameter descriptions', 'tools that are only listed', 'system text'],
    })
    if (!fitted.ok) return
    expect(tokensOf(fitted.request)).toBeLessThanOrEqual(8192 - 2048)
    const shown = fitted.request.tools.map(({ name }) => name)
    expect(shown).toContain('client_tool_0')
    for (const { name } of clientTools)
      expect(shown.includes(name) || fitted.request.system.includes(`- ${name}(`)).toBe(true)
  })

  test('keeps 98 % of its prefix over ten turns', () => {
    const sent = Array.from({ length: 11 }, (_, turn) => {
      const fitted = fitClient(requestAt(turn), arm)
      return fitted.ok ? asBytes(fitted.request) : ''
    })

    const shares = sent
      .slice(1)
      .map((text, index) => commonStart(text, sent[index] ?? '') / (sent[index]?.length ?? 1))
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.98)
  })
})

/** What stands before what, as a model reads it. */
const asBytes = ({ system: text, tools: shown, messages }: ModelRequest): string =>
  [JSON.stringify(shown), text, ...messages.map((message) => JSON.stringify(message))].join('\n')

function commonStart(a: string, b: string): number {
  let length = 0
  while (length < Math.min(a.length, b.length) && a[length] === b[length]) length++
  return length
}

test('whatever the tools: each is shown or listed, within the limit where one fits at all', () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z_]{1,20}$/), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(names, fc.integer({ min: 1, max: 2_000 }), (given, most) => {
      const all = given.map((name, index) => tool(name, index % 10))
      const nothingShown = stageTools(all, { limit: 0, wanted: new Set() })

      const staged = stageTools(all, { limit: most, wanted: new Set() })

      const shown = new Set(staged.tools.map(({ name }) => name))
      expect(given.every((name) => shown.has(name) || staged.listing.includes(`- ${name}(`))).toBe(true)
      expect(staged.tokens).toBeLessThanOrEqual(Math.max(most, nothingShown.tokens))
      expect(stageTools(all, { limit: most, wanted: new Set() }).listing).toBe(staged.listing)
    }),
    { numRuns: runs(75, 300) },
  )
})
