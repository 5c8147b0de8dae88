/** A gap is filled by a model that was trained for it, and asked for in words where there is none. */
import { describe, expect, test } from 'vitest'
import { createFillModel } from '../../../src/provider/fill/model.ts'
import { fails, says, scriptedModel } from '../../../src/provider/scripted.ts'
import { createServerClient } from '../../../src/provider/server-client.ts'
import { AppError } from '../../../src/protocol/error.ts'
import { listen, openAiError } from '../../support/model-server/listen.ts'
import { settingsFor } from '../../provider/probing.ts'
import { TextCompletion } from '../../../src/server/openai/completions.ts'
import { type ApiHost, startApi } from './host.ts'

const gap = { prompt: 'def add(a, b):\n    ', suffix: '\n\nprint(add(1, 2))', max_tokens: 20, temperature: 0 }

async function fill(host: ApiHost, more: object = {}): Promise<string | undefined> {
  const response = await host.post('/v1/completions', { ...gap, ...more })
  return TextCompletion.parse(await response.json()).choices[0]?.text
}

describe('where the model can', () => {
  test('it gets what is before and after, and the limits of the request', async () => {
    const filler = scriptedModel([says('return a + b')])
    const host = await startApi(scriptedModel(), { fillIn: () => filler })

    const text = await fill(host)

    expect(text).toBe('return a + b')
    expect(filler.asked[0]).toMatchObject({
      system: '',
      messages: [
        { role: 'user', text: gap.prompt },
        { role: 'user', text: gap.suffix },
      ],
      maxTokens: 20,
      temperature: 0,
    })
  })

  test('Ollama clients get the same', async () => {
    const host = await startApi(scriptedModel(), { fillIn: () => scriptedModel([says('return a + b')]) })
    const { prompt, suffix } = gap

    const response = await host.post('/api/generate', { model: 'scripted', prompt, suffix, stream: false })

    expect(await response.json()).toMatchObject({ response: 'return a + b' })
  })

  test('a llama.cpp server is asked by its own route', async () => {
    const server = await listen({
      quirks: {},
      errorBody: openAiError,
      routes: {
        'POST /infill': () => ({
          as: 'sse',
          lines: [
            { content: 'return ', stop: false },
            { content: 'a + b', stop: false },
            { content: '', stop: true, stop_type: 'eos', tokens_evaluated: 12, tokens_predicted: 4 },
          ],
        }),
      },
    })
    const client = createServerClient(settingsFor(server.url))
    const filler = createFillModel({ name: 'small', model: 'x', server: 'llama.cpp', window: 8192, client })
    const host = await startApi(scriptedModel(), { fillIn: () => filler })

    const text = await fill(host)

    expect(text).toBe('return a + b')
    expect(server.sent('/infill')).toEqual([
      expect.objectContaining({ input_prefix: gap.prompt, input_suffix: gap.suffix, n_predict: 20 }),
    ])
  })
})

describe('where it cannot', () => {
  test.each([
    ['no way', () => undefined],
    [
      'no tokens',
      () => scriptedModel([fails(new AppError('model-unavailable', 'no infill', { status: 501 }))]),
    ],
  ])('because it has %s for it, it is asked in words', async (_, fillIn) => {
    const model = scriptedModel([says('return a + b')])
    const host = await startApi(model, { fillIn })

    const text = await fill(host)

    expect(text).toBe('return a + b')
    expect(model.asked[0]?.messages[0]?.text).toContain('<before>')
  })

  test('a failure of the server is reported, not covered up', async () => {
    const gone = scriptedModel([fails(new AppError('model-unavailable', 'It is away.'))])
    const host = await startApi(scriptedModel(), { fillIn: () => gone })

    const response = await host.post('/v1/completions', gap)

    expect(response.status).toBe(503)
  })
})
