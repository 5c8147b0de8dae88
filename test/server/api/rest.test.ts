import { describe, expect, test } from 'vitest'
import { calls, fails, says, scriptedModel, thinks } from '../../../src/provider/scripted.ts'
import { AppError } from '../../../src/protocol/error.ts'
import { TextCompletion } from '../../../src/server/openai/completions.ts'
import { EmbeddingsReply, OllamaEmbedReply } from '../../../src/server/openai/embeddings.ts'
import { OllamaChatLine, OllamaGenerateLine } from '../../../src/server/ollama/routes.ts'
import { type ApiHost, readEvents, startApi, weatherTool } from './host.ts'

describe('completions', () => {
  test('go on with each of several texts, in the legacy shape', async () => {
    const model = scriptedModel([thinks('Hm.'), says(' two')], [says(' b')])
    const host = await startApi(model)

    const response = await host.post('/v1/completions', { prompt: ['one', 'a'], echo: true, max_tokens: 5 })

    const { choices } = TextCompletion.parse(await response.json())
    expect(choices.map(({ index, text, finish_reason }) => [index, text, finish_reason])).toEqual([
      [0, 'one two', 'stop'],
      [1, 'a b', 'stop'],
    ])
    expect(model.asked[0]).toMatchObject({
      messages: [{ role: 'user', text: 'one' }],
      thinking: 'off',
      maxTokens: 5,
    })
  })

  test('fill the gap before a suffix', async () => {
    const model = scriptedModel([says('return a + b')])
    const host = await startApi(model)

    await host.post('/v1/completions', { prompt: 'def add(a, b):\n    ', suffix: '\n\nprint(add(1, 2))' })

    expect(model.asked[0]?.messages[0]?.text).toBe(
      '<before>\ndef add(a, b):\n    \n</before>\n<after>\n\n\nprint(add(1, 2))\n</after>',
    )
  })

  test('stream in the same shape', async () => {
    const host = await startApi(scriptedModel([says('some more text to come')]))

    const events = await readEvents(await host.post('/v1/completions', { prompt: 'x', stream: true }))

    const chunks = events.slice(0, -1).map(({ data }) => TextCompletion.parse(JSON.parse(data)))
    expect(chunks.map(({ choices }) => choices[0]?.text).join('')).toBe('some more text to come')
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
    expect(events.at(-1)?.data).toBe('[DONE]')
  })

  test('of tokens are refused', async () => {
    const host = await startApi(scriptedModel())

    expect((await host.post('/v1/completions', { prompt: [1, 2, 3] })).status).toBe(400)
  })
})

describe('embeddings', () => {
  const embed = async (_: string, texts: readonly string[]) => texts.map((text) => [text.length, 0.5, -1])

  test('come as numbers, or as little-endian float32 in base64', async () => {
    const host = await startApi(scriptedModel(), { embed })

    const plain = await host.post('/v1/embeddings', { model: 'scripted', input: ['ab', 'abc'] })
    const packed = await host.post('/v1/embeddings', { input: 'ab', encoding_format: 'base64' })

    expect(EmbeddingsReply.parse(await plain.json()).data.map(({ embedding }) => embedding)).toEqual([
      [2, 0.5, -1],
      [3, 0.5, -1],
    ])
    const [first] = EmbeddingsReply.parse(await packed.json()).data
    const bytes = Buffer.from(first?.embedding as string, 'base64')
    expect([0, 4, 8].map((at) => bytes.readFloatLE(at))).toEqual([2, 0.5, -1])
  })

  test('come in both shapes of Ollama', async () => {
    const host = await startApi(scriptedModel(), { embed })

    const several = await host.post('/api/embed', { model: 'scripted:latest', input: ['ab', 'abc'] })
    const one = await host.post('/api/embeddings', { model: 'scripted', prompt: 'abcd' })
    const none = await host.post('/api/embed', { model: 'absent', input: 'ab' })

    expect(OllamaEmbedReply.parse(await several.json())).toMatchObject({
      model: 'scripted:latest',
      embeddings: [
        [2, 0.5, -1],
        [3, 0.5, -1],
      ],
      prompt_eval_count: 2,
    })
    expect(await one.json()).toEqual({ embedding: [4, 0.5, -1] })
    expect([none.status, await none.json()]).toEqual([
      404,
      { error: 'absent gives no embeddings. Models that can: scripted.' },
    ])
  })

  test('where no model has them are refused with the reason', async () => {
    const host = await startApi(scriptedModel())

    const response = await host.post('/v1/embeddings', { model: 'scripted', input: 'ab' })

    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({
      error: { code: 'model_not_found', message: 'scripted gives no embeddings. No model here can.' },
    })
  })
})

