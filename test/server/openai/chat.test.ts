import { describe, expect, test } from 'vitest'
import { calls, fails, finish, says, scriptedModel, thinks } from '../../../src/provider/scripted.ts'
import { AppError } from '../../../src/protocol/error.ts'
import type { ModelEvent } from '../../../src/protocol/model.ts'
import { ChatChunk, ChatCompletion } from '../../../src/server/openai/chat-reply.ts'
import { type ApiHost, readEvents, startApi, weatherTool } from '../api/host.ts'

const hello = { model: 'scripted', messages: [{ role: 'user', content: 'Hello.' }] }
const usage: ModelEvent = { type: 'usage', usage: { prompt: 12, completion: 5, cached: 8 } }

async function complete(host: ApiHost, body: object): Promise<ChatCompletion> {
  const response = await host.post('/v1/chat/completions', body)
  return ChatCompletion.parse(await response.json())
}

/** Every chunk is valid and of one id, there is one finish reason for each choice, and `[DONE]` is last. */
async function chunksOf(host: ApiHost, body: object): Promise<ChatChunk[]> {
  const response = await host.post('/v1/chat/completions', { ...body, stream: true })
  const events = await readEvents(response)
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  expect(events.at(-1)).toEqual({ data: '[DONE]' })
  const chunks = events.slice(0, -1).map(({ data }) => ChatChunk.parse(JSON.parse(data)))
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
  return chunks
}

const textOf = (chunks: readonly ChatChunk[], index = 0): string =>
  chunks
    .flatMap(({ choices }) => choices.filter((choice) => choice.index === index))
    .map(({ delta }) => delta.content ?? '')
    .join('')

const finishesOf = (chunks: readonly ChatChunk[]) =>
  chunks
    .flatMap(({ choices }) => choices.map((choice) => choice.finish_reason))
    .filter((reason) => reason !== null)

describe('an answer', () => {
  test('comes whole, with the usage the server counted', async () => {
    const host = await startApi(scriptedModel([thinks('Hm.'), says('Good day.'), usage]))

    const { choices, usage: used, model } = await complete(host, hello)

    expect(model).toBe('scripted')
    expect(choices).toEqual([
      {
        index: 0,
        message: { role: 'assistant', content: 'Good day.', refusal: null, reasoning_content: 'Hm.' },
        logprobs: null,
        finish_reason: 'stop',
      },
    ])
    expect(used).toEqual({
      prompt_tokens: 12,
      completion_tokens: 5,
      total_tokens: 17,
      prompt_tokens_details: { cached_tokens: 8 },
    })
  })

  test('has an estimate of its usage where the server says nothing', async () => {
    const host = await startApi(scriptedModel([says('Good day to you.')]))

    const { usage: used } = await complete(host, hello)

    expect(used.prompt_tokens).toBeGreaterThan(0)
    expect(used.completion_tokens).toBeGreaterThan(0)
  })

  test('comes as chunks: the role first, one finish reason, usage alone at the end', async () => {
    const host = await startApi(scriptedModel([says('A longer answer in pieces.'), usage]))

    const chunks = await chunksOf(host, { ...hello, stream_options: { include_usage: true } })

    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' })
    expect(textOf(chunks)).toBe('A longer answer in pieces.')
    expect(finishesOf(chunks)).toEqual(['stop'])
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 17 } })
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === undefined)).toBe(true)
  })

  test('that was cut by the limit says so', async () => {
    const host = await startApi(scriptedModel([says('A lon'), finish('length')]))

    const { choices } = await complete(host, { ...hello, max_tokens: 2 })

    expect(choices[0]?.finish_reason).toBe('length')
  })

  test('may be asked for several times, each with its own index and seed', async () => {
    const model = scriptedModel([says('One.')], [says('Two.')], [says('Three.')])
    const host = await startApi(model)

    const chunks = await chunksOf(host, { ...hello, n: 3, seed: 7 })

    expect([0, 1, 2].map((index) => textOf(chunks, index))).toEqual(['One.', 'Two.', 'Three.'])
    expect(finishesOf(chunks)).toEqual(['stop', 'stop', 'stop'])
    expect(model.asked.map(({ seed }) => seed)).toEqual([7, 8, 9])
  })

  test('asked for several times without a seed have different ones, and the usage of all', async () => {
    const model = scriptedModel([says('One.'), usage], [says('Two.'), usage])
    const host = await startApi(model)

    const completion = await complete(host, { ...hello, n: 2 })

    expect(completion.choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, 'One.'],
      [1, 'Two.'],
    ])
    expect(completion.usage).toMatchObject({ prompt_tokens: 24, completion_tokens: 10, total_tokens: 34 })
    const [first, second] = model.asked.map(({ seed }) => seed)
    expect(second).toBe((first ?? Number.NaN) + 1)
  })
})

