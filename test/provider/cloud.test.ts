/**
 * The makers' own wire formats, against recorded streams on loopback: what is sent, and that the reply is understood.
 */
import { expect, test } from 'vitest'
import type { ModelRequest } from '../../src/protocol/model.ts'
import { ask, askInVain, joined, modelAt, readFileSchema, request, serve } from './ask.ts'

const afterOneCall: Partial<ModelRequest> = {
  messages: [
    { role: 'user', text: 'Read both' },
    {
      role: 'assistant',
      text: 'Reading.',
      calls: [
        { id: 'call:1', name: 'read_file', input: '{"path":"a"}' },
        { id: 'call:2', name: 'read_file', input: '{"path":"b"}' },
      ],
    },
    { role: 'tool', callId: 'call:1', text: 'A', ok: true },
    { role: 'tool', callId: 'call:2', text: 'B', ok: true },
  ],
  tools: [readFileSchema],
  maxTokens: 200,
}

const recorded = (events: readonly object[], named = false) => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: events
    .map(
      (event) =>
        `${named ? `event: ${(event as { type: string }).type}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
    )
    .join(''),
})

const anthropicStream = [
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      content: [],
      stop_reason: null,
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 90,
        cache_creation_input_tokens: 0,
        output_tokens: 1,
      },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Reading.' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {} },
  },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"path":' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: ' "a"}' } },
  { type: 'content_block_stop', index: 1 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 12 },
  },
  { type: 'message_stop' },
]

test('Anthropic is asked in its own format and understood', async () => {
  const server = await serve([recorded(anthropicStream, true)])
  const model = modelAt(server.url, { kind: 'anthropic', model: 'claude-x', apiKey: 'k', local: false })

  const events = await ask(model, request(afterOneCall))

  expect(joined(events)).toEqual([
    { type: 'text-delta', text: 'Reading.' },
    { type: 'tool-call', call: { id: 'toolu_1', name: 'read_file', input: '{"path": "a"}' } },
    { type: 'usage', usage: { prompt: 100, completion: 12, cached: 90 } },
    { type: 'finish', reason: 'tool-calls' },
  ])
  expect(server.headers[0]).toMatchObject({ 'x-api-key': 'k' })
  expect(server.requests[0]).toMatchObject({
    model: 'claude-x',
    max_tokens: 200,
    stream: true,
    cache_control: { type: 'ephemeral' },
    system: [{ type: 'text', text: 'You are a test.' }],
    tools: [{ name: 'read_file', input_schema: readFileSchema.parameters }],
  })
  const messages = server.requests[0]!.messages as { role: string; content: Record<string, unknown>[] }[]
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  const [, first, second] = messages[1]!.content
  expect([first!['id'], second!['id']]).toEqual([
    expect.stringMatching(/^[\w-]+$/),
    expect.stringMatching(/^[\w-]+$/),
  ])
  expect(messages[2]!.content).toMatchObject([
    { type: 'tool_result', tool_use_id: first!['id'], content: 'A' },
    { type: 'tool_result', tool_use_id: second!['id'], content: 'B' },
  ])
})

test('a stream of Anthropic that breaks off tells no call', async () => {
  const server = await serve([recorded(anthropicStream.slice(0, -2), true)])
  const model = modelAt(server.url, { kind: 'anthropic', apiKey: 'k', local: false })

  const failure = await askInVain(model)

  expect(failure.code).toBe('model-unavailable')
  expect(joined(failure.events)).toEqual([{ type: 'text-delta', text: 'Reading.' }])
})

test('an overloaded Anthropic is unavailable', async () => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const server = await serve([recorded([error], true)])

  const failure = await askInVain(modelAt(server.url, { kind: 'anthropic', apiKey: 'k', local: false }))

  expect(failure).toMatchObject({ code: 'model-unavailable', details: { status: 529 } })
})

const call = { type: 'function_call', id: 'fc_1', call_id: 'call_9', name: 'read_file' }
const openaiStream = [
  { type: 'response.created', response: { id: 'resp_1', created_at: 1, model: 'gpt-x' } },
  { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'msg_1' } },
  { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'Reading.' },
  { type: 'response.output_item.done', output_index: 0, item: { type: 'message', id: 'msg_1' } },
  { type: 'response.output_item.added', output_index: 1, item: { ...call, arguments: '' } },
  {
    type: 'response.function_call_arguments.delta',
    item_id: 'fc_1',
    output_index: 1,
    delta: '{"path": "a"}',
  },
  {
    type: 'response.output_item.done',
    output_index: 1,
    item: { ...call, arguments: '{"path": "a"}', status: 'completed' },
  },
  {
    type: 'response.completed',
    response: {
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 64 },
        output_tokens: 9,
        output_tokens_details: { reasoning_tokens: 4 },
      },
    },
  },
]

