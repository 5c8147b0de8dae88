/** How sure a model on a server was of a call it wrote, from the log probabilities the server tells. */
import { expect, test } from 'vitest'
import { createReplyReader } from '../../src/dialect/read/reply.ts'
import type { Model, ModelEvent, ToolSchema } from '../../src/protocol/model.ts'
import { createRawModel } from '../../src/provider/raw/model.ts'
import { createServerClient } from '../../src/provider/server-client.ts'
import { listen, openAiError, type Answer, type FakeServer } from '../support/model-server/listen.ts'
import { ask, modelAt, readFileSchema, request } from './ask.ts'
import { openTemplate, settingsFor } from './probing.ts'

/** The tokens of a reply and their shares: 0.7 at the name, 0.6 where the path begins, less where nothing is decided. */
const WRITTEN: readonly (readonly [string, number])[] = [
  ['I look.', 0.2],
  ['<tool_call>\n', 0.5],
  ['{"name": "', 0.5],
  ['read', 0.7],
  ['_file', 0.9],
  ['", "arguments": {"path": "', 0.5],
  ['src', 0.6],
  ['/a.ts', 0.3],
  ['"}}\n</tool_call>', 0.4],
]

const chancesOf = (token: string, share: number) => [{ token, logprob: Math.log(share), top_logprobs: [] }]

const serving = (path: string, answer: () => Answer): Promise<FakeServer> =>
  listen({ quirks: {}, errorBody: openAiError, routes: { [`POST ${path}`]: answer } })

const asked = request({ tools: [readFileSchema], logprobs: 0 })

const shareIn = (events: readonly ModelEvent[]): number | undefined => {
  const last = events.at(-1)
  return last?.type === 'finish' ? last.confidence : undefined
}

const readReply = (tools: readonly ToolSchema[]) => createReplyReader({ tools })

const rawModel = async ({ url }: FakeServer, server: 'llama.cpp' | 'vllm' | 'ollama'): Promise<Model> =>
  createRawModel({
    name: 'test-arm',
    model: 'm',
    client: createServerClient(settingsFor(url)),
    findings: { server: { value: server, from: 'GET /props' } },
    template: await openTemplate({ text: undefined, bos: '', eos: '', guess: 'hermes' }),
    window: 8_192,
  })

const raw = {
  'llama.cpp': {
    path: '/completion',
    lines: [
      ...WRITTEN.map(([content, share]) => ({
        content,
        stop: false,
        completion_probabilities: chancesOf(content, share),
      })),
      { content: '', stop: true, stop_type: 'eos' },
    ],
    as: 'sse',
  },
  vllm: {
    path: '/v1/completions',
    lines: [
      ...WRITTEN.map(([text, share]) => ({
        choices: [
          { text, logprobs: { tokens: [text], token_logprobs: [Math.log(share)], top_logprobs: [{}] } },
        ],
      })),
      { choices: [{ text: '', finish_reason: 'stop' }] },
    ],
    as: 'sse',
  },
  ollama: {
    path: '/api/generate',
    lines: [
      ...WRITTEN.map(([response, share]) => ({
        response,
        logprobs: chancesOf(response, share),
        done: false,
      })),
      { response: '', done: true, done_reason: 'stop' },
    ],
    as: 'ndjson',
  },
} as const

test.each(['llama.cpp', 'vllm', 'ollama'] as const)('with prompts of ours on %s', async (kind) => {
  const { path, lines, as } = raw[kind]
  const server = await serving(path, () => ({ lines, as }))

  const events = await ask(await rawModel(server, kind), asked)

  expect(events).toContainEqual({
    type: 'tool-call',
    call: { id: 'call-1', name: 'read_file', input: '{"path": "src/a.ts"}' },
  })
  expect(shareIn(events)).toBeCloseTo(0.6)
})

const chatLines = (chances: (token: string, share: number) => object) => [
  ...WRITTEN.map(([content, share]) => ({ choices: [{ delta: { content }, ...chances(content, share) }] })),
  { choices: [{ delta: {}, finish_reason: 'stop' }] },
]

test('with tools described as text', async () => {
  const lines = chatLines((token, share) => ({ logprobs: { content: chancesOf(token, share) } }))
  const server = await serving('/v1/chat/completions', () => ({ lines, as: 'sse' }))

  const events = await ask(modelAt(server.url, { tools: 'text', readReply }), asked)

  expect(server.sent('/v1/chat/completions')).toEqual([expect.objectContaining({ logprobs: true })])
  expect(shareIn(events)).toBeCloseTo(0.6)
})

test('is not told by a server that reports no log probabilities', async () => {
  const server = await serving('/v1/chat/completions', () => ({ lines: chatLines(() => ({})), as: 'sse' }))

  const events = await ask(modelAt(server.url, { tools: 'text', readReply }), asked)

  expect(events.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' })
})

test('is not made up where the server read the call and tells of the words beside it only', async () => {
  const call = { index: 0, id: 'c', function: { name: 'read_file', arguments: '{"path":"a"}' } }
  const words = 'I call read_file with path: a.'
  const lines = [
    { choices: [{ delta: { content: words }, logprobs: { content: chancesOf(words, 0.1) } }] },
    { choices: [{ delta: { tool_calls: [call] }, logprobs: { content: chancesOf('a', 0.1) } }] },
    { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
  ]
  const server = await serving('/v1/chat/completions', () => ({ lines, as: 'sse' }))

  const events = await ask(modelAt(server.url, { readReply }), asked)

  expect(events.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' })
})