describe('a request', () => {
  test('is understood in all its fields, and unknown ones are ignored', async () => {
    const model = scriptedModel([says('Yes.')])
    const host = await startApi(model)

    await complete(host, {
      model: 'scripted',
      messages: [
        { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
        { role: 'user', content: [{ type: 'text', text: 'Who?' }] },
      ],
      max_completion_tokens: 50,
      temperature: 0.2,
      seed: 3,
      stop: 'END',
      top_p: 0.9,
      presence_penalty: 0.5,
      frequency_penalty: -0.5,
      frobnicate: { yes: true },
    })

    expect(model.asked[0]).toMatchObject({
      system: 'Be brief.',
      messages: [{ role: 'user', text: 'Who?' }],
      tools: [],
      maxTokens: 50,
      temperature: 0.2,
      topP: 0.9,
      presencePenalty: 0.5,
      frequencyPenalty: -0.5,
      seed: 3,
      stop: ['END'],
    })
  })

  test('keeps one session id over a conversation, so that the model can keep its cache', async () => {
    const model = scriptedModel([says('A.')], [says('B.')], [says('C.')])
    const host = await startApi(model)
    const more = [...hello.messages, { role: 'assistant', content: 'A.' }, { role: 'user', content: 'And?' }]

    await complete(host, hello)
    await complete(host, { ...hello, messages: more })
    await complete(host, { ...hello, messages: [{ role: 'user', content: 'Something else.' }] })

    const [first, second, third] = model.asked.map(({ sessionId }) => sessionId)
    expect(second).toBe(first)
    expect(third).not.toBe(first)
  })

  test('with a broken history is repaired: every call gets a result, lone results become notes', async () => {
    const model = scriptedModel([says('Fine.')])
    const host = await startApi(model)
    const call = { id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }

    await complete(host, {
      model: 'scripted',
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'user', content: 'Never mind.' },
        { role: 'tool', tool_call_id: 'lost', content: 'sunny' },
        { role: 'system', content: 'Be kind.' },
      ],
    })

    expect(model.asked[0]?.messages).toEqual([
      { role: 'user', text: 'Hello.' },
      { role: 'assistant', text: '', calls: [{ id: 'c1', name: 'get_weather', input: '{}' }] },
      {
        role: 'tool',
        callId: 'c1',
        text: 'interrupted: this call was given no result',
        ok: false,
        code: 'interrupted',
      },
      { role: 'user', text: 'Never mind.' },
      { role: 'user', text: 'Result of an earlier call (lost):\nsunny', origin: 'note' },
      { role: 'user', text: 'Be kind.', origin: 'note' },
    ])
  })

  test.each([
    ['alternatives without log probabilities', { top_logprobs: 2 }, 400, 'top_logprobs'],
    ['log probabilities of an agent', { model: 'covey/agent', logprobs: true }, 400, 'logprobs'],
    ['a top_p above one', { top_p: 1.5 }, 400, 'top_p'],
    ['an unknown model', { model: 'absent' }, 404, 'model'],
    ['several answers of an agent', { model: 'covey/agent', n: 2 }, 400, 'n'],
    ['no messages', { messages: [] }, 400, 'messages'],
    [
      'an image from elsewhere',
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://10.0.0.1/a' } }] },
        ],
      },
      400,
      'messages[0].content',
    ],
    [
      'an image for a model that cannot see',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
          },
        ],
      },
      400,
      null,
    ],
  ])('with %s is refused in words', async (_, field, status, param) => {
    const host = await startApi(scriptedModel())

    const response = await host.post('/v1/chat/completions', { ...hello, ...field })

    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({
      error: { message: expect.any(String), type: expect.any(String), param, code: expect.any(String) },
    })
  })

  test('may hold images where the model can see', async () => {
    const model = scriptedModel([says('A dot.')])
    const host = await startApi(model, { capabilities: { vision: true } })

    await complete(host, {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
      ],
    })

    expect(model.asked[0]?.messages).toEqual([
      { role: 'user', text: 'What is it?', images: [{ mediaType: 'image/png', base64: 'AAAA' }] },
    ])
  })
})