test('OpenAI is asked in its own format, keeps nothing, and is understood', async () => {
  const server = await serve([recorded(openaiStream)])
  const model = modelAt(server.url, { kind: 'openai', model: 'gpt-x', apiKey: 'k', local: false })

  const events = await ask(model, request(afterOneCall))

  expect(joined(events)).toEqual([
    { type: 'text-delta', text: 'Reading.' },
    { type: 'tool-call', call: { id: 'call_9', name: 'read_file', input: '{"path": "a"}' } },
    { type: 'usage', usage: { prompt: 100, completion: 9, cached: 64, reasoning: 4 } },
    { type: 'finish', reason: 'tool-calls' },
  ])
  expect(server.requests[0]).toMatchObject({
    model: 'gpt-x',
    store: false,
    stream: true,
    max_output_tokens: 200,
    input: [
      { role: 'system', content: 'You are a test.' },
      { role: 'user', content: [{ type: 'input_text', text: 'Read both' }] },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Reading.' }] },
      { type: 'function_call', call_id: 'call:1', name: 'read_file', arguments: '{"path":"a"}' },
      { type: 'function_call', call_id: 'call:2', name: 'read_file', arguments: '{"path":"b"}' },
      { type: 'function_call_output', call_id: 'call:1', output: 'A' },
      { type: 'function_call_output', call_id: 'call:2', output: 'B' },
    ],
    tools: [{ type: 'function', name: 'read_file' }],
  })
})

test('a stream of OpenAI that breaks off tells no call', async () => {
  const server = await serve([recorded(openaiStream.slice(0, -1))])

  const failure = await askInVain(modelAt(server.url, { kind: 'openai', apiKey: 'k', local: false }))

  expect(failure.code).toBe('model-unavailable')
  expect(joined(failure.events)).toEqual([{ type: 'text-delta', text: 'Reading.' }])
})

const googleChunk = (parts: readonly object[], more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
})
const googleUsage = {
  promptTokenCount: 50,
  candidatesTokenCount: 8,
  totalTokenCount: 58,
  cachedContentTokenCount: 32,
}

test('Gemini is asked in its own format and understood', async () => {
  const server = await serve([
    recorded([
      googleChunk([{ text: 'Reading.' }]),
      {
        ...googleChunk([{ functionCall: { name: 'read_file', args: { path: 'a' } } }], {
          finishReason: 'STOP',
        }),
        usageMetadata: googleUsage,
      },
    ]),
  ])
  const model = modelAt(server.url, { kind: 'google', model: 'gemini-2.5-flash', apiKey: 'k', local: false })

  const events = await ask(model, request(afterOneCall))

  expect(joined(events)).toEqual([
    { type: 'text-delta', text: 'Reading.' },
    {
      type: 'tool-call',
      call: { id: expect.stringMatching(/.+/) as string, name: 'read_file', input: '{"path":"a"}' },
    },
    { type: 'usage', usage: { prompt: 50, completion: 8, cached: 32 } },
    { type: 'finish', reason: 'tool-calls' },
  ])
  expect(server.requests[0]).toMatchObject({
    systemInstruction: { parts: [{ text: 'You are a test.' }] },
    generationConfig: { maxOutputTokens: 200 },
    contents: [
      { role: 'user', parts: [{ text: 'Read both' }] },
      {
        role: 'model',
        parts: [
          { text: 'Reading.' },
          { functionCall: { name: 'read_file', args: { path: 'a' } } },
          { functionCall: { name: 'read_file', args: { path: 'b' } } },
        ],
      },
      {
        role: 'user',
        parts: [{ functionResponse: { name: 'read_file' } }, { functionResponse: { name: 'read_file' } }],
      },
    ],
  })
})

test('a stream of Gemini that breaks off tells no call', async () => {
  const server = await serve([
    recorded([googleChunk([{ functionCall: { name: 'read_file', args: { path: 'a' } } }])]),
  ])

  const failure = await askInVain(modelAt(server.url, { kind: 'google', apiKey: 'k', local: false }))

  expect(failure).toMatchObject({ code: 'model-unavailable', events: [] })
})

test('a call that Gemini could not read itself is reported as one', async () => {
  const server = await serve([recorded([googleChunk([], { finishReason: 'MALFORMED_FUNCTION_CALL' })])])

  const failure = await askInVain(modelAt(server.url, { kind: 'google', apiKey: 'k', local: false }))

  expect(failure).toMatchObject({ code: 'model-unavailable', details: { unparsedCall: true } })
})

test('a wrong key of Gemini is a matter of the key, although the status is 400', async () => {
  const body = {
    error: {
      code: 400,
      message: 'API key not valid. Please pass a valid API key.',
      status: 'INVALID_ARGUMENT',
    },
  }
  const server = await serve([{ status: 400, body }])

  const failure = await askInVain(modelAt(server.url, { kind: 'google', apiKey: 'k', local: false }))

  expect(failure.code).toBe('credential')
})
