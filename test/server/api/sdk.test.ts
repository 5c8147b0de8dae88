/** The clients people really use, against the real server: one short round trip each. */
import Anthropic from '@anthropic-ai/sdk'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateObject, stepCountIs, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, fails, says, scriptedModel, thinks } from '../../../src/provider/scripted.ts'
import { AppError } from '../../../src/protocol/error.ts'
import { type ApiHost, startApi, weatherTool } from './host.ts'

const rome = calls('get_weather', { city: 'Rome' })
const openai = async (host: ApiHost) =>
  new OpenAI({ baseURL: `${host.url}/v1`, apiKey: await host.key(), maxRetries: 0 })
const anthropic = async (host: ApiHost) =>
  new Anthropic({ baseURL: host.url, apiKey: await host.key(), maxRetries: 0 })

test('openai makes a round trip with a tool', async () => {
  const model = scriptedModel([thinks('Hm.'), says('Let me see.'), rome], [says('It is sunny in Rome.')])
  const client = await openai(await startApi(model))
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Weather in Rome?' }]

  const first = await client.chat.completions
    .stream({ model: 'scripted', messages, tools: [weatherTool], stream_options: { include_usage: true } })
    .finalChatCompletion()
  const { message } = first.choices[0]!
  const result = { role: 'tool', tool_call_id: message.tool_calls![0]!.id, content: 'sunny' } as const
  const second = await client.chat.completions.create({
    model: 'scripted',
    messages: [...messages, message, result],
  })

  expect(message.content).toBe('Let me see.')
  expect(message.tool_calls?.[0]).toMatchObject({
    function: { name: 'get_weather', arguments: '{"city":"Rome"}' },
  })
  expect(first.usage?.total_tokens).toBeGreaterThan(0)
  expect(second.choices[0]?.message.content).toBe('It is sunny in Rome.')
  expect(model.asked[1]?.messages.at(-1)).toEqual({ role: 'tool', callId: 'call-1', text: 'sunny', ok: true })
})

test('openai parses an answer by a schema', async () => {
  const client = await openai(await startApi(scriptedModel([says('{"city":"Rome","sun":true}')])))

  const completion = await client.chat.completions.parse({
    model: 'scripted',
    messages: [{ role: 'user', content: 'Weather?' }],
    response_format: zodResponseFormat(z.object({ city: z.string(), sun: z.boolean() }), 'weather'),
  })

  expect(completion.choices[0]?.message.parsed).toEqual({ city: 'Rome', sun: true })
})

test('openai decodes embeddings', async () => {
  const host = await startApi(scriptedModel(), { embed: async (_, texts) => texts.map(() => [0.5, -1, 2]) })

  const { data } = await (await openai(host)).embeddings.create({ model: 'scripted', input: ['a', 'b'] })

  expect(data.map(({ embedding }) => embedding)).toEqual([
    [0.5, -1, 2],
    [0.5, -1, 2],
  ])
})

test('openai streams a response and goes on from it', async () => {
  const client = await openai(await startApi(scriptedModel([says('Let me see.'), rome], [says('Sunny.')])))
  const tools: OpenAI.Responses.FunctionTool[] = [{ type: 'function', strict: true, ...weatherTool.function }]

  const stream = client.responses.stream({ model: 'scripted', input: 'Weather?', tools })
  const first = await stream.finalResponse()
  const call = first.output.find((item) => item.type === 'function_call')!
  const second = await client.responses.create({
    model: 'scripted',
    previous_response_id: first.id,
    input: [{ type: 'function_call_output', call_id: call.call_id, output: 'sunny' }],
  })

  expect(first.output_text).toBe('Let me see.')
  expect(call.arguments).toBe('{"city":"Rome"}')
  expect(second.output_text).toBe('Sunny.')
})

test('openai throws when the stream breaks', async () => {
  const error = new AppError('model-unavailable', 'The server went away.')
  const client = await openai(await startApi(scriptedModel([says('Half an ans'), fails(error)])))

  const stream = client.chat.completions.stream({
    model: 'scripted',
    messages: [{ role: 'user', content: 'Hm?' }],
  })

  await expect(stream.finalChatCompletion()).rejects.toThrow('The server went away.')
})

test('the AI SDK runs its tools to the end', async () => {
  const model = scriptedModel([thinks('Hm.'), rome], [says('It is sunny in Rome.')])
  const host = await startApi(model)
  const provider = createOpenAICompatible({
    name: 'covey',
    baseURL: `${host.url}/v1`,
    apiKey: await host.key(),
    includeUsage: true,
    supportsStructuredOutputs: true,
  })

  const result = streamText({
    model: provider('scripted'),
    prompt: 'Weather in Rome?',
    stopWhen: stepCountIs(3),
    tools: {
      get_weather: tool({
        description: 'The weather in a city.',
        inputSchema: z.object({ city: z.string() }),
        execute: async ({ city }) => `sunny in ${city}`,
      }),
    },
  })

  expect(await result.text).toBe('It is sunny in Rome.')
  expect(await result.finishReason).toBe('stop')
  expect((await result.steps)[0]?.reasoningText).toBe('Hm.')
  expect((await result.totalUsage).totalTokens).toBeGreaterThan(0)
  expect(model.asked[1]?.messages.at(-1)?.text).toBe('sunny in Rome')
})

test('the AI SDK gets an object by its schema', async () => {
  const host = await startApi(scriptedModel([says('```json\n{"city": "Rome"}\n```')]))
  const provider = createOpenAICompatible({
    name: 'covey',
    baseURL: `${host.url}/v1`,
    apiKey: await host.key(),
    supportsStructuredOutputs: true,
  })

  const { object } = await generateObject({
    model: provider('scripted'),
    schema: z.object({ city: z.string() }),
    prompt: 'Which city?',
  })

  expect(object).toEqual({ city: 'Rome' })
})

test('the SDK of Anthropic makes a round trip with a tool and counts tokens', async () => {
  const model = scriptedModel([thinks('Hm.'), says('Let me see.'), rome], [says('It is sunny in Rome.')])
  const client = await anthropic(await startApi(model))
  const tools: Anthropic.Tool[] = [
    { name: 'get_weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } },
  ]
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Weather in Rome?' }]
  const ask = { model: 'scripted', max_tokens: 100, tools }

  const first = await client.messages.stream({ ...ask, messages }).finalMessage()
  const use = first.content.find((block) => block.type === 'tool_use')!
  const result = { type: 'tool_result', tool_use_id: use.id, content: 'sunny' } as const
  const second = await client.messages.create({
    ...ask,
    messages: [
      ...messages,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [result] },
    ],
  })
  const counted = await client.messages.countTokens({ model: 'scripted', messages })

  expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use'])
  expect(use.input).toEqual({ city: 'Rome' })
  expect(first.stop_reason).toBe('tool_use')
  expect(second.content).toEqual([{ type: 'text', text: 'It is sunny in Rome.' }])
  expect(counted.input_tokens).toBeGreaterThan(0)
})