describe('tools', () => {
  const ask = { ...hello, tools: [weatherTool] }
  const rome = calls('get_weather', { city: 'Rome' })

  test('that are called come back as calls, and nothing is executed', async () => {
    const host = await startApi(scriptedModel([says('Let me see.'), rome]))

    const { choices } = await complete(host, ask)

    expect(choices[0]).toMatchObject({
      message: {
        content: 'Let me see.',
        tool_calls: [
          { id: 'call-1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } },
        ],
      },
      finish_reason: 'tool_calls',
    })
  })

  test('in a stream have a stable index, and id and name come first', async () => {
    const host = await startApi(scriptedModel([rome, calls('get_weather', { city: 'Oslo' })]))

    const chunks = await chunksOf(host, ask)

    const pieces = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
    expect(pieces).toEqual([
      { index: 0, id: 'call-1', type: 'function', function: { name: 'get_weather', arguments: '' } },
      { index: 0, function: { arguments: '{"city":"Rome"}' } },
      { index: 1, id: 'call-2', type: 'function', function: { name: 'get_weather', arguments: '' } },
      { index: 1, function: { arguments: '{"city":"Oslo"}' } },
    ])
    expect(finishesOf(chunks)).toEqual(['tool_calls'])
  })

  test('are called once where the client wants no two at a time', async () => {
    const host = await startApi(scriptedModel([rome, rome]))

    const { choices } = await complete(host, { ...ask, parallel_tool_calls: false })

    expect(choices[0]?.message.tool_calls).toHaveLength(1)
  })

  test('that must be called are asked for a second time', async () => {
    const model = scriptedModel([says('It is sunny.')], [says('Sorry. '), rome])
    const host = await startApi(model)

    const chunks = await chunksOf(host, { ...ask, tool_choice: 'required' })

    expect(textOf(chunks)).toBe('It is sunny.')
    expect(finishesOf(chunks)).toEqual(['tool_calls'])
    expect(model.asked[1]?.messages.slice(1)).toEqual([
      { role: 'assistant', text: 'It is sunny.', calls: [] },
      {
        role: 'user',
        text: 'Call a tool now: get_weather. Answer with the call only, not with text.',
        origin: 'note',
      },
    ])
  })

  test('that must be called and are not, twice, are an error', async () => {
    const host = await startApi(scriptedModel([says('Sunny.')], [says('Sunny!')]))

    const response = await host.post('/v1/chat/completions', { ...ask, tool_choice: 'required' })

    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining('asked for a tool call twice') },
    })
  })

  test('of one name only are the only ones shown to a server that does not honour the choice', async () => {
    const other = { type: 'function', function: { name: 'get_time' } }
    const model = scriptedModel([rome])
    const host = await startApi(model)
    const choice = { type: 'function', function: { name: 'get_weather' } }

    await complete(host, { ...ask, tools: [weatherTool, other], tool_choice: choice })

    expect(model.asked[0]?.tools.map(({ name }) => name)).toEqual(['get_weather'])
    expect(model.asked[0]?.toolChoice).toBeUndefined()
  })

  test('are left to a server that honours the choice', async () => {
    const model = scriptedModel([rome])
    const host = await startApi(model, { capabilities: { requiredChoice: true } })

    await complete(host, { ...ask, tool_choice: 'required' })

    expect(model.asked[0]?.toolChoice).toBe('required')
  })

  test('are not shown where none may be called', async () => {
    const model = scriptedModel([says('Sunny.')])
    const host = await startApi(model)

    await complete(host, { ...ask, tool_choice: 'none' })

    expect(model.asked[0]?.tools).toEqual([])
  })

  test('called in an unreadable form are asked for again, then sent as text', async () => {
    const bad: ModelEvent = { type: 'bad-call', name: 'get_weather', reason: 'the JSON is cut' }
    const model = scriptedModel([bad], [bad])
    const host = await startApi(model)

    const { choices } = await complete(host, ask)

    expect(model.asked).toHaveLength(2)
    expect(choices[0]).toMatchObject({
      message: {
        content: '[The model tried to call get_weather, but the call could not be read: the JSON is cut]',
      },
      finish_reason: 'stop',
    })
  })

  test.each([
    ['good arguments keep their bytes', '{ "city":"Rome" }', '{ "city":"Rome" }'],
    ['slips are repaired', "{city: 'Rome',}", '{"city":"Rome"}'],
    ['values are bent to the schema', '{"city": 5}', '{"city":"5"}'],
    ['no arguments are an empty object', '', '{}'],
  ])('reach the client so that it can parse them: %s', async (_, written, sent) => {
    const host = await startApi(scriptedModel([calls('get_weather', written)]))

    const { choices } = await complete(host, ask)

    expect(choices[0]?.message.tool_calls?.[0]?.function.arguments).toBe(sent)
  })

  test('with arguments that end in the middle of a text are no calls', async () => {
    const cut = [calls('get_weather', '{"city": "Ro'), finish('length')]
    const host = await startApi(scriptedModel(cut))

    const { choices } = await complete(host, ask)

    expect(choices[0]).toMatchObject({ message: { content: '' }, finish_reason: 'length' })
    expect(choices[0]?.message.tool_calls).toBeUndefined()
  })
})

