/** The OpenAI-compatible provider against a real server on loopback: what goes out, what comes back. */
import { expect, test } from 'vitest'
import type { ReplyReader } from '../../src/protocol/dialect.ts'
import { createProviderModel } from '../../src/provider/create.ts'
import { ask, askInVain, joined, modelAt, readFileSchema, request, serve } from './ask.ts'

test('text streams in pieces and ends with usage and a finish reason', async () => {
  const server = await serve([
    { text: 'Größe über alles 🐑', chunk: 3, usage: { prompt: 20, completion: 7, cached: 16, reasoning: 2 } },
  ])

  const events = await ask(modelAt(server.url))

  expect(events.filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(3)
  expect(joined(events)).toEqual([
    { type: 'text-delta', text: 'Größe über alles 🐑' },
    { type: 'usage', usage: { prompt: 20, completion: 7, cached: 16, reasoning: 2 } },
    { type: 'finish', reason: 'stop' },
  ])
})

test('a request carries system text, history, tools and sampling, and no key', async () => {
  const server = await serve([{ text: 'ok' }])

  await ask(
    modelAt(server.url),
    request({
      messages: [
        { role: 'user', text: 'Read it' },
        {
          role: 'assistant',
          text: '',
          reasoning: 'Hm.',
          calls: [{ id: 'call_7', name: 'read_file', input: '{ "path":"a.txt" }' }],
        },
        { role: 'tool', callId: 'call_7', text: 'hello', ok: true },
      ],
      tools: [readFileSchema],
      toolChoice: 'required',
      maxTokens: 100,
      temperature: 0.3,
      seed: 7,
      stop: ['END'],
      repeatPenalty: 1.1,
    }),
  )

  expect(server.requests).toEqual([
    {
      model: 'test-model',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'You are a test.' },
        { role: 'user', content: 'Read it' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            {
              id: 'call_7',
              type: 'function',
              function: { name: 'read_file', arguments: '{ "path":"a.txt" }' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'call_7', content: 'hello' },
      ],
      tools: [{ type: 'function', function: readFileSchema }],
      tool_choice: 'required',
      max_tokens: 100,
      temperature: 0.3,
      seed: 7,
      stop: ['END'],
      cache_prompt: true,
      repeat_penalty: 1.1,
      repetition_penalty: 1.1,
    },
  ])
  expect(server.headers[0]?.authorization).toBeUndefined()
})

test('a native call arrives with its arguments byte for byte', async () => {
  const server = await serve([
    { calls: [{ id: 'call_a', name: 'read_file', arguments: '{ "path": "a.txt" }' }] },
  ])

  const events = await ask(modelAt(server.url), request({ tools: [readFileSchema] }))

  expect(events).toEqual([
    { type: 'tool-call', call: { id: 'call_a', name: 'read_file', input: '{ "path": "a.txt" }' } },
    { type: 'finish', reason: 'tool-calls' },
  ])
})

test('a call with broken arguments is passed on as it is', async () => {
  const server = await serve([
    { calls: [{ id: 'call_a', name: 'read_file', arguments: '{"path": "a.txt", oops' }] },
  ])

  const events = await ask(modelAt(server.url))

  expect(events[0]).toEqual({
    type: 'tool-call',
    call: { id: 'call_a', name: 'read_file', input: '{"path": "a.txt", oops' },
  })
})

test('a call cut by the output limit arrives with the reason', async () => {
  const server = await serve([
    { calls: [{ id: 'call_a', name: 'write_file', arguments: '{"text": "one\\ntw' }], finish: 'length' },
  ])

  const events = await ask(modelAt(server.url))

  expect(events).toEqual([
    { type: 'tool-call', call: { id: 'call_a', name: 'write_file', input: '{"text": "one\\ntw' } },
    { type: 'finish', reason: 'length' },
  ])
})

test('calls without an id, with one id for two, or with an id of an older reply get ids of their own', async () => {
  const server = await serve([
    {
      calls: [
        { id: null, name: 'read_file', arguments: '{"path":"a"}' },
        { id: 'call_0', name: 'read_file', arguments: '{"path":"b"}' },
        { id: 'call_0', name: 'read_file', arguments: '{"path":"c"}' },
      ],
    },
  ])
  const older = [
    { role: 'user' as const, text: 'Hello' },
    { role: 'assistant' as const, text: '', calls: [{ id: 'call_0', name: 'read_file', input: '{}' }] },
    { role: 'tool' as const, callId: 'call_0', text: 'x', ok: true },
  ]

  const events = await ask(modelAt(server.url), request({ messages: older }))

  const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []))
  expect(calls.map(({ input }) => input)).toEqual(['{"path":"a"}', '{"path":"b"}', '{"path":"c"}'])
  expect(new Set([...calls.map(({ id }) => id), 'call_0']).size).toBe(4)
  expect(calls.every(({ id }) => id !== '')).toBe(true)
})

