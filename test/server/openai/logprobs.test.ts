/** Log probabilities on the whole way: asked of the model's server, and told in the shapes of OpenAI. */
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { says, scriptedModel, thinks } from '../../../src/provider/scripted.ts'
import type { ModelEvent } from '../../../src/protocol/model.ts'
import { TextCompletion } from '../../../src/server/openai/completions.ts'
import { startArmApi } from '../api/arm-host.ts'
import { type ApiHost, readEvents, startApi } from '../api/host.ts'

const chances = (token: string, logprob: number): ModelEvent => ({
  type: 'logprobs',
  tokens: [{ token, logprob, top: [{ token: 'Hm', logprob: -2 }] }],
})

const heron = [says('He'), chances('He', -0.5), says('ron'), chances('ron', -0.25)]
const wire = [
  {
    token: 'He',
    logprob: -0.5,
    bytes: [72, 101],
    top_logprobs: [{ token: 'Hm', logprob: -2, bytes: [72, 109] }],
  },
  {
    token: 'ron',
    logprob: -0.25,
    bytes: [114, 111, 110],
    top_logprobs: [{ token: 'Hm', logprob: -2, bytes: [72, 109] }],
  },
]
const messages = [{ role: 'user', content: 'Which bird?' }] as const
const asking = { model: 'scripted', messages: [...messages], logprobs: true, top_logprobs: 1 }

const openai = async (host: ApiHost) =>
  new OpenAI({ baseURL: `${host.url}/v1`, apiKey: await host.key(), maxRetries: 0 })

describe('a chat', () => {
  test('has them with its answer', async () => {
    const model = scriptedModel(heron)
    const client = await openai(await startApi(model))

    const { choices } = await client.chat.completions.create(asking)

    expect(model.asked[0]?.logprobs).toBe(1)
    expect(choices[0]).toMatchObject({ message: { content: 'Heron' }, logprobs: { content: wire } })
  })

  test('streams them with the text they belong to', async () => {
    const client = await openai(await startApi(scriptedModel(heron)))

    const told: unknown[] = []
    for await (const { choices } of await client.chat.completions.create({ ...asking, stream: true }))
      if (choices[0]?.logprobs) told.push([choices[0].delta.content, choices[0].logprobs.content])

    expect(told).toEqual([
      ['He', [wire[0]]],
      ['ron', [wire[1]]],
    ])
  })

  test('has them of its words, not of its thoughts', async () => {
    const model = scriptedModel([thinks('Hm.'), chances('Hm.', -3), ...heron])
    const client = await openai(await startApi(model))

    const { choices } = await client.chat.completions.create(asking)

    expect(choices[0]?.logprobs?.content).toEqual(wire)
  })

  test('without them has none', async () => {
    const client = await openai(await startApi(scriptedModel([says('Heron')])))

    const { choices } = await client.chat.completions.create({ model: 'scripted', messages: [...messages] })

    expect(choices[0]?.logprobs).toBeNull()
  })
})

test('the legacy shape counts where each token begins', async () => {
  const host = await startApi(scriptedModel(heron, heron))
  const body = { prompt: 'A ', echo: true, logprobs: 1 }

  const whole = TextCompletion.parse(await (await host.post('/v1/completions', body)).json())
  const events = await readEvents(await host.post('/v1/completions', { ...body, stream: true }))

  const top_logprobs = [{ Hm: -2 }, { Hm: -2 }]
  expect(whole.choices[0]).toMatchObject({
    text: 'A Heron',
    logprobs: { tokens: ['He', 'ron'], token_logprobs: [-0.5, -0.25], top_logprobs, text_offset: [2, 4] },
  })
  const streamed = events
    .slice(0, -1)
    .flatMap(({ data }) => TextCompletion.parse(JSON.parse(data)).choices[0]?.logprobs?.text_offset ?? [])
  expect(streamed).toEqual([2, 4])
})

test('the Responses API has them where they are included', async () => {
  const client = await openai(await startApi(scriptedModel(heron)))

  const { output } = await client.responses.create({
    model: 'scripted',
    input: 'Which bird?',
    include: ['message.output_text.logprobs'],
    top_logprobs: 1,
  })

  expect(output[0]).toMatchObject({ content: [{ text: 'Heron', logprobs: wire }] })
})

describe('a model that tells none', () => {
  test.each(['/v1/chat/completions', '/v1/completions'])('is named in a refusal of %s', async (path) => {
    const host = await startApi(scriptedModel([says('Heron')], [says('Heron')]))
    const body = path.endsWith('chat/completions') ? asking : { prompt: 'A ', logprobs: 1 }

    const whole = await host.post(path, body)
    const streamed = await host.post(path, { ...body, stream: true })

    expect([whole.status, streamed.status]).toEqual([400, 400])
    expect(await whole.json()).toMatchObject({
      error: {
        param: 'logprobs',
        message: '`logprobs`: scripted reports no log probabilities; leave them out, or ask another model.',
      },
    })
  })
})

test('a server behind an arm is asked for them, and its words are passed on', async () => {
  const content = [
    { token: 'Heron', logprob: -0.1, bytes: null, top_logprobs: [{ token: 'Hen', logprob: -3 }] },
  ]
  const completion = {
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Heron' },
        logprobs: { content },
        finish_reason: 'stop',
      },
    ],
  }
  const { host, upstream } = await startArmApi([{ body: completion }])

  const { choices } = await (await openai(host)).chat.completions.create({ ...asking, model: 'small' })

  expect(upstream.requests[0]).toMatchObject({ logprobs: true, top_logprobs: 1 })
  expect(choices[0]?.logprobs?.content).toMatchObject([
    { token: 'Heron', logprob: -0.1, top_logprobs: [{ token: 'Hen', logprob: -3 }] },
  ])
})
