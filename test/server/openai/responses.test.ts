import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { calls, fails, finish, says, scriptedModel, thinks } from '../../../src/provider/scripted.ts'
import { AppError } from '../../../src/protocol/error.ts'
import type { Model, ModelEvent } from '../../../src/protocol/model.ts'
import { ResponseReply } from '../../../src/server/openai/responses-reply.ts'
import { createResponseStore } from '../../../src/server/openai/responses-store.ts'
import { type ApiHost, readEvents, startApi, weatherTool } from '../api/host.ts'

const usage: ModelEvent = { type: 'usage', usage: { prompt: 12, completion: 5, cached: 8, reasoning: 2 } }
const weather = { type: 'function', strict: true, ...weatherTool.function }
const patch = { type: 'custom', name: 'apply_patch', description: 'Changes files.', format: { type: 'text' } }

async function respond(host: ApiHost, body: object, client?: string): Promise<ResponseReply> {
  const response = await host.post('/v1/responses', body, client === undefined ? {} : { client })
  return ResponseReply.parse(await response.json())
}

test('an answer comes as items', async () => {
  const host = await startApi(
    scriptedModel([thinks('Hm.'), says('Look:'), calls('get_weather', { city: 'Rome' }), usage]),
  )

  const reply = await respond(host, { input: 'Weather?', tools: [weather] })

  expect(reply).toMatchObject({
    status: 'completed',
    output: [
      { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Look:' }] },
      { type: 'function_call', call_id: 'call-1', name: 'get_weather', arguments: '{"city":"Rome"}' },
    ],
    usage: {
      input_tokens: 12,
      input_tokens_details: { cached_tokens: 8 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 17,
    },
  })
})

test('a stream numbers its events and opens, fills and closes each item', async () => {
  const host = await startApi(scriptedModel([says('Look:'), calls('get_weather', { city: 'Rome' })]))

  const response = await host.post('/v1/responses', { input: 'Weather?', tools: [weather], stream: true })

  const events = (await readEvents(response)).map(({ event, data }) => ({ event, data: JSON.parse(data) }))
  expect(events.map(({ event }) => event)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.completed',
  ])
  expect(
    events.every(({ event, data }, index) => data.type === event && data.sequence_number === index),
  ).toBe(true)
  expect(ResponseReply.parse(events.at(-1)?.data.response).output).toHaveLength(2)
})

test('a custom tool takes free text', async () => {
  const model = scriptedModel([calls('apply_patch', { input: '*** Begin Patch\n' })])
  const host = await startApi(model)

  const { output } = await respond(host, { input: 'Change it.', tools: [patch] })

  expect(output).toMatchObject([
    { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch\n' },
  ])
  expect(model.asked[0]?.tools[0]?.parameters).toEqual({
    type: 'object',
    properties: { input: { type: 'string' } },
    required: ['input'],
  })
})

test('items of all kinds are understood, and calls that stand together are one reply', async () => {
  const model = scriptedModel([says('Done.')])
  const host = await startApi(model)

  await respond(host, {
    instructions: 'Be brief.',
    input: [
      { role: 'developer', content: 'Use tools.' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Do it.' }] },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I will.' }] },
      { type: 'function_call', call_id: 'a', name: 'get_weather', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'b', name: 'apply_patch', input: 'x' },
      { type: 'function_call_output', call_id: 'a', output: 'sunny' },
      { type: 'custom_tool_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'ok' }] },
    ],
    tools: [weather, patch, { type: 'web_search' }],
    max_output_tokens: 40,
    text: { format: { type: 'text' } },
  })

  expect(model.asked[0]).toMatchObject({
    system: 'Be brief.\n\nUse tools.',
    messages: [
      { role: 'user', text: 'Do it.' },
      {
        role: 'assistant',
        text: 'I will.',
        calls: [
          { id: 'a', name: 'get_weather', input: '{}' },
          { id: 'b', name: 'apply_patch', input: '{"input":"x"}' },
        ],
      },
      { role: 'tool', callId: 'a', text: 'sunny' },
      { role: 'tool', callId: 'b', text: 'ok' },
    ],
    maxTokens: 40,
  })
  expect(model.asked[0]?.tools.map(({ name }) => name)).toEqual(['get_weather', 'apply_patch'])
})

describe('previous_response_id', () => {
  test('goes on from what was said', async () => {
    const model = scriptedModel([calls('get_weather', { city: 'Rome' })], [says('Sunny.')], [says('Yes.')])
    const host = await startApi(model)

    const first = await respond(host, { input: 'Weather?', tools: [weather] })
    const output = { type: 'function_call_output', call_id: 'call-1', output: 'sunny' }
    const second = await respond(host, { previous_response_id: first.id, input: [output], tools: [weather] })
    await respond(host, { previous_response_id: second.id, input: 'Sure?' })

    expect(model.asked[2]?.messages).toEqual([
      { role: 'user', text: 'Weather?' },
      {
        role: 'assistant',
        text: '',
        calls: [{ id: 'call-1', name: 'get_weather', input: '{"city":"Rome"}' }],
      },
      { role: 'tool', callId: 'call-1', text: 'sunny', ok: true },
      { role: 'assistant', text: 'Sunny.', calls: [] },
      { role: 'user', text: 'Sure?' },
    ])
  })

  test('of another client, or of what was not kept, is unknown', async () => {
    const host = await startApi(scriptedModel([says('A.')], [says('B.')]))
    const kept = await respond(host, { input: 'Hello.' }, 'a')
    const unkept = await respond(host, { input: 'Hello.', store: false }, 'a')

    const answers = await Promise.all([
      host.post('/v1/responses', { previous_response_id: kept.id, input: 'Hm.' }, { client: 'b' }),
      host.post('/v1/responses', { previous_response_id: unkept.id, input: 'Hm.' }, { client: 'a' }),
    ])

    expect(answers.map(({ status }) => status)).toEqual([400, 400])
    expect(await answers[0]?.json()).toMatchObject({
      error: { code: 'previous_response_not_found', param: 'previous_response_id' },
    })
  })

  test('is forgotten when there are too many, the longest unused first', () => {
    const store = createResponseStore({ responses: 2, characters: 100 })
    const kept = (length: number) => ({
      said: [{ role: 'user', text: 'x'.repeat(length) } as const],
      response: {},
    })

    store.keep('a', 'me', kept(30))
    store.keep('b', 'me', kept(30))
    store.find('a', 'me')
    store.keep('c', 'me', kept(30))
    store.keep('d', 'me', kept(60))

    expect(['a', 'b', 'c', 'd'].filter((id) => store.find(id, 'me'))).toEqual(['c', 'd'])
  })
})

describe('a response that was kept', () => {
  test('is found by its client and by no other, until it is deleted', async () => {
    const host = await startApi(scriptedModel([says('Rome.')]))
    const made = await respond(host, { input: 'Where?' })
    const path = `/v1/responses/${made.id}`

    const found = await host.get(path)
    const foreign = await host.get(path, 'stranger')
    const deleted = await host.delete(path)
    const after = await host.get(path)

    expect(await found.json()).toEqual(made)
    expect(await deleted.json()).toEqual({ id: made.id, object: 'response', deleted: true })
    expect([found, foreign, deleted, after].map(({ status }) => status)).toEqual([200, 404, 200, 404])
  })

  test('cannot be cancelled any more', async () => {
    const host = await startApi(scriptedModel([says('Rome.')]))
    const { id } = await respond(host, { input: 'Where?' })

    const over = await host.post(`/v1/responses/${id}/cancel`, {})
    const unknown = await host.post('/v1/responses/resp_none/cancel', {})

    expect([over.status, unknown.status]).toEqual([400, 404])
  })
})

test('a response that is being written is reported as that, and ends when it is cancelled', async () => {
  const host = await startApi(unendingModel('Rome and '))
  const client = new OpenAI({ baseURL: `${host.url}/v1`, apiKey: await host.key(), maxRetries: 0 })
  const stream = await client.responses.create({ model: 'unending', input: 'Where?', stream: true })

  let id = ''
  const seen: (string | undefined)[] = []
  for await (const event of stream) {
    if (event.type === 'response.created') ({ id } = event.response)
    if (event.type === 'response.output_text.delta') {
      seen.push((await client.responses.retrieve(id)).status)
      seen.push((await client.responses.cancel(id)).status)
    }
    if (event.type === 'response.failed') seen.push(event.response.error?.message)
  }

  expect(seen).toEqual(['in_progress', 'cancelled', `The response ${id} was cancelled by its client.`])
  expect(await client.responses.retrieve(id)).toMatchObject({ id, status: 'cancelled' })
})

/** Says its words, then nothing until it is left alone. */
const unendingModel = (text: string): Model => ({
  name: 'unending',
  async *stream(_request, signal) {
    yield { type: 'text-delta', text }
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  },
})

test('an answer that was cut is incomplete', async () => {
  const host = await startApi(scriptedModel([says('A lon'), finish('length')]))

  expect(await respond(host, { input: 'Tell.' })).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  })
})

test('a broken stream ends with the response failed and an error', async () => {
  const error = new AppError('model-unavailable', 'The server went away.')
  const host = await startApi(scriptedModel([says('Half'), fails(error)]))

  const events = await readEvents(await host.post('/v1/responses', { input: 'Tell.', stream: true }))

  expect(events.slice(-2).map(({ event }) => event)).toEqual(['response.failed', 'error'])
  expect(JSON.parse(events.at(-2)!.data)).toMatchObject({
    response: { status: 'failed', error: { message: 'The server went away.' } },
  })
})