test('reasoning is kept apart from the text, and shown again only where the arm keeps it', async () => {
  const server = await serve([{ reasoning: 'Let me think.', text: 'Done.' }, { text: 'a' }, { text: 'b' }])
  const later = request({
    messages: [
      { role: 'user', text: 'Hello' },
      { role: 'assistant', text: 'Done.', reasoning: 'Let me think.', calls: [] },
      { role: 'user', text: 'And now?' },
    ],
  })

  const events = await ask(modelAt(server.url))
  await ask(modelAt(server.url, { reasoning: 'keep' }), later)
  await ask(modelAt(server.url, { reasoning: 'drop' }), later)

  expect(joined(events).slice(0, 2)).toEqual([
    { type: 'reasoning-delta', text: 'Let me think.' },
    { type: 'text-delta', text: 'Done.' },
  ])
  expect(server.requests[1]?.messages[2]).toEqual({
    role: 'assistant',
    content: 'Done.',
    reasoning_content: 'Let me think.',
  })
  expect(server.requests[2]?.messages[2]).toEqual({ role: 'assistant', content: 'Done.' })
})

test.each([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'filter'],
  ['eos_token', 'unknown'],
  [null, 'unknown'],
] as const)('the finish reason %s of the server is reported as %s', async (finish, reason) => {
  const server = await serve([{ text: 'hi', finish }])

  const events = await ask(modelAt(server.url))

  expect(events.at(-1)).toEqual({ type: 'finish', reason })
})

test('a server that does not stream is understood all the same', async () => {
  const server = await serve([
    {
      whole: true,
      text: 'Reading.',
      calls: [{ id: 'call_a', name: 'read_file', arguments: { path: 'a' } }],
      usage: { prompt: 5, completion: 2 },
    },
  ])

  const events = await ask(modelAt(server.url))

  expect(events).toEqual([
    { type: 'text-delta', text: 'Reading.' },
    { type: 'tool-call', call: { id: 'call_a', name: 'read_file', input: '{"path":"a"}' } },
    { type: 'usage', usage: { prompt: 5, completion: 2 } },
    { type: 'finish', reason: 'tool-calls' },
  ])
})

test('a server that leaves the connection open after [DONE] has answered', async () => {
  const server = await serve([{ text: 'hi', fault: 'hang-after-done' }])

  const events = await ask(modelAt(server.url))

  expect(events.at(-1)).toEqual({ type: 'finish', reason: 'stop' })
})

test('a cancel in the middle closes the connection and ends the reply without an error', async () => {
  const server = await serve([{ text: 'one two three four five six', fault: 'hang-mid-stream' }])
  const cancel = new AbortController()

  const events = []
  for await (const event of modelAt(server.url).stream(request(), cancel.signal)) {
    events.push(event)
    cancel.abort()
  }
  await server.clientGone

  expect(events).toEqual([{ type: 'text-delta', text: 'one two thre' }])
})