describe('models', () => {
  test('are listed with their window and what they can do, agents behind them', async () => {
    const agents = { profiles: ['careful'], open: () => Promise.reject(new Error('not asked')) }
    const host = await startApi(scriptedModel(), { agents })

    const { data } = (await (await host.get('/v1/models')).json()) as { data: { id: string }[] }

    expect(data[0]).toEqual({
      id: 'scripted',
      object: 'model',
      created: 1,
      owned_by: 'test',
      context_window: 8192,
      capabilities: { tools: true, vision: false, embeddings: false, agent: false },
      type: 'model',
      display_name: 'scripted',
      created_at: '1970-01-01T00:00:01.000Z',
    })
    expect(data.map(({ id }) => id)).toEqual(['scripted', 'covey/agent', 'covey/agent:careful'])
  })

  test('are found by ids with slashes', async () => {
    const host = await startApi(scriptedModel())

    const found = await host.get('/v1/models/covey/agent')
    const missing = await host.get('/v1/models/no/such')

    expect(await found.json()).toMatchObject({ id: 'covey/agent', capabilities: { agent: true } })
    expect(missing.status).toBe(404)
  })
})

describe('Ollama', () => {
  const hello = { model: 'scripted:latest', messages: [{ role: 'user', content: 'Hello.' }] }

  const linesOf = async (host: ApiHost, path: string, body: object): Promise<unknown[]> => {
    const response = await host.post(path, body)
    expect(response.headers.get('content-type')).toContain('application/x-ndjson')
    return (await response.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
  }

  test('chats in lines, with calls as objects', async () => {
    const host = await startApi(
      scriptedModel([thinks('Hm.'), says('Look:'), calls('get_weather', { city: 'Rome' })]),
    )

    const lines = await linesOf(host, '/api/chat', { ...hello, tools: [weatherTool] })

    const told = lines.map((line) => OllamaChatLine.parse(line))
    expect(told.map(({ message }) => message)).toEqual([
      { role: 'assistant', content: '', thinking: 'Hm.' },
      { role: 'assistant', content: 'Look:' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: 'get_weather', arguments: { city: 'Rome' } } }],
      },
      { role: 'assistant', content: '' },
    ])
    expect(told.map(({ done }) => done)).toEqual([false, false, false, true])
    expect(told.at(-1)).toMatchObject({ done_reason: 'stop', prompt_eval_count: expect.any(Number) })
  })

  test('gives results to calls in their order', async () => {
    const model = scriptedModel([says('Both are fine.')])
    const host = await startApi(model)
    const call = (city: string) => ({ function: { name: 'get_weather', arguments: { city } } })

    await host.post('/api/chat', {
      ...hello,
      stream: false,
      messages: [
        ...hello.messages,
        { role: 'assistant', content: '', tool_calls: [call('Rome'), call('Oslo')] },
        { role: 'tool', content: 'sunny', tool_name: 'get_weather' },
        { role: 'tool', content: 'rain', tool_name: 'get_weather' },
      ],
      format: { type: 'object' },
      options: { temperature: 0, num_predict: -1, stop: ['END'] },
      think: false,
    })

    expect(model.asked[0]).toMatchObject({
      messages: [
        { role: 'user' },
        { calls: [{ id: 'call-1-0' }, { id: 'call-1-1' }] },
        { role: 'tool', callId: 'call-1-0', text: 'sunny' },
        { role: 'tool', callId: 'call-1-1', text: 'rain' },
      ],
      responseFormat: { type: 'json', schema: { type: 'object' } },
      temperature: 0,
      stop: ['END'],
      thinking: 'off',
    })
    expect(model.asked[0]?.maxTokens).toBeUndefined()
  })

  test('generates from one prompt', async () => {
    const host = await startApi(scriptedModel([says('Because.')]))

    const lines = await linesOf(host, '/api/generate', {
      model: 'scripted',
      prompt: 'Why?',
      system: 'Be brief.',
    })

    const told = lines.map((line) => OllamaGenerateLine.parse(line))
    expect(told.map(({ response }) => response)).toEqual(['Because.', ''])
  })

  test('says that a model is ready where nothing is asked', async () => {
    const host = await startApi(scriptedModel())

    const response = await host.post('/api/chat', { model: 'scripted' })

    expect(await response.json()).toMatchObject({ done: true, done_reason: 'load' })
  })

  test('tells what there is', async () => {
    const host = await startApi(scriptedModel())

    const [tags, running, version, shown, missing] = await Promise.all([
      host.get('/api/tags').then((response) => response.json()),
      host.get('/api/ps').then((response) => response.json()),
      host.get('/api/version').then((response) => response.json()),
      host.post('/api/show', { model: 'scripted' }).then((response) => response.json()),
      host.post('/api/show', { model: 'absent' }),
    ])

    expect(tags).toMatchObject({ models: [{ name: 'scripted', model: 'scripted' }, { name: 'covey/agent' }] })
    expect(running).toEqual(tags)
    expect(version).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) })
    expect(shown).toMatchObject({
      capabilities: ['completion', 'tools'],
      model_info: { 'covey.context_length': 8192 },
    })
    expect([missing.status, await missing.json()]).toEqual([404, { error: "model 'absent' not found" }])
  })

  test('ends a broken stream with a line that says so', async () => {
    const error = new AppError('model-unavailable', 'The server went away.')
    const host = await startApi(scriptedModel([says('Half'), fails(error)]))

    const lines = await linesOf(host, '/api/chat', hello)

    expect(lines.at(-1)).toEqual({ error: 'The server went away.' })
  })
})
