/** Ollama's own chat API: what goes out, what comes back. */
import { expect, test } from 'vitest'
import { startOllama } from '../support/model-server/ollama.ts'
import { ask, askInVain, joined, modelAt, readFileSchema, request } from './ask.ts'

test('a request carries history, tools, sampling and the window', async () => {
  const server = await startOllama({ vision: true })
  const images = [{ mediaType: 'image/png', base64: 'aGk=' }]

  await ask(
    modelAt(server.url, { numCtx: 12_000, vision: true, reasoning: 'keep' }),
    request({
      messages: [
        { role: 'user', text: 'Read it', images },
        {
          role: 'assistant',
          text: 'Reading.',
          reasoning: 'Hm.',
          calls: [{ id: 'call_7', name: 'read_file', input: '{ "path":"a.txt" }' }],
        },
        { role: 'tool', callId: 'call_7', text: 'hello', ok: true },
      ],
      tools: [readFileSchema],
      maxTokens: 100,
      temperature: 0.3,
      seed: 7,
      stop: ['END'],
      repeatPenalty: 1.1,
      thinking: 'off',
    }),
  )

  expect(server.sent('/api/chat')).toEqual([
    {
      model: 'test-model',
      stream: true,
      think: false,
      messages: [
        { role: 'system', content: 'You are a test.' },
        { role: 'user', content: 'Read it', images: ['aGk='] },
        {
          role: 'assistant',
          content: 'Reading.',
          thinking: 'Hm.',
          tool_calls: [{ function: { name: 'read_file', arguments: { path: 'a.txt' } } }],
        },
        { role: 'tool', tool_name: 'read_file', content: 'hello' },
      ],
      tools: [{ type: 'function', function: readFileSchema }],
      options: {
        num_ctx: 12_000,
        num_predict: 100,
        temperature: 0.3,
        seed: 7,
        stop: ['END'],
        repeat_penalty: 1.1,
      },
    },
  ])
})

test('text streams, calls come whole, and the end tells what was read', async () => {
  const server = await startOllama()
  const model = modelAt(server.url, { numCtx: 8_192 })

  const text = await ask(model, request({ messages: [{ role: 'user', text: 'Count from 1 to 60.' }] }))
  const call = await ask(
    model,
    request({
      messages: [{ role: 'user', text: 'Call read_file with {"path": "a.txt"}' }],
      tools: [readFileSchema],
    }),
  )

  expect(joined(text)).toEqual([
    { type: 'text-delta', text: expect.stringMatching(/^1, 2.*60$/) },
    { type: 'usage', usage: { prompt: expect.any(Number), completion: expect.any(Number) } },
    { type: 'finish', reason: 'stop' },
  ])
  expect(call).toEqual([
    { type: 'tool-call', call: { id: 'call', name: 'read_file', input: '{"path":"a.txt"}' } },
    { type: 'usage', usage: expect.anything() },
    { type: 'finish', reason: 'tool-calls' },
  ])
})

test('a JSON schema is its format', async () => {
  const server = await startOllama()
  const schema = { type: 'object', properties: { bird: { enum: ['heron'] } } }

  const events = await ask(
    modelAt(server.url, { numCtx: 8_192 }),
    request({ responseFormat: { type: 'json', schema } }),
  )

  expect(server.sent('/api/chat')[0]).toMatchObject({ format: schema })
  expect(joined(events)[0]).toEqual({ type: 'text-delta', text: '{"bird":"heron"}' })
})

test('a model that takes no tools is asked with tools as text from then on', async () => {
  const server = await startOllama({ noTools: true })

  const failure = await askInVain(
    modelAt(server.url, { numCtx: 8_192 }),
    request({ tools: [readFileSchema] }),
  )

  expect(failure).toMatchObject({ code: 'model-unavailable', details: { unparsedCall: true } })
})

test('an Ollama that is not there is named', async () => {
  const failure = await askInVain(modelAt('http://127.0.0.1:9/v1', { numCtx: 8_192 }))

  expect(failure).toMatchObject({
    code: 'model-unavailable',
    message: expect.stringContaining('127.0.0.1:9'),
  })
})