test('a reader who stops reading closes the connection', async () => {
  const server = await serve([{ text: 'one two three four five six', fault: 'hang-mid-stream' }])

  for await (const _ of modelAt(server.url).stream(request(), new AbortController().signal)) break

  await server.clientGone
})

test('a call that the server left in the text is found, a native one is not counted twice', async () => {
  const written = { id: '', name: 'read_file', input: '{"path": "a"}' }
  const readReply = (): ReplyReader => ({
    push: (chunk) => [{ type: 'text-delta', text: chunk.replace('CALL', '') }],
    end: () => [{ type: 'tool-call', call: written }],
  })
  const server = await serve([
    { text: 'Reading CALL', chunk: 40 },
    { text: 'Reading CALL', chunk: 40, calls: [{ id: 'n1', name: 'read_file', arguments: '{"path":"a"}' }] },
  ])
  const model = modelAt(server.url, { readReply })

  const rescued = await ask(model)
  const native = await ask(model)

  expect(rescued).toEqual([
    { type: 'text-delta', text: 'Reading ' },
    { type: 'tool-call', call: { id: 'call', name: 'read_file', input: '{"path": "a"}' } },
    { type: 'finish', reason: 'tool-calls' },
  ])
  expect(native).toEqual([
    { type: 'text-delta', text: 'Reading ' },
    { type: 'tool-call', call: { id: 'n1', name: 'read_file', input: '{"path":"a"}' } },
    { type: 'finish', reason: 'tool-calls' },
  ])
})

test('an arm that gets its tools as text is sent none', async () => {
  const server = await serve([{ text: 'ok' }])

  await ask(
    modelAt(server.url, { tools: 'text', emission: { base: 'collapsed' } }),
    request({ tools: [readFileSchema], toolChoice: 'required' }),
  )

  expect(server.requests[0]).toEqual({
    model: 'test-model',
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: 'system', content: 'You are a test.' },
      { role: 'user', content: 'Hello' },
    ],
    stop: ['[result]'],
    cache_prompt: true,
  })
})

test('an image is sent where the arm sees', async () => {
  const server = await serve([{ text: 'a sheep' }])
  const images = [{ mediaType: 'image/png', base64: 'aGk=', path: 'sheep.png' }]

  await ask(
    modelAt(server.url, { vision: true }),
    request({ messages: [{ role: 'user', text: 'What is this?', images }] }),
  )

  expect(server.requests[0]?.messages[1]).toEqual({
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
    ],
  })
})

test('a JSON schema and thinking off reach the server', async () => {
  const server = await serve([{ text: '{}' }])

  await ask(
    modelAt(server.url),
    request({
      thinking: 'off',
      responseFormat: { type: 'json', name: 'answer', schema: { type: 'object' } },
    }),
  )

  expect(server.requests[0]).toMatchObject({
    chat_template_kwargs: { enable_thinking: false, thinking: false },
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'answer', schema: { type: 'object' }, strict: true },
    },
  })
})

test('a key is sent as a bearer token', async () => {
  const server = await serve([{ text: 'welcome' }], { key: 'secret-key-1' })

  const events = await ask(modelAt(server.url, { apiKey: 'secret-key-1' }))

  expect(events[0]).toEqual({ type: 'text-delta', text: 'welcome' })
})

test('an arm without a base URL is refused when it is made', () => {
  expect(() =>
    createProviderModel({
      kind: 'openai-compatible',
      name: 'mine',
      model: 'm',
      emission: { base: 'tool-role' },
      reasoning: 'drop',
      local: true,
    }),
  ).toThrow('mine: the base URL is missing.')
})

test('a maker of models is not asked without a key', async () => {
  const model = createProviderModel({
    kind: 'anthropic',
    name: 'claude',
    model: 'claude-x',
    emission: { base: 'tool-role' },
    reasoning: 'drop',
    local: false,
  })

  const failure = await askInVain(model)

  expect(failure).toMatchObject({
    code: 'credential',
    message:
      'claude: there is no key for https://api.anthropic.com/v1. Set `api_key` of this arm in config.toml.',
  })
})
