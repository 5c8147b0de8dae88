import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import type { ScriptedServerReply } from '../../support/model-server.ts'
import { startArmApi } from './arm-host.ts'
import { weatherTool } from './host.ts'

async function startArm(script: readonly ScriptedServerReply[]) {
  const { host, upstream } = await startArmApi(script)
  const client = new OpenAI({ baseURL: `${host.url}/v1`, apiKey: await host.key(), maxRetries: 0 })
  return { client, upstream }
}

const json = '{"name": "get_weather", "arguments": {"city": "Rome"}}'
const xml = '<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n</function>'

const shapes: readonly [name: string, reply: ScriptedServerReply][] = [
  ['bare JSON', { text: json }],
  ['fenced JSON', { text: `I will do that.\n\`\`\`json\n${json}\n\`\`\`` }],
  ['<tool_call> JSON', { text: `<tool_call>\n${json}\n</tool_call>` }],
  ['Qwen XML in its wrapper', { text: `<tool_call>\n${xml}\n</tool_call>` }],
  ['Qwen XML without a wrapper', { text: xml }],
  ['[TOOL_CALLS]', { text: '[TOOL_CALLS]get_weather[ARGS]{"city": "Rome"}' }],
  ['tag XML', { text: '<tool name="get_weather">{"city": "Rome"}</tool>' }],
  ['a native call with broken JSON', { calls: [{ name: 'get_weather', arguments: "{city: 'Rome',}" }] }],
]

describe('a call reaches the client as a call:', () => {
  test.each(shapes)('%s', async (_name, reply) => {
    const { client } = await startArm([reply])

    const completion = await client.chat.completions
      .stream({ model: 'small', messages: [{ role: 'user', content: 'Weather?' }], tools: [weatherTool] })
      .finalChatCompletion()

    const { message, finish_reason } = completion.choices[0]!
    expect(finish_reason).toBe('tool_calls')
    expect(message.tool_calls).toMatchObject([{ function: { name: 'get_weather' } }])
    const [call] = message.tool_calls!
    expect(JSON.parse(call!.type === 'function' ? call!.function.arguments : '')).toEqual({ city: 'Rome' })
    expect(message.content ?? '').not.toMatch(/get_weather|tool_call|TOOL_CALLS|function=/)
  })
})

test('a conversation reaches the model as it grew: what was sent before is sent again, byte for byte', async () => {
  const turns = 6
  const { client, upstream } = await startArm(
    Array.from({ length: turns }, (_, index) => ({
      calls: [{ id: `c${index}`, name: 'get_weather', arguments: `{ "city":"Rome ${index}" }` }],
    })),
  )
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Weather?' },
  ]

  for (let turn = 0; turn < turns; turn++) {
    const { choices } = await client.chat.completions.create({
      model: 'small',
      messages,
      tools: [weatherTool],
    })
    const { message } = choices[0]!
    messages.push(message, {
      role: 'tool',
      tool_call_id: message.tool_calls![0]!.id,
      content: `sunny ${turn}`,
    })
  }

  const sent = upstream.requests.map((request) => request.messages.map((message) => JSON.stringify(message)))
  expect(sent).toHaveLength(turns)
  for (const [index, before] of sent.slice(0, -1).entries())
    expect(sent[index + 1]?.slice(0, before.length)).toEqual(before)
  expect(new Set(upstream.requests.map(({ tools }) => JSON.stringify(tools))).size).toBe(1)
})

test('an upstream that is cut off is an error to the client', async () => {
  const { client } = await startArm([{ text: 'Half of an answer that never ends', fault: 'error-in-stream' }])

  const stream = client.chat.completions.stream({
    model: 'small',
    messages: [{ role: 'user', content: 'Hm?' }],
  })

  await expect(stream.finalChatCompletion()).rejects.toThrow()
})
