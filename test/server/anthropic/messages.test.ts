import { describe, expect, test } from 'vitest'
import { calls, fails, finish, says, scriptedModel, thinks } from '../../../src/provider/scripted.ts'
import { AppError } from '../../../src/protocol/error.ts'
import type { ModelEvent } from '../../../src/protocol/model.ts'
import { MessageEvent, MessageReply } from '../../../src/server/anthropic/reply.ts'
import { readEvents, startApi } from '../api/host.ts'

const hello = { model: 'scripted', max_tokens: 100, messages: [{ role: 'user', content: 'Hello.' }] }
const usage: ModelEvent = { type: 'usage', usage: { prompt: 12, completion: 5, cached: 8 } }
const weather = {
  name: 'get_weather',
  description: 'The weather.',
  input_schema: { type: 'object', properties: {} },
}

test('an answer comes as blocks', async () => {
  const host = await startApi(
    scriptedModel([thinks('Hm.'), says('Look:'), calls('get_weather', { city: 'Rome' }), usage]),
  )

  const response = await host.post('/v1/messages', { ...hello, tools: [weather] })

  const reply = MessageReply.parse(await response.json())
  expect(reply.content).toEqual([
    { type: 'thinking', thinking: 'Hm.', signature: '' },
    { type: 'text', text: 'Look:' },
    { type: 'tool_use', id: 'call-1', name: 'get_weather', input: { city: 'Rome' } },
  ])
  expect(reply.stop_reason).toBe('tool_use')
  expect(reply.usage).toMatchObject({ input_tokens: 4, cache_read_input_tokens: 8, output_tokens: 5 })
})

test('a stream opens, fills and closes one block after the other', async () => {
  const host = await startApi(
    scriptedModel([thinks('Hm.'), says('Look:'), calls('get_weather', { city: 'Rome' }), usage]),
  )

  const response = await host.post('/v1/messages', { ...hello, tools: [weather], stream: true })

  const events = await readEvents(response)
  const told = events.map(({ data }) => MessageEvent.parse(JSON.parse(data)))
  expect(events.map(({ event }) => event)).toEqual(told.map(({ type }) => type))
  expect(told.map((event) => ('index' in event ? `${event.type} ${event.index}` : event.type))).toEqual([
    'message_start',
    'ping',
    'content_block_start 0',
    'content_block_delta 0',
    'content_block_stop 0',
    'content_block_start 1',
    'content_block_delta 1',
    'content_block_stop 1',
    'content_block_start 2',
    'content_block_delta 2',
    'content_block_stop 2',
    'message_delta',
    'message_stop',
  ])
  expect(told[0]).toMatchObject({ message: { content: [], usage: { input_tokens: expect.any(Number) } } })
  expect(told.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } })
})

test('a request is understood with system blocks, results, images and choices', async () => {
  const model = scriptedModel([calls('get_weather')])
  const host = await startApi(model, { capabilities: { vision: true } })
  const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' }

  await host.post('/v1/messages', {
    ...hello,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And here?' },
          { type: 'image', source },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'x' },
          { type: 'tool_use', id: 't1', name: 'get_weather', input: { city: 'Rome' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Go on.' },
          {
            type: 'tool_result',
            tool_use_id: 't1',
            content: [{ type: 'text', text: 'no such city' }],
            is_error: true,
          },
        ],
      },
    ],
    tools: [weather, { type: 'web_search_20250305', name: 'web_search' }],
    tool_choice: { type: 'any' },
    stop_sequences: ['END'],
    temperature: 0.5,
  })

  expect(model.asked[0]).toMatchObject({
    system: 'Be brief.',
    messages: [
      { role: 'user', text: 'And here?', images: [{ mediaType: 'image/png', base64: 'AAAA' }] },
      { role: 'assistant', text: '', calls: [{ id: 't1', name: 'get_weather', input: '{"city":"Rome"}' }] },
      { role: 'tool', callId: 't1', text: 'no such city', ok: false },
      { role: 'user', text: 'Go on.' },
    ],
    tools: [{ name: 'get_weather' }],
    maxTokens: 100,
    temperature: 0.5,
    stop: ['END'],
  })
})

test('thoughts stay out of the answer where thinking is disabled', async () => {
  const model = scriptedModel([thinks('Hm.'), says('Yes.'), finish('length')])
  const host = await startApi(model)

  const response = await host.post('/v1/messages', { ...hello, thinking: { type: 'disabled' } })

  expect(await response.json()).toMatchObject({
    content: [{ type: 'text', text: 'Yes.' }],
    stop_reason: 'max_tokens',
  })
  expect(model.asked[0]?.thinking).toBe('off')
})

test('tokens are counted without asking the model', async () => {
  const model = scriptedModel()
  const host = await startApi(model)
  const { max_tokens: _, ...request } = hello

  const response = await host.post('/v1/messages/count_tokens', { ...request, tools: [weather] })

  expect(await response.json()).toEqual({ input_tokens: expect.any(Number) })
  expect(model.asked).toEqual([])
})

describe('an error', () => {
  test('has the shape of Anthropic', async () => {
    const host = await startApi(scriptedModel())

    const response = await host.post('/v1/messages', { messages: hello.messages })

    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining('max_tokens') },
      request_id: expect.any(String),
    })
  })

  test('in a stream is an event of its own, and the last one', async () => {
    const error = new AppError('model-unavailable', 'The server went away.')
    const host = await startApi(scriptedModel([says('Half'), fails(error)]))

    const events = await readEvents(await host.post('/v1/messages', { ...hello, stream: true }))

    expect(events.at(-1)?.event).toBe('error')
    expect(JSON.parse(events.at(-1)!.data)).toMatchObject({
      type: 'error',
      error: { type: 'overloaded_error', message: 'The server went away.' },
    })
  })
})