describe('JSON', () => {
  const ask = { ...hello, response_format: { type: 'json_object' } }

  test('is passed on as it comes where it begins like JSON', async () => {
    const host = await startApi(scriptedModel([says('{"city": "Rome", "sun": true}')]))

    const chunks = await chunksOf(host, ask)

    expect(textOf(chunks)).toBe('{"city": "Rome", "sun": true}')
    expect(chunks.length).toBeGreaterThan(3)
  })

  test('is taken out of its fence', async () => {
    const host = await startApi(scriptedModel([says('```json\n{"city": "Rome",}\n```')]))

    expect((await complete(host, ask)).choices[0]?.message.content).toBe('{"city":"Rome"}')
  })

  test('that is nearly right is repaired for clients that do not stream', async () => {
    const host = await startApi(scriptedModel([says("{'city': 'Rome',}")]))

    expect((await complete(host, ask)).choices[0]?.message.content).toBe('{"city":"Rome"}')
  })

  test('that does not come is asked for once more, with the schema', async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } } }
    const format = { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } }
    const model = scriptedModel([says('It is Rome.')], [says('{"city":"Rome"}')])
    const host = await startApi(model)

    const { choices } = await complete(host, { ...ask, response_format: format })

    expect(choices[0]?.message.content).toBe('{"city":"Rome"}')
    expect(model.asked[0]?.responseFormat).toEqual({ type: 'json', name: 'place', schema })
    expect(model.asked[1]?.messages.at(-1)?.text).toContain(JSON.stringify(schema))
  })
})

describe('a model that fails', () => {
  test('before its first word gives an HTTP status', async () => {
    const error = new AppError('model-unavailable', 'The server loads its model.', { loading: true })
    const host = await startApi(scriptedModel([fails(error)]))

    const response = await host.post('/v1/chat/completions', { ...hello, stream: true })

    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).not.toBeNull()
    expect(await response.json()).toMatchObject({ error: { code: 'model_loading' } })
  })

  test('in the middle ends the stream with an error and without [DONE]', async () => {
    const error = new AppError('model-unavailable', 'The server went away.')
    const host = await startApi(scriptedModel([says('Half an ans'), fails(error)]))

    const response = await host.post('/v1/chat/completions', { ...hello, stream: true })

    const events = await readEvents(response)
    expect(response.status).toBe(200)
    expect(JSON.parse(events.at(-1)!.data)).toEqual({
      error: {
        message: 'The server went away.',
        type: 'server_error',
        param: null,
        code: 'model_unavailable',
      },
    })
  })

  test('and begins again is heard anew by who waits for all, and an error to who saw the first half', async () => {
    const restart: ModelEvent = { type: 'reply-restart', why: 'reset' }
    const host = await startApi(
      scriptedModel([says('Half'), restart, says('All of it.')], [says('Half'), restart, says('All of it.')]),
    )

    const whole = await complete(host, hello)
    const events = await readEvents(await host.post('/v1/chat/completions', { ...hello, stream: true }))

    expect(whole.choices[0]?.message.content).toBe('All of it.')
    expect(JSON.parse(events.at(-1)!.data)).toMatchObject({ error: { code: 'model_unavailable' } })
  })
})
